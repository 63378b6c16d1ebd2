import math

import numpy as np
import pytest

import lowbid
from lowbid import MomentIMED
from lowbid.policies import moment_imed
from naive import race

ARMS = {
    "two values": lowbid.Bernoulli([0.2, 0.3, 0.4, 0.6]),
    "gaussian": lowbid.Gaussian([0.3, 0.0, 0.2, 0.9], sd=[1.0, 0.5, 0.2, 2.0]),
    "skewed": lowbid.Rewards(lowbid.Orders([0.3, 0.35, 0.4], log_sd=1.0)),
}


@pytest.mark.parametrize("arms", ARMS.values(), ids=ARMS)
@pytest.mark.parametrize("recheck", [0.0, 0.1])
def test_follows_the_rule_by_the_book(arms, recheck):
    policy = MomentIMED(recheck=recheck)
    evidence = race.moment_evidence(policy.pooling, policy.freedom, policy.margin)
    follower = race.Follower(arms.n_arms, evidence, policy.patience, recheck)
    race.follow(policy, arms, follower, tolerance=1e-6)


def test_follows_the_rule_with_a_declared_range():
    policy = MomentIMED(pooling=2.0, freedom=1.0, patience=1.0, low=0.0, high=1.0)
    evidence = race.moment_evidence(2.0, 1.0, policy.margin)
    arms = lowbid.Mixed([lowbid.Bernoulli([0.3, 0.1]), lowbid.Deterministic([0.2, 0.4])])
    follower = race.Follower(4, evidence, 1.0, policy.recheck, 0.0, 1.0)
    race.follow(policy, arms, follower, tolerance=1e-6)


@pytest.mark.parametrize("r", [-0.95, -0.3, 0.0, 1e-9, 0.7, 40.0])
@pytest.mark.parametrize("x", [1e-7, 9.9e-5, 1.1e-4, 0.01, 0.5, 0.99, 1 - 1e-6])
def test_the_divergence_is_its_integral(x, r):
    assert moment_imed.divergence(x, r) == pytest.approx(race.integral(x, r), rel=1e-4)


def test_the_divergence_is_that_of_known_families():
    """In each family w, v and r are what its mean and its variance function make them."""
    m, d = 0.7, 0.2
    x = d / m
    bernoulli = m * math.log(m / (m - d)) + (1 - m) * math.log((1 - m) / (1 - m + d))
    poisson = m * math.log(m / (m - d)) - d
    exponential = m / (m - d) - 1 - math.log(m / (m - d))
    cases = [(m * (1 - m), m / (1 - m), bernoulli), (m, 0.0, poisson)]
    cases += [(m * m, -1.0 + 1e-9, exponential)]
    for variance, r, divergence in cases:
        ours = m * m / variance * moment_imed.divergence(x, r)
        assert ours == pytest.approx(divergence, rel=1e-6)


def test_moments_are_those_of_all_losses():
    policy = MomentIMED()
    parameters, state = policy.start(2, None, 1000)
    losses = np.random.default_rng(0).gamma(0.5, size=500) + 1e6
    for step, loss in enumerate(losses, start=1):
        policy.kernels.update(parameters, state, step % 2, loss, step, np.ones(1, np.uint64))
    clip = race.Clip()
    x = np.array([clip.take(loss) for loss in losses])
    for arm in (0, 1):
        mine = x[1 - arm :: 2] if arm == 0 else x[::2]
        off = mine - mine.mean()
        assert state.deviations.squares[arm] == pytest.approx((off**2).sum(), rel=1e-9)
        assert state.deviations.cubes[arm] == pytest.approx((off**3).sum(), rel=1e-9)
