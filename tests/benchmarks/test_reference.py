"""The reference program still gives the figures that are shipped."""

import csv
import math
import shutil

import pytest

from benchmarks.reference.__main__ import PLAYED, TABLE, compiled, played
from lowbid.validation.five_tests import CELLS

with TABLE.open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))


def test_every_figure_is_shipped():
    wanted = [(rule, str(test), str(steps)) for rule, tests, steps, _ in PLAYED for test in tests]
    assert [(row["rule"], row["test"], row["horizon"]) for row in ROWS] == wanted
    assert len(CELLS) == len(ROWS)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_the_program_gives_them_again(tmp_path):
    """One figure of each kind, with other random numbers."""
    program = compiled(tmp_path)
    for rule in ("ucb1", "ucb-v", "rb-sda", "thompson", "batch-3", "batch-log-0.3-append"):
        row = next(row for row in ROWS if row["rule"] == rule and row["test"] == "2")
        mean, error = played(program, rule, 2, 2000, runs=200, seed=2)
        allowed = 4.0 * math.hypot(error, float(row["error"]))
        assert abs(mean - float(row["regret"])) < allowed, rule
