import math

import numpy as np
import pytest

from lowbid.experiments.league import SETTINGS, scores, summary, told_summary
from lowbid.experiments.league._league_page import long_players
from lowbid.experiments.league._scores import cells_of, growth, outlier, regrets, stuck
from lowbid.experiments.league._told_page import FACT_TITLES, told_blocks
from lowbid.experiments.sweeps._told import FACTS
from lowbid.report import Heading, Table, plain
from lowbid.simulation import Result

STEPS = np.array([1_000, 10_000, 20_000, 90_000, 100_000])


def outcome(final, runs=4, steps=STEPS):
    """A result whose regret grows evenly to what each run ends with."""
    ends = np.broadcast_to(np.asarray(final, float), (runs,))
    regret = ends[None, :, None] * (steps / steps[-1])
    return Result(("x",), steps, regret, np.zeros((1, runs, 5), np.int64), {})


def test_a_score_is_the_geometric_mean_of_ratios_to_the_best():
    outcomes = {
        ("orders", "a", 100_000): outcome(100.0),
        ("orders", "b", 100_000): outcome(200.0),
        ("gaussian", "a", 100_000): outcome(80.0),
        ("gaussian", "b", 100_000): outcome(10.0),
    }
    first, second = scores(outcomes)
    assert (first.name, second.name) == ("b", "a")
    assert first.mean.value == pytest.approx(math.sqrt(2.0))
    assert second.mean.value == pytest.approx(math.sqrt(8.0))
    assert second.worst.value == pytest.approx(8.0)
    assert second.worst_at[0] == "gaussian"
    assert first.cells == 6  # two settings at 1,000, 10,000 and 100,000 steps


def test_intervals_come_from_drawing_the_settings_again(monkeypatch):
    """Ratios of 4 in two settings, and 1 in two others: the mean of four draws has five values.

    It is 2^k for the k draws of 4 out of four, halved; k = 0 or 4 with a chance of 1/16 each.
    """
    ends = {"orders": 400.0, "gaussian": 400.0, "widths": 100.0, "conversions-50": 100.0}
    outcomes = {(key, "a", 100_000): outcome(end) for key, end in ends.items()}
    outcomes |= {(key, "best", 100_000): outcome(100.0) for key in ends}
    a = next(score for score in scores(outcomes) if score.name == "a")
    assert a.mean == pytest.approx((2.0, 1.0, 4.0))
    assert a.worst == pytest.approx((4.0, 1.0, 4.0))
    monkeypatch.setenv("COLUMNS", "200")
    text = summary(outcomes, plain)
    assert "2.00 [1.00, 4.00]" in text
    assert "4.00 [1.00, 4.00]" in text


def test_shares_of_stuck_runs_have_an_interval_over_settings(monkeypatch):
    """Stuck everywhere in one setting, never in the other: both, either or neither are drawn."""
    outcomes = {
        ("gaussian", "a", 100_000): outcome(20_000.0),
        ("widths", "a", 100_000): outcome(1.0),
    }
    assert stuck(outcomes, "a", ["gaussian", "widths"]) == (0.5, 0.0, 1.0)
    monkeypatch.setenv("COLUMNS", "200")
    assert "50.0% [0.0%, 100.0%]" in summary(outcomes, plain)


def test_only_settings_of_the_role_count():
    outcomes = {
        ("orders", "a", 100_000): outcome(100.0),
        ("orders", "b", 100_000): outcome(200.0),
        ("tiny", "a", 100_000): outcome(30.0),
        ("tiny", "b", 100_000): outcome(10.0),
    }
    assert [score.name for score in scores(outcomes, "choosing")] == ["a", "b"]
    assert [score.name for score in scores(outcomes, "judging")] == ["b", "a"]


def test_each_cell_comes_from_the_most_runs():
    long = np.array([1_000, 10_000, 20_000, 100_000, 900_000, 1_000_000])
    outcomes = {
        ("orders", "a", 100_000): outcome(100.0, runs=8),
        ("orders", "a", 1_000_000): outcome(9_000.0, runs=2, steps=long),
    }
    table = regrets(outcomes)
    assert table["orders", 100_000] == {"a": 100.0}
    assert table["orders", 1_000_000] == {"a": 9_000.0}


def test_settings_are_in_the_order_of_the_file_whichever_was_played_first():
    outcomes = {(key, "a", 100_000): outcome(1.0) for key in reversed(list(SETTINGS))}
    assert list(dict.fromkeys(key for key, _ in regrets(outcomes))) == list(SETTINGS)


def test_a_run_is_stuck_if_its_last_tenth_loses_nearly_the_smallest_gap():
    """The smallest gap of "gaussian" is 0.2: 2,000 in the last tenth of 100,000 steps."""
    ends = [20_000.0, 18_001.0, 17_999.0, 100.0]
    given = stuck({("gaussian", "a", 100_000): outcome(ends)}, "a", ["gaussian"])
    drawn = stuck({("paper-3", "a", 100_000): outcome(ends)}, "a", ["paper-3"])
    assert given.value == 0.5
    assert math.isnan(drawn.value)


