"""A sweep's part of a folder, named like its file: `FOLDER/NAME/`."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

from lowbid._replace_file import replace_file
from lowbid.errors import FileFormatError
from lowbid.experiments.sweeps._store import alone
from lowbid.experiments.sweeps._sweep import Sweep
from lowbid.experiments.sweeps._sweep_file import read_sweep

# Says which file a part belongs to.
_SOURCE = "source.txt"


def part_of(sweep: Sweep, folder: Path) -> Path:
    """The part of a folder that belongs to a sweep's file.

    It is named like the file. If another file of the same name already has that part, and still
    exists, a digest of the path follows.
    """
    part = folder / sweep.name
    if not sweep.source:
        return part
    with alone(folder):
        if _owner(part) not in ("", sweep.source):
            digest = hashlib.blake2b(sweep.source.encode(), digest_size=4).hexdigest()
            part = folder / f"{sweep.name}-{digest}"
        part.mkdir(parents=True, exist_ok=True)
        write(part / _SOURCE, sweep.source)
    return part


def sweeps_in(folder: Path) -> list[Sweep]:
    """The sweeps that were begun in a folder, or an error that says what to give."""
    found = sorted(folder.glob("*/sweep.toml"))
    if not found:
        raise FileFormatError(
            f"{folder} holds no sweep; give a folder that `lowbid sweep FILE --out FOLDER` wrote."
        )
    return [
        dataclasses.replace(read_sweep(path), name=path.parent.name, source=_source(path.parent))
        for path in found
    ]


def write(path: Path, text: str) -> None:
    """Write a text to a file, completely or not at all."""
    with replace_file(path) as file:
        file.write(text.encode())


def _owner(part: Path) -> str:
    """The file that a part belongs to; none if there is no such file any more."""
    source = _source(part)
    return source if Path(source).is_file() else ""


def _source(part: Path) -> str:
    try:
        return (part / _SOURCE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
