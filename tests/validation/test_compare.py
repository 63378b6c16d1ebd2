import pytest

from lowbid.validation import SOURCES, Cell, compare

# Quick, and not one in which a few bad runs make the mean.
QUICK = [
    cell
    for cell in SOURCES["five-tests"]
    if cell.problem.startswith(("test 1,", "test 2,")) and cell.horizon == 2000
]


def label(cell: Cell) -> str:
    return f"{cell.problem} {cell.label}"


@pytest.mark.parametrize("cell", QUICK, ids=label)
def test_figures_agree(cell):
    (comparison,) = compare([cell], runs=400, seed=1, progress=False)
    assert comparison.agrees, str(comparison)
