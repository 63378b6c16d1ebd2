"""What holds of all arms that change: the law of losses, dynamic regret, threads and processes."""

import numpy as np
import pytest

import lowbid
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from lowbid.simulation import loss_of

WALK = lowbid.Drifting(lowbid.Bernoulli([0.3, 0.5, 0.7]), lowbid.RandomWalk(sd=0.02))
SWITCHES = lowbid.Switching(
    [lowbid.Bernoulli([0.2, 0.5, 0.8]), lowbid.Bernoulli([0.8, 0.5, 0.2])], chance=0.02
)
SEED, HORIZON = 4, 250


def online(environment, policy):
    """The dynamic regret of run 0, computed from the means at each step."""
    run = 0
    bandit = lowbid.Bandit(environment.n_arms, policy, seed=SEED, horizon=HORIZON)
    means = environment.means_at(np.arange(1, HORIZON + 1), SEED, run)
    counts, total = [0] * environment.n_arms, 0.0
    for step in range(1, HORIZON + 1):
        arm = bandit.select()
        table = environment.table_at(step, SEED, run)
        bandit.update(arm, loss=loss_of(environment, table, SEED, run, arm, counts[arm]))
        counts[arm] += 1
        total += means[step - 1, arm] - means[step - 1].min()
    return total, counts


@pytest.mark.parametrize("environment", [WALK, SWITCHES], ids=["drifting", "switching"])
def test_the_simulation_counts_regret_against_the_best_arm_at_each_step(environment):
    with interpreted():
        result = lowbid.simulate(lowbid.UCB1(), environment, HORIZON, runs=1, seed=SEED)
        regret, counts = online(environment, lowbid.UCB1())
    assert result.regret[0, 0, -1] == pytest.approx(regret, rel=1e-12)
    assert result.pulls[0, 0].tolist() == counts
    assert result.measure == result.summary().measure == "dynamic regret"
    assert result.provenance["regret"] == "dynamic regret"
    assert str(result.summary()).startswith("dynamic regret\n")


@pytest.mark.parametrize("environment", [WALK, SWITCHES], ids=["drifting", "switching"])
def test_neither_compiling_nor_workers_nor_other_runs_matter(environment):
    policy = lowbid.UCB1()
    one = lowbid.simulate(policy, environment, HORIZON, runs=9, seed=SEED, workers=1)
    two = lowbid.simulate(policy, environment, HORIZON, runs=14, seed=SEED, workers=2)
    with interpreted():
        plain = lowbid.simulate(policy, environment, HORIZON, runs=2, seed=SEED)
    assert np.array_equal(one.regret, two.regret[:, :9])
    assert np.array_equal(one.regret[:, :2], plain.regret)
    late = lowbid.simulate(policy, environment, HORIZON, runs=2, seed=SEED, delay=3)
    with interpreted():
        plain = lowbid.simulate(policy, environment, HORIZON, runs=2, seed=SEED, delay=3)
    assert np.array_equal(late.regret, plain.regret)


def test_arms_that_happen_not_to_change_are_arms_that_stay_bit_for_bit():
    arms = lowbid.Bernoulli([0.2, 0.5])
    changing = [
        lowbid.Switching([arms, arms], after=[50, 90]),
        lowbid.Drifting(arms, lowbid.GivenMeans([[0.2, 0.5]])),
    ]
    with interpreted():
        stay = lowbid.simulate(lowbid.BatchEnsemble(), arms, 150, runs=3, seed=1)
        for each in changing:
            result = lowbid.simulate(lowbid.BatchEnsemble(), each, 150, runs=3, seed=1)
            assert np.array_equal(result.regret, stay.regret)
            assert np.array_equal(result.pulls, stay.pulls)
    assert stay.measure == "regret"
    assert "regret" not in stay.provenance


def test_a_plain_policy_faces_the_same_arms():
    class Turns(lowbid.Policy):
        def init(self, n_arms, capacity):
            return (np.zeros(1),)

        def select(self, state, step, stream):
            return step % 3

        def update(self, state, arm, loss, step, stream):
            state[0][0] += loss

    result = lowbid.simulate({"turns": Turns()}, WALK, 30, runs=1, seed=SEED)
    means = WALK.means_at(np.arange(1, 31), SEED)
    gaps = means - means.min(axis=1, keepdims=True)
    expected = sum(gaps[step - 1, step % 3] for step in range(1, 31))
    assert result.regret[0, 0, -1] == pytest.approx(expected)


@pytest.mark.parametrize("steps", [[0], [2, 2], [1.5], [], "1", [10**12]])
def test_refuses_steps_that_are_none(steps):
    with pytest.raises(InvalidValueError, match="steps"):
        WALK.means_at(steps)


def test_bounds_are_refused_in_words():
    with pytest.raises(InvalidValueError, match="arms that change"):
        lowbid.theory.curves_for(SWITCHES, 100, [10, 100])
