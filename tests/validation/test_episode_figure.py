import dataclasses

import numpy as np

from lowbid.validation import SOURCES, Comparison, EpisodeFigure, compare
from lowbid.validation.episodes import found_treasure

FIGURE = EpisodeFigure(
    "a paper", "a chain", "a rule", 100, 10.0, lambda runs, seed: np.arange(runs) + 8.0, error=0.5
)


def test_runs_are_as_many_as_are_needed():
    few = dataclasses.replace(FIGURE, most_runs=5)
    (found,) = compare([few], runs=2000, progress=False)
    assert (found.runs, found.regret) == (5, 10.0)


def test_a_figure_agrees_within_errors_or_within_its_tolerance():
    assert Comparison(FIGURE, regret=12.0, sd=5.0, runs=100).agrees
    assert not Comparison(FIGURE, regret=13.0, sd=5.0, runs=100).agrees
    loose = dataclasses.replace(FIGURE, tolerance=4.0)
    assert Comparison(loose, regret=13.0, sd=5.0, runs=100).agrees


def test_a_bound_may_be_undercut_but_not_exceeded():
    bound = dataclasses.replace(FIGURE, at_most=True)
    assert Comparison(bound, regret=2.0, sd=0.1, runs=100).agrees
    assert not Comparison(bound, regret=13.0, sd=5.0, runs=100).agrees


def test_exact_figures_agree_with_themselves_alone():
    sure = dataclasses.replace(FIGURE, regret=0.0, error=0.0)
    assert Comparison(sure, regret=0.0, sd=0.0, runs=5).agrees
    assert not Comparison(sure, regret=0.2, sd=0.0, runs=5).agrees


def test_shares_have_digits_enough(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    share = dataclasses.replace(FIGURE, regret=0.954, error=0.0)
    assert "0.959     0.954" in str(Comparison(share, regret=0.959, sd=0.05, runs=100))


def test_bidding_finds_the_treasure():
    from lowbid import mdp

    assert found_treasure(mdp.BatchEnsembleValueIteration(), runs=2, seed=0).tolist() == [1.0, 1.0]


def test_figures_of_river_swim_agree():
    cells = [cell for cell in SOURCES["episodes"] if "RiverSwim" in cell.problem]
    for comparison in compare(cells, runs=40, progress=False):
        assert comparison.agrees, str(comparison)
