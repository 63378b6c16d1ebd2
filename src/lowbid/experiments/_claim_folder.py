"""A lock that lets one process at a time write to a folder."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from lowbid.errors import InvalidValueError

_FILE = ".lowbid-at-work"
_POLL = 0.001  # seconds


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder while the block runs; an error if one is using it.

    The operating system releases the lock when the process ends, however it ends. The lock file
    stays: another process may have opened it already.
    """
    with _lock_file(folder) as file:
        if not _lock(file):
            raise InvalidValueError(
                f"{folder} is in use: another lowbid is using it; wait for it to finish, or give "
                "another folder."
            )
        yield


@contextlib.contextmanager
def waited_for(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder while the block runs, after waiting for them."""
    with _lock_file(folder) as file:
        while not _lock(file):
            time.sleep(_POLL)
        yield


def _lock_file(folder: Path) -> IO[bytes]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return open(folder / _FILE, "ab")
    except OSError as error:
        raise InvalidValueError(
            f"{folder} cannot be written to ({error.strerror}); give another folder."
        ) from error


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
