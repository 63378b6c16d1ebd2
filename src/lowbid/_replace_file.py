"""Files that are replaced atomically."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def replace_file(path: Path, *, durable: bool = False) -> Iterator[IO[bytes]]:
    """Write a new file beside `path`, and move it into place when the block succeeds.

    Whatever happens, `path` is the old file or the new one. With `durable`, the new one is on disk
    when the block has ended. A process that is killed meanwhile leaves its unfinished file, whose
    name ends in ``.part``. A symbolic link is kept, and its target is replaced.
    """
    path = path.resolve()
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if path.exists():
            os.chmod(part, path.stat().st_mode & 0o777)
        os.replace(part, path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is not None:
            error.filename, error.filename2 = str(path), None  # not the temporary file
        raise
    if durable and os.name == "posix":
        _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Make sure that a rename is on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
