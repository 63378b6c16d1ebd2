"""Machine code on disk, so that a loop is compiled once.

It is stored where numba stores its own: in the folder that NUMBA_CACHE_DIR names, else beside the
package, else in the user's cache folder. If a folder is missing, full or not writable, this costs
only time.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
from pathlib import Path

from lowbid._replace_file import replace_file

_CHECK = 16  # bytes before the code: a checksum of its name and of the code


def name_of(*parts: str) -> str:
    """The name of the file for code that depends on these parts and on this compiler."""
    text = "\n".join([*parts, _generation()])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@functools.cache
def _generation() -> str:
    """A fingerprint of this compiler: code of older versions on disk is not used."""
    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.blake2b(b"".join(texts), digest_size=8).hexdigest()


def load(name: str) -> bytes | None:
    """The code stored under a name, or None."""
    for folder in _folders():
        with contextlib.suppress(OSError):
            kept = (folder / f"loop-{name}.o").read_bytes()
            if kept[:_CHECK] == _check(name, kept[_CHECK:]):
                return kept[_CHECK:]
    return None


def save(name: str, code: bytes) -> None:
    """Store code under a name, if some folder is writable."""
    for folder in _folders():
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with replace_file(folder / f"loop-{name}.o") as file:
                file.write(_check(name, code) + code)
            return


def _check(name: str, code: bytes) -> bytes:
    return hashlib.blake2b(name.encode() + code, digest_size=_CHECK).digest()


def _folders() -> list[Path]:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [Path(given) / "lowbid"]
    beside = Path(__file__).parent / "__pycache__"
    folder = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    if not folder:
        folder = os.path.join(os.path.expanduser("~"), ".cache")
    return [beside, Path(folder) / "lowbid"]
