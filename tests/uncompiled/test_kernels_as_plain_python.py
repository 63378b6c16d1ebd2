"""Every kernel run as plain Python and compared with the naive rules, for the coverage tool.

With ``pytest --uncompiled`` the whole process is uncompiled (``make coverage``); otherwise the
`interpreted` block does it, so these tests mean the same in both.
"""

import contextlib

import numpy as np
import pytest

import lowbid
from lowbid import policies
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from lowbid.testing import check_environment
from lowbid.testing._policies import suitable_arms

VARIANTS = [p for name in policies.__all__ for p in getattr(policies, name).variants()]


@pytest.mark.parametrize("policy", VARIANTS, ids=lambda policy: policy.name)
def test_policies_play_every_arm_and_favour_the_best(policy):
    with interpreted():
        for arms in suitable_arms(policy):
            result = lowbid.simulate(policy, arms, horizon=150, runs=2, seed=1, workers=1)
            assert (result.pulls.sum(axis=-1) == 150).all()
            assert (result.pulls > 0).all()


@pytest.mark.parametrize("policy", VARIANTS, ids=lambda policy: policy.name)
def test_bandits_are_restored_and_merged(policy):
    with interpreted():
        one, other = (
            lowbid.Bandit(3, policy, seed, horizon=200, loss_range=(0, 1)) for seed in (1, 2)
        )
        for bandit in (one, other):
            for i in range(40):
                bandit.update(bandit.decide(), loss=float(i * 7 % 5 > 2))
            bandit.decide(4)
        twin = lowbid.Bandit.from_json(one.to_json(), policy=policy)
        assert [d.arm for d in twin.decide(9)] == [d.arm for d in one.decide(9)]
        total = sum(one.counts().values()) + sum(other.counts().values())
        with contextlib.suppress(InvalidValueError):  # of those whose states do not add up
            one.merge(other)
            assert sum(one.counts().values()) == total
        one.update(one.decide(), loss=1.0)


@pytest.mark.parametrize("growth", ["append", "redistribute"])
def test_late_feedback_and_growth(growth):
    policy = lowbid.BatchEnsemble(lambda t: 1 + t // 40, growth, baseline="minimum")
    arms = lowbid.Uniform(0.0, [0.5, 0.7, 0.9])
    late = {"horizon": 200, "runs": 1, "seed": 1, "delay": 7, "lost": 0.1, "batch": 3}
    compiled = lowbid.simulate(policy, arms, **late)
    with interpreted():
        plain = lowbid.simulate(policy, arms, **late)
    assert np.array_equal(plain.pulls, compiled.pulls)


@pytest.mark.parametrize("growth", ["append", "redistribute"])
def test_arms_that_come_and_go_and_bandits_that_merge(growth):
    def books():
        policy = lowbid.BatchEnsemble(lambda t: 1 + t // 30, growth, baseline="minimum")
        left, right = (lowbid.Bandit(["a", "b", "c"], policy, seed=seed) for seed in (1, 2))
        for bandit, steps in ((left, 80), (right, 50)):
            for i in range(steps):
                bandit.update(bandit.select(), loss=(i * 7 % 10) / 8 - 0.5)
            bandit.decide(2)
        left.pause_arm("a")
        left.add_arm("d")
        left.update("d", loss=0.25)
        left.resume_arm("a")
        left.remove_arm("d")
        left.merge(right)
        state = left.state.batches
        assert state.counts.sum() == 130
        assert state.pending.sum() == 4
        bids = [(bid.arm, bid.estimate) for bid in left.policy.bids(left.state)]
        return left.counts(), state.rows.tolist(), bids

    compiled = books()
    with interpreted():
        assert books() == compiled


def test_many_arms_use_the_tree():
    with interpreted():
        arms = lowbid.Bernoulli(np.linspace(0.1, 0.9, 120))
        result = lowbid.simulate(lowbid.BatchEnsemble(batches=1), arms, horizon=400, runs=1)
        assert (result.pulls > 0).all()


@pytest.mark.parametrize(
    "environment",
    [
        lowbid.Mixed(
            [
                lowbid.Bernoulli([0.3]),
                lowbid.ScaledBernoulli([0.3], [2.0]),
                lowbid.Gaussian([0.3]),
                lowbid.ExponentialByMean([0.3]),
                lowbid.ExponentialByRate([3.0]),
                lowbid.Beta([0.5], [2.0]),
                lowbid.Uniform([0.0], [1.0]),
                lowbid.Deterministic([0.3]),
                lowbid.Empirical([[0.1, 0.4]]),
            ]
        ),
        lowbid.RandomArms(lowbid.Gaussian, 2),
    ],
    ids=["mixed", "random"],
)
def test_environments(environment):
    with interpreted():
        check_environment(environment, draws=1000)


@pytest.mark.parametrize("policy", [lowbid.MomentIMED(), lowbid.BatchLikelihood(batches=4)])
def test_races_with_late_feedback_arms_that_come_and_go_and_merges(policy):
    def books():
        left, right = (lowbid.Bandit(["a", "b", "c"], policy, seed=seed) for seed in (1, 2))
        for bandit, steps in ((left, 150), (right, 60)):
            for i in range(steps):
                bandit.update(bandit.select(), loss=(i * 7 % 10) / 8 - 0.5)
            for decision in bandit.decide(6)[:4]:
                bandit.update(decision, loss=0.25)
        left.pause_arm("a")
        left.add_arm("d")
        first = [left.select(), left.update("d", loss=0.25), left.select()]
        left.resume_arm("a")
        left.remove_arm("d")
        left.merge(right)
        return first, left.counts(), left.state.race.pending.tolist(), left.indices()

    compiled = books()
    with interpreted():
        assert books() == compiled
    first, counts, pending, _ = compiled
    assert first == ["d", None, "d"]
    assert sum(counts.values()) == 150 + 60 + 8
    assert sum(pending) == 4.0


@pytest.mark.parametrize("policy", [lowbid.UCB1(), lowbid.MomentIMED(), lowbid.BatchLikelihood()])
def test_many_arms(policy):
    arms = lowbid.Bernoulli(np.linspace(0.1, 0.9, 100))
    compiled = lowbid.simulate(policy, arms, horizon=400, runs=1, seed=2)
    with interpreted():
        plain = lowbid.simulate(policy, arms, horizon=400, runs=1, seed=2)
    assert np.array_equal(plain.pulls, compiled.pulls)
