"""What policies are told about environments is true, and told nowhere else."""

from pathlib import Path

import numpy as np
import pytest

import lowbid
from experiments.sweeps.sweep_examples import written
from lowbid.environments._restated import Restated
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.experiments.sweeps import (
    CellStore,
    SweepTable,
    SweptEnvironment,
    SweptPolicy,
    play_sweep,
    read_sweep,
    read_table,
)
from lowbid.experiments.sweeps._told import FACTS, told_about

STARS = lowbid.Empirical([[0, 1, 4], [0, 2, 2]])
UNEQUAL = lowbid.Gaussian([0.0, 0.5], sd=[1.0, 3.0])
ENVIRONMENTS = {
    "coins": lowbid.Bernoulli([0.1, 0.3]),
    "random coins": lowbid.RandomArms(lowbid.Bernoulli, 3),
    "stars": STARS,
    "gaussian": UNEQUAL,
    "random gaussian": lowbid.RandomArms(lowbid.Gaussian, 3, sd=2.0),
    "exponential": lowbid.ExponentialByMean([1.0, 2.0]),
    "random exponential": lowbid.RandomArms(lowbid.ExponentialByMean, 3),
    "pareto": lowbid.Pareto([1.2, 1.5], shape=3.0),
    "orders": lowbid.Rewards(lowbid.Orders([0.1, 0.2], size=1.0)),
    "wrong": lowbid.Contaminated(lowbid.Bernoulli([0.1, 0.3]), value=1e6, chance=1e-4),
}


@pytest.mark.parametrize(
    ("fact", "policy", "where"),
    [
        ("range", lowbid.UCB1(), {"coins", "random coins", "stars"}),
        ("range", lowbid.BetaThompson(), {"coins", "random coins", "stars"}),
        (
            "lowest",
            lowbid.NPTS(),
            {"coins", "random coins", "stars", "exponential", "random exponential", "pareto"},
        ),
        ("gaussian", lowbid.GaussianThompson(), {"gaussian", "random gaussian"}),
        ("exponential", lowbid.ExponentialThompson(), {"exponential", "random exponential"}),
        ("gap", lowbid.DecreasingEpsilonGreedy(), {"coins", "stars"}),
        ("horizon", lowbid.ExploreThenCommit(), set(ENVIRONMENTS) - {"wrong"}),
    ],
)
def test_a_fact_is_told_where_it_is_true(fact, policy, where):
    found = {
        name
        for name, environment in ENVIRONMENTS.items()
        if told_about(fact, policy, environment) is not None
    }
    assert found == where


def test_policies_of_any_scale_are_told_the_width_and_see_the_losses_as_they_are():
    policy, seen = told_about("range", lowbid.UCB1(), STARS)
    assert policy == lowbid.UCB1(scale=4.0)
    assert seen is STARS
    assert type(policy.scale) is float  # its text is part of a digest


def test_policies_for_losses_up_to_1_see_them_in_that_range():
    """As if the arms had been rescaled by hand, but for the unit of the regret."""
    policy, seen = told_about("range", lowbid.BetaThompson(), STARS)
    by_hand = lowbid.Empirical([[0, 0.25, 1], [0, 0.5, 0.5]])
    ours = lowbid.simulate(policy, seen, horizon=300, runs=8, seed=3)
    theirs = lowbid.simulate(lowbid.BetaThompson(), by_hand, horizon=300, runs=8, seed=3)
    assert (ours.pulls == theirs.pulls).all()
    assert np.allclose(ours.regret, 4.0 * theirs.regret, rtol=1e-12)


def test_losses_are_measured_from_the_smallest_one():
    _, seen = told_about("lowest", lowbid.SemiBoundedIMED(), ENVIRONMENTS["pareto"])
    assert seen.support[0] == 0.0
    assert (seen.means == ENVIRONMENTS["pareto"].means).all()
    _, shifted = told_about("lowest", lowbid.NPTS(best=-2.0), STARS)
    assert shifted.support == (-2.0, 2.0)


