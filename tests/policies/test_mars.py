import math

import numpy as np
import pytest

import lowbid
from lowbid._random import key, stream_of_run
from lowbid.errors import InvalidValueError
from naive.mars import NaiveArm
from replay import lowest_arms


def follow(losses_of, arms: int, subsets: int, horizon: int):
    """Play MARS and its naive twin, which draws from a copy of its stream."""
    bandit = lowbid.Bandit(arms, lowbid.MARS(subsets=subsets), seed=1)
    naive = [NaiveArm(subsets) for _ in range(arms)]
    for step in range(horizon):
        arm = bandit.select()
        assert arm in lowest_arms([a.index for a in naive]), step
        stream = bandit.stream.copy()
        loss = losses_of(arm)
        bandit.update(arm, loss=loss)
        naive[arm].update(loss, stream)
        yield bandit, naive[arm], arm


def index_of(bandit, arm: int) -> float:
    return bandit.state.ranking.indices[arm] + bandit.state.origin[0]


@pytest.mark.parametrize("subsets", [2, 3, 20, 64, 200])
@pytest.mark.parametrize("kind", ["coins", "normal", "constant", "three values"])
def test_index_is_the_lowest_mean_of_all_subsets(subsets, kind):
    rng = np.random.default_rng(subsets)
    draws = {
        "coins": lambda arm: float(rng.random() < 0.2 + 0.2 * arm),
        "normal": lambda arm: rng.normal(arm, 2.0),
        "constant": lambda arm: 0.3,
        "three values": lambda arm: rng.choice([0.0, 0.5, 1.0]),
    }
    for bandit, naive, arm in follow(draws[kind], arms=3, subsets=subsets, horizon=500):
        assert index_of(bandit, arm) == pytest.approx(naive.index, abs=1e-12)


def test_subsets_hold_about_half_of_the_losses():
    bandit = lowbid.Bandit(1, lowbid.MARS(subsets=1000), seed=0)
    for _ in range(128):
        bandit.update(0, loss=1.0)
    counts = bandit.state.counts[0]
    assert abs(counts.mean() - 64) < 4 * math.sqrt(32 / 1000)
    assert counts.var() == pytest.approx(32, rel=4 * math.sqrt(2 / 1000))


def test_index_lies_above_the_mean_once_in_m_times():
    """The exact coverage for symmetric losses, here normal: M - 1 subsets would give 1 / M."""
    subsets, trials, pulls = 20, 4000, 12
    policy = lowbid.MARS(subsets=subsets)
    parameters, state = policy.start(trials)  # each arm is a trial
    stream = stream_of_run(key(7, "coverage"), 0)
    update, _ = policy.kernels.update.bind(parameters, state, 0, 0.0, 1, stream)
    for losses in np.random.default_rng(5).normal(size=(pulls, trials)).tolist():
        for trial, loss in enumerate(losses):
            update(trial, loss, 1)
    above = np.count_nonzero(state.ranking.indices[:trials] + state.origin[0] > 0.0)
    expected = 1 / (subsets + 1)
    error = math.sqrt(expected / trials)
    assert abs(above / trials - expected) < 4 * error


def test_an_index_is_redrawn_only_when_its_arm_is_played():
    bandit = lowbid.Bandit(2, lowbid.MARS(), seed=0)
    for _ in range(30):
        bandit.update(0, loss=0.5)
    before = bandit.state.ranking.indices[0]
    for _ in range(30):
        bandit.update(1, loss=0.7)
    assert bandit.state.ranking.indices[0] == before


def test_refuses_too_few_subsets():
    with pytest.raises(InvalidValueError, match="2 or larger"):
        lowbid.MARS(subsets=1)