def test_outliers_are_measured_against_the_same_arms_without():
    steps = np.array([1_000, 10_000, 18_000, 20_000])
    outcomes = {
        ("orders", "a", 100_000): outcome(500.0),  # 100 at step 20,000
        ("orders-outlier", "a", 20_000): outcome(300.0, steps=steps),
    }
    assert outlier(outcomes, "a") == pytest.approx(3.0)
    assert math.isnan(outlier(outcomes, "a", "judging"))


def test_every_setting_has_one_best_arm_and_a_role():
    for setting in SETTINGS.values():
        arms = setting.environment
        means = np.sort(arms.means_of(arms.table(0, 1))[0])
        assert means[1] > means[0]
        assert setting.clean in ("", *SETTINGS)
    roles = [setting.group for setting in SETTINGS.values()]
    assert len(roles) >= 25
    assert roles.count("judging") > roles.count("choosing")


def test_short_and_long_players_are_not_scored_together():
    short = STEPS[:2]
    outcomes = {
        ("gaussian", "long", 100_000): outcome(100.0),  # 10 at step 10,000
        ("gaussian", "short", 10_000): outcome(5.0, steps=short),
    }
    assert long_players(outcomes) == ["long"]
    assert [score.name for score in scores(outcomes, names=["long"])] == ["long"]
    first, second = scores(outcomes, longest=10_000)
    assert (first.name, second.name) == ("short", "long")
    assert second.mean.value == pytest.approx(2.0)
    text = summary(outcomes, plain)
    assert text.index("All settings") < text.index("All entrants, up to 10,000 steps")


def test_a_score_at_some_places_is_made_from_these_alone():
    outcomes = {
        ("orders", "BatchLikelihood", 100_000): outcome(100.0),
        ("orders", "b", 100_000): outcome(200.0),
        ("gaussian", "BatchLikelihood", 100_000): outcome(20_000.0),  # stuck
        ("gaussian", "b", 100_000): outcome(100.0),
        ("gaussian", "c", 100_000): outcome(50.0),
    }
    where = cells_of(outcomes, ["c"])
    assert where == {("gaussian", step) for step in (1_000, 10_000, 100_000)}
    there = {score.name: score for score in scores(outcomes, at=where)}
    assert there["b"].mean.value == pytest.approx(2.0)
    assert (there["b"].settings, there["b"].cells) == (1, 3)
    assert there["b"].beside.value == pytest.approx(1 / 200)
    assert there["BatchLikelihood"].stuck.value == 1.0
    everywhere = {score.name: score for score in scores(outcomes)}
    assert everywhere["b"].beside.value == pytest.approx(math.sqrt(2.0 / 200))
    assert everywhere["BatchLikelihood"].stuck.value == 0.5
    assert everywhere["b"].settings == 2
    assert math.isnan(scores({("orders", "b", 100_000): outcome(1.0)})[0].beside.value)


def test_policies_that_are_told_something_stand_beside_the_others_where_it_is_true():
    """A table for each fact, with the settings where somebody was told it."""
    short = STEPS[:2]
    outcomes = {
        ("paper-1", "BatchLikelihood", 100_000): outcome(10.0),
        ("paper-1", "UCB1", 100_000): outcome(40.0),
        ("paper-1", "GIRO", 10_000): outcome(3.0, steps=short),  # 1 for the default
        ("gaussian", "BatchLikelihood", 100_000): outcome(10.0),
        ("gaussian", "ACB", 100_000): outcome(5.0),
    }
    blocks = list(told_blocks(outcomes))
    titles = [block.text for block in blocks if isinstance(block, Heading)]
    told = "Told the range of the losses"
    assert titles == [told, f"{told}; up to 10,000 steps", FACT_TITLES["gaussian"]]
    tables = [block.rows for block in blocks if isinstance(block, Table)]
    assert [row[:3] for row in tables[0]] == [
        ["BatchLikelihood", "1.00", "1.00"],
        ["UCB1", "4.00", "4.00"],
    ]
    assert [row[0] for row in tables[1]] == ["BatchLikelihood", "GIRO", "UCB1"]
    assert [row[:3] for row in tables[2]] == [
        ["ACB", "1.00", "0.500"],
        ["BatchLikelihood", "2.00", "1.00"],
    ]
    text = told_summary(outcomes, plain)
    assert "it is for arms that change" in text
    assert text.index("ACB") < text.index("Not in either league")
    assert set(FACT_TITLES) == set(FACTS)


def test_growth_compares_the_same_runs_a_decade_apart(monkeypatch):
    late = np.array([100_000, 900_000, 1_000_000])
    outcomes = {
        ("gaussian", "a", 100_000): outcome([10.0, 30.0, 500.0, 500.0]),
        ("gaussian", "a", 1_000_000): outcome([60.0, 100.0], runs=2, steps=late),
        ("widths", "a", 100_000): outcome(10.0),
        ("widths", "a", 1_000_000): outcome(10.0, steps=late),
        ("gaussian", "b", 100_000): outcome(10.0),
    }
    assert growth(outcomes, "a", ["gaussian", "widths"]).value == pytest.approx(2.0)  # of 4 and 1
    assert math.isnan(growth(outcomes, "b", ["gaussian"]).value)
    monkeypatch.setenv("COLUMNS", "200")
    doubles = "Regret at least doubles from 100,000 to 1,000,000 steps: a."
    assert doubles in summary(outcomes, plain)