def test_the_largest_standard_deviation_is_told():
    policy, seen = told_about("gaussian", lowbid.GaussianThompson(), UNEQUAL)
    assert (policy, seen) == (lowbid.GaussianThompson(sd=3.0), UNEQUAL)
    random, _ = told_about(
        "gaussian", lowbid.KLUCB.gaussian(), lowbid.RandomArms(lowbid.Gaussian, 3, sd=2.0)
    )
    assert random == lowbid.KLUCB.gaussian(sd=2.0)


def test_the_gap_is_told_in_units_of_the_range():
    policy, _ = told_about("gap", lowbid.DecreasingEpsilonGreedy(), STARS)
    assert policy.gap == pytest.approx((5 / 3 - 4 / 3) / 4)
    same = lowbid.Bernoulli([0.2, 0.2])
    assert told_about("gap", lowbid.DecreasingEpsilonGreedy(), same) is None
    with pytest.raises(InvalidValueError, match="UCB1 cannot be told the gap"):
        told_about("gap", lowbid.UCB1(), STARS)


def test_a_swept_policy_keeps_its_name_and_its_place():
    entry = SweptPolicy("UCB", "UCB", lowbid.UCB1(), told="range")
    stars = SweptEnvironment("stars", STARS)
    policy, environment = entry.on(stars)
    assert (policy.name, policy.policy, environment) == ("UCB", lowbid.UCB1(scale=4.0), stars)
    thompson, seen = SweptPolicy("T", "T", lowbid.BetaThompson(), told="range").on(stars)
    assert thompson.policy == lowbid.BetaThompson()
    assert (seen.name, type(seen.environment)) == ("stars", Restated)
    assert entry.on(SweptEnvironment("g", UNEQUAL)) is None


FILE = """
horizon = 50
runs = 4
[[policies]]
policy = "uniform-play"
[[policies]]
policy = "ucb1"
told = "range"
[[environments]]
name = "coins"
family = "bernoulli"
mean = [0.1, 0.3]
[[environments]]
name = "normal"
family = "gaussian"
mean = [0.1, 0.3]
sd = 1.0
"""


def test_a_file_says_what_policies_are_told(tmp_path):
    sweep = read_sweep(written(tmp_path / "a.toml", FILE))
    cells = {(cell.policy.name, cell.environment.name) for cell in sweep.cells}
    assert cells == {("UniformPlay", "coins"), ("UniformPlay", "normal"), ("UCB1", "coins")}


def test_the_table_says_what_policies_were_told(tmp_path):
    sweep = read_sweep(written(tmp_path / "a.toml", FILE))
    assert play_sweep(sweep, tmp_path, say=lambda text: None) == {}
    columns = read_table(sweep, CellStore(tmp_path)).columns()
    told = {(name, told) for name, told in zip(columns["policy"], columns["told"], strict=True)}
    assert told == {("UniformPlay", ""), ("UCB1", "range")}
    assert "told" not in SweepTable([]).columns()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"range"',
            '"rnage"',
            r"a\.toml, line 8: told is 'rnage'; choose one of 'range', 'lowest'",
        ),
        ('"range"', "3", "line 8: told is 3"),
        ('"range"', '"exponential"', "line 8: told is 'exponential', but that is true of no"),
        ('"range"', '"gap"', "line 6: UCB1 cannot be told the gap"),
        ('told = "range"', 'told = "range"\nscale = 2.0', "line 6: .*range of width 1"),
    ],
)
def test_mistakes_are_named(tmp_path, old, new, message):
    with pytest.raises(FileFormatError, match=message):
        read_sweep(written(tmp_path / "a.toml", FILE.replace(old, new)))


def test_every_fact_is_documented():
    page = (Path(__file__).parents[3] / "docs" / "sweeps.md").read_text()
    for fact in FACTS:
        assert f"`{fact}`" in page
