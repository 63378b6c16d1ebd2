"""Where the runs of cells are kept: one file per cell, named by its digest, and one index.

A cell's file is a result of one policy (`lowbid.Result.load` reads it) with the runs 0, 1, 2, ...
so far, so that more runs can be added. It is replaced whole or not at all, and carries checksums:
what is cut short or changed is noticed, and played again.

The index gets one line whenever a file is written, with a checksum of the file and the figures that
tables need: as long as the file has that checksum, it need not be taken apart. Each line has a
checksum of its own. The index can be lost or damaged without harm: it is made again from the files.
Several processes may write at once: lines are appended whole, and `alone` lets one at a time add
runs to a file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lowbid.errors import FileFormatError
from lowbid.experiments._claim_folder import waited_for
from lowbid.experiments.sweeps._cell import Cell
from lowbid.experiments.sweeps._figures_of_cell import Figures, figures_of
from lowbid.simulation import Result

_CELLS = "cells"
# Every line of the index ends with a checksum of what comes before.
_LINE_END = ',"line":"{:08x}"}}'
_LINE_END_LENGTH = len(_LINE_END.format(0))


def alone(folder: Path) -> contextlib.AbstractContextManager[None]:
    """Keep others from saving: what was read in the block is what is replaced in it."""
    return waited_for(folder / _CELLS)


class Window(NamedTuple):
    """The runs behind the figures: from `first` up to, but not including, `last`."""

    first: int
    last: int


class Entry(NamedTuple):
    """The entry of a cell's file in the index.

    Attributes
    ----------
    runs : int
        The number of runs in the file.
    checksum : str
        A checksum of the whole file.
    seconds : float
        How long playing them took, added up over workers.
    window : Window
        The runs that the figures are made from.
    figures : dict
        The figures shown in tables, by step.
    """

    runs: int
    checksum: str
    seconds: float
    window: Window
    figures: dict[int, Figures]


class CellStore:
    """The cells of a folder.

    Attributes
    ----------
    damaged : list of Path
        Files that could not be read and are treated as missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index_file = folder / "index.jsonl"
        self.damaged: list[Path] = []
        self._entries = dict(self._read_index())

    def path(self, cell: Cell) -> Path:
        """The file of a cell."""
        return self.folder / _CELLS / cell.digest[:2] / f"{cell.digest}.npz"

    def runs(self, cell: Cell) -> int:
        """The number of runs of a cell that are on file and intact."""
        entry = self._current(cell)
        if entry is not None:
            return entry.runs
        result = self.result(cell)
        return 0 if result is None else result.regret.shape[1]

    def seconds(self, cell: Cell) -> float:
        """How long it took to play its runs, if known."""
        entry = self._entries.get(cell.digest)
        return 0.0 if entry is None else entry.seconds

    def result(self, cell: Cell) -> Result | None:
        """The runs on file, if the file exists, is intact and belongs to this cell."""
        path = self.path(cell)
        if not path.is_file():
            return None
        try:
            result = Result.load(path)
        except (FileFormatError, OSError):
            result = None
        if result is None or not _is_of(cell, result):
            if path not in self.damaged:
                self.damaged.append(path)
            return None
        return result

    def save(self, cell: Cell, result: Result, seconds: float, window: Window) -> Entry:
        """Save the runs of a cell, replacing those on file, and update the index."""
        path = self.path(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        result.save(path)
        return self._note(cell, result, seconds, window)

    def figures(self, cell: Cell, window: Window) -> dict[int, Figures] | None:
        """The figures of some runs of a cell, by step; None if they are not on file."""
        entry = self._current(cell)
        if entry is not None and (entry.runs < window.last or window.last <= window.first):
            return None
        if entry is not None and entry.window == window and set(cell.record) <= set(entry.figures):
            return {step: entry.figures[step] for step in cell.record}
        result = self.result(cell)
        if result is None or result.regret.shape[1] < window.last:
            return None
        return self._note(cell, result, self.seconds(cell), window).figures

    def _current(self, cell: Cell) -> Entry | None:
        """The entry of a cell in the index, if every bit of its file is as it was then."""
        entry = self._entries.get(cell.digest)
        if entry is None:
            return None
        try:
            return entry if _checksum(self.path(cell)) == entry.checksum else None
        except OSError:
            return None

    def _note(self, cell: Cell, result: Result, seconds: float, window: Window) -> Entry:
        entry = Entry(
            result.regret.shape[1],
            _checksum(self.path(cell)),
            seconds,
            window,
            figures_of(cell, result, window.first, window.last),
        )
        self._entries[cell.digest] = entry
        line = _line(cell.digest, entry)
        # One write, so that lines of two processes do not get mixed up. It first ends any line that
        # was cut short by a power loss.
        with open(self.index_file, "ab", buffering=0) as file:
            file.write(f"\n{line}\n".encode())
        return entry

    def _read_index(self) -> list[tuple[str, Entry]]:
        try:
            lines = self.index_file.read_bytes().splitlines()
        except OSError:
            return []
        return [found for line in lines if line and (found := _entry(line)) is not None]


def _is_of(cell: Cell, result: Result) -> bool:
    return (
        result.provenance.get("cell") == cell.digest
        and result.regret.shape[0] == 1
        and np.array_equal(result.checkpoints, cell.checkpoints)
        and bool(np.isfinite(result.regret).all())
    )


def _checksum(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


def _line(digest: str, entry: Entry) -> str:
    """A line of the index."""
    figures = {step: list(values) for step, values in entry.figures.items()}
    contents = {"cell": digest, **entry._asdict(), "figures": figures}
    text = json.dumps(contents, separators=(",", ":"))
    return text[:-1] + _LINE_END.format(zlib.crc32(text.encode()))


def _entry(line: bytes) -> tuple[str, Entry] | None:
    """A line of the index, or nothing if it is damaged."""
    text = line[:-_LINE_END_LENGTH] + b"}"
    if line[-_LINE_END_LENGTH:] != _LINE_END.format(zlib.crc32(text)).encode():
        return None
    try:
        found = json.loads(text)
        figures = {int(step): Figures(*values) for step, values in found["figures"].items()}
        window, seconds = Window(*map(int, found["window"])), float(found["seconds"])
        entry = Entry(int(found["runs"]), str(found["checksum"]), seconds, window, figures)
        return str(found["cell"]), entry
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
