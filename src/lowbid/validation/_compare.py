"""Re-simulate published results and compare them with ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lowbid._require import require, require_whole
from lowbid.simulation import check_progress
from lowbid.validation._cell import Cell, Comparison, Published
from lowbid.validation._episode_figure import EpisodeFigure


def compare(
    cells: Iterable[Published], runs: int = 2000, seed: int = 0, progress: bool | None = None
) -> Iterator[Comparison]:
    """Simulate each cell, and compare our mean regret with the reference figure.

    Parameters
    ----------
    cells : iterable of Cell
        The published results; see `SOURCES`.
    runs : int
        The number of runs per cell.
    seed : int
        0 or larger.
    progress : bool, optional
        Whether to show a progress bar for each cell; by default only in a terminal.

    Returns
    -------
    iterator of Comparison
        One per cell, in order; each is simulated when it is requested.

    Examples
    --------
    >>> from lowbid.validation import SOURCES, compare
    >>> cell = SOURCES["five-tests"][0]
    >>> for comparison in compare([cell], runs=200):
    ...     print(cell.policy.name, comparison.agrees)
    UCB1 True
    """
    cells = list(cells) if isinstance(cells, Iterable) else [cells]
    for cell in cells:
        require(
            isinstance(cell, Cell | EpisodeFigure),
            f"a cell is {cell!r}; give those of SOURCES, or a Cell.",
        )
    # A single run has no spread for a comparison.
    runs = require_whole("runs", runs, at_least=2)
    require_whole("seed", seed, at_least=0)
    check_progress(progress)
    return (_comparison(cell, runs, seed, progress) for cell in cells)


def _comparison(cell: Published, runs: int, seed: int, progress: bool | None) -> Comparison:
    measured = cell.measured(runs, seed, progress)
    sd = float(measured.std(ddof=1)) if len(measured) > 1 else 0.0
    return Comparison(cell, float(measured.mean()), sd, len(measured))
