"""Published results as data, and a runner that re-simulates and compares them.

One module per source, with a list of its cells; `SOURCES` names them all.
"""

from collections.abc import Sequence

from lowbid.validation import episodes, five_tests, sda_paper
from lowbid.validation._cell import Cell, Comparison, Published
from lowbid.validation._compare import compare
from lowbid.validation._episode_figure import EpisodeFigure

SOURCES: dict[str, Sequence[Published]] = {
    "five-tests": five_tests.CELLS,
    "sda-paper": sda_paper.CELLS,
    "episodes": episodes.CELLS,
}

__all__ = ["SOURCES", "Cell", "Comparison", "EpisodeFigure", "Published", "compare"]
