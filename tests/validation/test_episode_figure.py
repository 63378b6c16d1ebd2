import dataclasses
from pathlib import Path

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


def test_the_page_shows_the_figures_there_are(monkeypatch):
    """Labels, references and their errors; ours are those of the day on which they were run."""
    monkeypatch.setenv("COLUMNS", "200")
    page = (Path(__file__).parents[2] / "docs" / "validation.md").read_text(encoding="utf-8")
    block = page.split("`lowbid validate episodes`\n\n```\n")[1].split("```")[0].splitlines()
    lines = [str(Comparison(cell, 0.0, 0.0, 1)) for cell in SOURCES["episodes"]]
    place = Comparison.head().index("ours")

    def lasting(line):
        _, reference, _, error, *_ = line[place - 4 :].split()
        return line[: place - 4].strip(), reference, error

    shown = [line for line in block if line.endswith("agrees") or "DISAGREES" in line]
    assert [lasting(line) for line in shown] == [lasting(line) for line in lines]
    sources = list(dict.fromkeys(cell.source for cell in SOURCES["episodes"]))
    assert [line for line in block if line == Comparison.head()] == [Comparison.head()] * len(
        sources
    )
    assert [line.rsplit(": ", 1)[0] for line in block if line.endswith("runs each")] == sources


def test_bidding_finds_the_treasure():
    from lowbid import mdp

    assert found_treasure(mdp.BatchEnsembleValueIteration(), runs=2, seed=0).tolist() == [1.0, 1.0]


def test_figures_of_river_swim_agree():
    cells = [cell for cell in SOURCES["episodes"] if "RiverSwim" in cell.problem]
    for comparison in compare(cells, runs=40, progress=False):
        assert comparison.agrees, str(comparison)
