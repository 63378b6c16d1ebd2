"""Policies whose indices are drawn anew at each step, beside naive draws from the same stream."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import lowbid
from lowbid._kernel import interpreted
from lowbid.policies import giro, phe
from lowbid.policies._dirichlet import weighted_mean
from naive import resampling
from replay import lowest_arms

RULES = {
    "NPTS": (lowbid.NPTS(), resampling.npts),
    "NPTS, best": (
        lowbid.NPTS(best=-2.0),
        lambda losses, stream: resampling.npts(losses, stream, -2.0),
    ),
    "PHE": (lowbid.PHE(a=1.1), lambda losses, stream: resampling.phe(losses, stream, 1.1)),
    "ReBoot": (
        lowbid.ReBoot(sd=0.5, inflation=1.5),
        lambda losses, stream: resampling.reboot(losses, stream, 0.5, 1.5),
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_follows_the_naive_index(name):
    policy, indices = RULES[name]
    rng = np.random.default_rng(0)
    bandit = lowbid.Bandit(4, policy, seed=3)
    losses = [[] for _ in range(4)]
    for arm in range(3):  # three values, so that no short-cut for two is taken
        bandit.update(arm, loss=(arm + 1) / 7)
        losses[arm].append((arm + 1) / 7)
    for _ in range(300):
        stream = bandit.stream.copy()
        arm = bandit.select()
        assert arm in lowest_arms(indices(losses, stream))
        losses[arm].append(rng.beta(1 + arm, 2))
        bandit.update(arm, loss=losses[arm][-1])


@pytest.mark.parametrize("policy", [lowbid.GIRO(), lowbid.PHE(), lowbid.ReBoot()])
def test_arms_not_yet_played_come_first(policy):
    bandit = lowbid.Bandit(20, policy, seed=0)
    played = []
    for _ in range(20):
        played.append(bandit.select())
        bandit.update(played[-1], loss=0.0)
    assert sorted(played) == list(range(20))


@pytest.mark.parametrize("a", [0.1, 0.3, 0.7, 1.1, 2.1, 2.5])
def test_phe_flips_no_coin_more_for_rounding(a, monkeypatch):
    """1.1 * 50 is 55.00000000000001 in floating point, and 55 coins are meant."""
    flipped = []
    policy = lowbid.PHE(a=a)
    for count in range(1, 400):
        parameters, state = policy.start(1)
        state.counts[0] = count
        monkeypatch.setitem(
            phe.select.function.__globals__, "binomial", lambda _, n, p: flipped.append(n) or 0
        )
        with interpreted():
            policy.kernels.select(parameters, state, count + 1, np.zeros(1, np.uint64))
    assert flipped == [math.ceil(Fraction(str(a)) * count) for count in range(1, 400)]


def state_after(policy, losses):
    parameters, state = policy.start(1, capacity=len(losses))
    stream = np.array([11], np.uint64)
    for step, loss in enumerate(losses, start=1):
        policy.kernels.update(parameters, state, 0, loss, step, stream)
    return parameters, state, stream


@pytest.mark.parametrize(("ones", "zeros"), [(3, 5), (1, 40), (60, 1)])
def test_npts_of_coins_is_a_beta_number(ones, zeros):
    _, state, stream = state_after(lowbid.NPTS(), [1.0] * ones + [0.0] * zeros)
    draws = [weighted_mean(state.history, state.values, 0, 0.0, stream) for _ in range(4000)]
    assert stats.kstest(draws, stats.beta(ones, zeros + 1).cdf).pvalue > 1e-3


@pytest.mark.parametrize("a", [1.0, 0.3])
@pytest.mark.parametrize("losses", [[0.0, 1.0, 1.0, 0.0, 0.0], [0.2, 0.9, 0.4, 0.2, 0.5, 0.1, 0.7]])
def test_giro_draws_from_real_and_made_up_losses(a, losses):
    """Mean and variance of the bootstrap, by the law of total variance over the rounding of a n."""
    policy = lowbid.GIRO(a=a)
    parameters, state, stream = state_after(policy, losses)
    draws = np.array([giro.bootstrap_mean(parameters, state, 0, stream) for _ in range(5000)])
    made_up = a * len(losses)
    means, variances, chances = [], [], []
    for pseudo in {math.floor(made_up), math.ceil(made_up)}:
        values = losses + [0.0] * pseudo + [1.0] * pseudo
        means.append(np.mean(values))
        variances.append(np.var(values) / len(values))
        chances.append(1 - abs(made_up - pseudo))
    mean = np.average(means, weights=chances)
    variance = np.average(variances + (np.array(means) - mean) ** 2, weights=chances)
    assert abs(draws.mean() - mean) < 4 * math.sqrt(variance / len(draws))
    squares = (draws - mean) ** 2
    assert abs(squares.mean() - variance) < 4 * squares.std() / math.sqrt(len(draws))


def test_plays_on_through_long_constant_histories():
    for loss in (0.0, 0.3, 1.0):
        for policy in (lowbid.NPTS(), lowbid.BDS(), lowbid.RDS(), lowbid.GIRO(), lowbid.PHE()):
            bandit = lowbid.Bandit(3, policy, seed=0)
            for _ in range(400):
                bandit.update(bandit.select(), loss=loss)
            assert bandit.step == 401
