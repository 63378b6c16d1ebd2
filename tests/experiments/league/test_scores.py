import math

import numpy as np
import pytest

from lowbid.experiments.league import SETTINGS, scores, summary
from lowbid.experiments.league._league_page import long_players
from lowbid.experiments.league._scores import outlier, regrets, stuck
from lowbid.report import plain
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
    assert first.mean == pytest.approx(math.sqrt(2.0))
    assert second.mean == pytest.approx(math.sqrt(8.0))
    assert second.worst == pytest.approx(8.0)
    assert second.worst_at[0] == "gaussian"
    assert first.cells == 6  # two settings at 1,000, 10,000 and 100,000 steps


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
    assert stuck({("gaussian", "a", 100_000): outcome(ends)}, "a") == 0.5
    assert math.isnan(stuck({("paper-3", "a", 100_000): outcome(ends)}, "a"))


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
    assert second.mean == pytest.approx(2.0)
    text = summary(outcomes, plain)
    assert text.index("All settings") < text.index("All entrants, up to 10,000 steps")
