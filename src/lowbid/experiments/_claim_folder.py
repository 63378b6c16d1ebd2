"""A lock that lets one process at a time write to a folder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from lowbid.errors import InvalidValueError

_FILE = ".lowbid-at-work"


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder while the block runs; an error if one is using it.

    The operating system releases the lock when the process ends, however it ends. The lock file
    stays: another process may have opened it already.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(folder / _FILE, "ab")  # noqa: SIM115
    except OSError as error:
        raise InvalidValueError(
            f"{folder} cannot be written to ({error.strerror}); give another folder."
        ) from error
    with file:
        if not _lock(file):
            raise InvalidValueError(
                f"{folder} is in use: another lowbid is using it; wait for it to finish, or give "
                "another folder."
            )
        yield


def _lock(file: IO[bytes]) -> bool:
    """Try to lock a file; always succeeds where there are no locks."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
