"""A local file of the outcomes that are not in the store yet, so that a killed process loses none.

Its first line names the row; then comes a line for each outcome, and one for each attempt to write
the row, which contains all outcomes before it. The system keeps what was written when the process
is killed; only a machine that stops may lose the last lines.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from lowbid._replace_file import replace_file
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.shared.fleet._member import Outcome


class Left(NamedTuple):
    """What an earlier process left in a journal.

    Attributes
    ----------
    fleet : str
        The fleet that it took part in.
    process : str
        Its id.
    version : int
        The version of its row when the journal began.
    outcomes : list of Outcome
        The outcomes since.
    attempts : dict
        For each later attempt to write the row, how many of the outcomes it contained.
    """

    fleet: str
    process: str
    version: int
    outcomes: list[Outcome]
    attempts: dict[int, int]

    def missing_from(self, version: int) -> list[Outcome]:
        """The outcomes that a row of this version does not contain."""
        return self.outcomes[self.attempts.get(version, 0) :]


class Journal:
    """The journal of a process, which no other one may use.

    Parameters
    ----------
    path : str or path
        Where it is; made if it does not exist.
    fleet : str
        What it is for.
    """

    def __init__(self, path: str | os.PathLike[str], fleet: str) -> None:
        self._path, self._fleet = Path(path).absolute(), fleet
        self._lock = _locked(self._path.with_name(f"{self._path.name}.lock"))
        try:
            self.left = self._read() if self._path.exists() else None
        except BaseException:
            self._lock.close()
            raise
        self._file: Any = None

    def begin(self, process: str, version: int, outcomes: Iterable[Outcome]) -> None:
        """Begin anew, with the outcomes that a row of this version does not contain."""
        head = {"fleet": self._fleet, "process": process, "version": version}
        lines = [json.dumps(head), *(json.dumps(outcome) for outcome in outcomes)]
        self._close_file()
        with replace_file(self._path) as file:
            file.write(("\n".join(lines) + "\n").encode())
        self._file = open(self._path, "ab", buffering=0)  # noqa: SIM115

    def add(self, outcome: Outcome) -> None:
        """Write an outcome down."""
        self._file.write(f"{json.dumps(outcome)}\n".encode())

    def mark(self, version: int) -> None:
        """An attempt to write the row with all outcomes so far begins."""
        self._file.write(f"{version}\n".encode())

    def close(self) -> None:
        """Let another process use the journal."""
        self._close_file()
        self._lock.close()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(self) -> Left:
        """What is in the file; a line that was cut short is left out."""
        text = self._path.read_bytes().decode(errors="replace")
        lines = text[: text.rfind("\n") + 1].splitlines()
        outcomes, attempts = list[Outcome](), dict[int, int]()
        try:
            head = json.loads(lines[0])
            fleet, process, version = head["fleet"], head["process"], int(head["version"])
            for line in map(json.loads, lines[1:]):
                if isinstance(line, int):
                    attempts[line] = len(outcomes)
                else:
                    outcomes.append(Outcome(*line))
        except (LookupError, TypeError, ValueError) as error:
            raise FileFormatError(
                f"{self._path} is not a journal of lowbid, or is damaged; restore it from a copy, "
                "or remove it and lose the outcomes in it."
            ) from error
        if fleet != self._fleet:
            raise InvalidValueError(
                f"the journal {self._path} belongs to {fleet}, not to {self._fleet}; give each "
                "process of each fleet a journal of its own."
            )
        return Left(fleet, process, version, outcomes, attempts)


def _locked(path: Path) -> Any:
    """A file that is locked until it is closed, or its process ends; an error if it is in use."""
    file = open(path, "ab")  # noqa: SIM115
    try:
        with contextlib.suppress(ImportError):
            import fcntl  # not on Windows, where a second process is not noticed

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise InvalidValueError(
            f"the journal {path.with_suffix('')} is in use by another process; give each process "
            "a journal of its own."
        ) from error
    return file
