"""Machine code on disk, so that a kernel is compiled once on a machine.

It lies in the folder that LOWBID_CACHE_DIR names, else in the user's cache folder, readable by that
user only. Whoever can write there can run code as that user, as with any program in a folder that
others can write to; so a folder or a file is used only if it belongs to this user (or to root) and
nobody else can write to it. A checksum finds damage and files that were swapped. It is not a
signature: it does not stop somebody who can write to the folder.

If no folder can be used, this costs only time. Files that were not used for 90 days are removed,
and the ones unused for longest if all of them together exceed 256 MB.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import stat
import sys
import time
from pathlib import Path

from lowbid._replace_file import replace_file

_CHECK = 16  # bytes before the code: a checksum of its name and of the code
_OLDEST = 90 * 86_400  # seconds
_LARGEST = 256 << 20  # bytes
_TOUCHED = 86_400  # a file's time of use is written at most this often, in seconds


_reported: set[Path] = set()  # folders that were said not to be used


def name_of(*parts: str) -> str:
    """The name of the file for code that depends on these parts and on this compiler."""
    text = "\n".join([*parts, _generation()])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@functools.cache
def _generation() -> str:
    """A fingerprint of this compiler: code of older versions on disk is not used."""
    texts = []
    with contextlib.suppress(OSError):  # only bytecode may be installed
        texts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.blake2b(b"".join(texts), digest_size=8).hexdigest()


def cache_folder() -> Path:
    """Where code is stored."""
    given = os.environ.get("LOWBID_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if base.startswith("~"):  # this user has no home, as in some containers: nothing is stored
        base = os.devnull
    return Path(base) / "lowbid"


def load(name: str) -> bytes | None:
    """The code stored under a name, or None."""
    path = cache_folder() / f"{name}.o"
    with contextlib.suppress(OSError):
        if not _is_private(path.parent):
            return None
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if not _is_ours(status):
                return None
            stored = file.read()
        if time.time() - status.st_mtime > _TOUCHED:
            os.utime(path)
        if stored[:_CHECK] == _check(name, stored[_CHECK:]):
            return stored[_CHECK:]
    return None


def save(name: str, code: bytes) -> bool:
    """Store code under a name, and return whether that was possible."""
    path = cache_folder() / f"{name}.o"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(path.parent):
            return False
        with replace_file(path) as file:
            os.chmod(file.name, 0o600)
            file.write(_check(name, code) + code)
        prune(path.parent)
    except OSError:
        return False
    return True


def can_store() -> bool:
    """Whether code can be stored."""
    name = name_of("whether code can be stored")
    stored = save(name, b"")
    with contextlib.suppress(OSError):
        (cache_folder() / f"{name}.o").unlink()
    return stored


def prune(where: Path) -> None:
    """Remove code that was not used for long, and the oldest if there is too much."""
    files = []
    for path in [*where.glob("*.o"), *where.glob(".*.part")]:
        with contextlib.suppress(OSError):  # another process may be doing the same
            status = path.stat()
            files.append((status.st_mtime, status.st_size, path))
    total, now = 0, time.time()
    for changed, size, path in sorted(files, reverse=True):
        total += size
        old = _TOUCHED if path.suffix == ".part" else _OLDEST
        if now - changed > old or total > _LARGEST:
            with contextlib.suppress(OSError):
                path.unlink()


def _is_private(folder: Path) -> bool:
    """Whether nobody but this user, and root, can put a file into a folder."""
    private = _is_ours(folder.stat())
    if not private and folder not in _reported:
        _reported.add(folder)
        logging.getLogger("lowbid").warning(
            "compiled code is not stored: other users can write to %s. Set LOWBID_CACHE_DIR to a "
            "folder of your own, or: chmod go-w %s",
            folder,
            folder,
        )
    return private


def _is_ours(status: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    others = stat.S_IWGRP | stat.S_IWOTH
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & others


def _check(name: str, code: bytes) -> bytes:
    return hashlib.blake2b(name.encode() + code, digest_size=_CHECK).digest()
