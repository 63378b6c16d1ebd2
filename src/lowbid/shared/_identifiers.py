"""Names and ids that callers choose, read and checked."""

from __future__ import annotations

from typing import Any

from lowbid._require import invalid
from lowbid.errors import InvalidValueError

_LONGEST_KEY = 512  # characters of a unit or of the id of a request


def read_name(name: Any, what: str = "name") -> str:
    """The name of a bandit or a person, or a clear error."""
    given = read_key(what, name)
    if given is None:
        raise InvalidValueError(f"{what} is None; give a name.")
    return given


def read_bandit_name(name: Any, what: str = "name") -> str:
    """The name of a bandit, which is a part of its address over HTTP, or a clear error."""
    given = read_name(name, what)
    if "/" in given or given in (".", ".."):
        raise InvalidValueError(
            f"{what} is {given!r}; give one without a slash, other than . and .., such as "
            f"{given.replace('/', '-').strip('.') or 'shop'!r}: it is a part of the address at "
            "which `lowbid serve` has the bandit."
        )
    return given


def read_key(name: str, value: Any) -> str | None:
    """A name chosen by the caller, as text, or a clear error."""
    if value is None:
        return None
    good = isinstance(value, str) and 0 < len(value) <= _LONGEST_KEY and "\0" not in value
    if not good:
        raise invalid(name, value, f"give text of 1 to {_LONGEST_KEY} characters.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidValueError(f"{name} is {value!r}, which is not Unicode text.") from error
    return value
