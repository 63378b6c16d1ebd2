"""What a sweep leaves for its readers: a table, a ranking, figures and a page."""

from __future__ import annotations

from pathlib import Path

from lowbid.experiments.sweeps._play_sweep import read_table
from lowbid.experiments.sweeps._store import CellStore
from lowbid.experiments.sweeps._sweep import Sweep


def write_up(sweep: Sweep, folder: Path, command: str) -> str:
    """Write everything that can be made of what is on file; the answer is the ranking as a text."""
    table, cells = read_table(sweep, CellStore(folder)), sweep.cells
    table.to_csv(folder / sweep.name / "table.csv")
    finished = len({(row.policy, row.place.environment, row.horizon, row.cell) for row in table})
    return f"{sweep.title}: {finished:,} of {len(cells):,} cells are finished"
