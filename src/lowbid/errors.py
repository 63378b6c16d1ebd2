"""What can go wrong, and what to do about it.

Every error that lowbid raises deliberately is a `LowbidError`; each is also the built-in error that
a Python programmer would expect, so ``except ValueError`` works too.
"""

from __future__ import annotations

from typing import NamedTuple


class LowbidError(Exception):
    """Base class of every error that lowbid raises deliberately.

    Attributes
    ----------
    field : str or None
        The argument, parameter or entry of a file that is wrong, if the error is about one.
    value : object
        What was given for it.
    """

    def __init__(self, *message: object, field: str | None = None, value: object = None) -> None:
        super().__init__(*message)
        self.field, self.value = field, value


class InvalidValueError(LowbidError, ValueError):
    """A value that the library cannot work with; nothing was changed."""


class UnknownNameError(LowbidError, KeyError):
    """An unknown name of an arm, a policy, or an entry in a file."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would quote the whole message.
        return str(self.args[0]) if self.args else ""


class KernelIndexError(LowbidError, IndexError):
    """An index of a compiled kernel that is outside its array, found in checked mode."""


class FileFormatError(LowbidError, ValueError):
    """A file that is damaged, truncated, or not of the expected kind."""


class StateError(FileFormatError):
    """A saved state that its rule cannot have reached; the message names the field."""


class LossesWarning(UserWarning):
    """Losses that a policy is not made for, or that floating point cannot tell apart."""


class MissingPackageError(LowbidError, ImportError):
    """A feature needs a package that is not installed."""


class WorkerError(LowbidError, RuntimeError):
    """A worker or its scheduler is gone; finished work is kept."""


class Refusal(NamedTuple):
    """A line of a log that cannot be used.

    Attributes
    ----------
    line : int
        The line of the file, or the row of the table, counted from 1.
    reason : str
        What is wrong with it.
    """

    line: int
    reason: str


class LogError(InvalidValueError):
    """A log with lines that cannot be used; none of its lines was used.

    Attributes
    ----------
    refused : tuple of Refusal
        All such lines; the message has the first few.
    """

    refused: tuple[Refusal, ...] = ()


class UnanswerableError(InvalidValueError):
    """A question that a log cannot answer, whatever the method."""


class StoreError(LowbidError, OSError):
    """A store that cannot do what was asked: read-only, full, damaged, or of a newer format.

    Nothing was changed. The message names the store and the remedy.
    """


class StoreUnavailableError(StoreError):
    """A store that cannot be reached, or is busy, for now.

    The call waited as long as configured, and nothing was changed; try again.
    """


class ServiceError(LowbidError, OSError):
    """A server that gave no answer or refused: a missing permission, a limit, or an internal error.

    Requests that are safe to repeat were retried; nothing counts twice.
    """
