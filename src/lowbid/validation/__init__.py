"""Published figures as data, and a runner that simulates them and compares.

One module for each source, with a list of its cells; `SOURCES` names them all.
"""

from lowbid.validation import five_tests, sda_paper
from lowbid.validation._cell import Cell, Comparison
from lowbid.validation._compare import compare

SOURCES = {"five-tests": five_tests.CELLS, "sda-paper": sda_paper.CELLS}

__all__ = ["SOURCES", "Cell", "Comparison", "compare"]
