"""Simulate what was published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lowbid.simulation import simulate
from lowbid.validation._cell import Cell, Comparison


def compare(
    cells: Iterable[Cell], runs: int = 2000, seed: int = 0, progress: bool | None = None
) -> Iterator[Comparison]:
    """Simulate each cell, and set our mean regret beside the published one.

    Parameters
    ----------
    cells : iterable of Cell
        The published figures; see `SOURCES`.
    runs : int
        The number of runs for each.
    seed : int
        0 or larger.
    progress : bool, optional
        Show a progress bar for each cell; by default on a terminal.

    Yields
    ------
    Comparison
        One for each cell, in order.

    Examples
    --------
    >>> from lowbid.validation import SOURCES, compare
    >>> cell = SOURCES["five-tests"][0]
    >>> for comparison in compare([cell], runs=200):
    ...     print(cell.policy.name, cell.regret, comparison.agrees)
    UCB1 127.0 True
    """
    for cell in cells:
        result = simulate(
            cell.policy,
            cell.arms,
            cell.horizon,
            runs,
            seed,
            checkpoints=[cell.horizon],
            progress=progress,
        )
        regret = result.regret[0, :, -1]
        yield Comparison(cell, float(regret.mean()), float(regret.std(ddof=1)), runs)
