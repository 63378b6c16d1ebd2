"""One process at a time in a folder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from lowbid.errors import InvalidValueError

_FILE = ".lowbid-at-work"


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep others out of a folder while the block runs; an error if someone is at work in it.

    The operating system ends the claim with the process, however that ends. The file that is locked
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
                f"{folder} is in use: another lowbid is at work in it; wait for that, or give "
                "another folder."
            )
        yield


def _lock(file: IO[bytes]) -> bool:
    """Whether the lock of a file could be had; where there are no locks, it always can."""
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
