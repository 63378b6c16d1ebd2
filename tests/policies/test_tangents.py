"""Indices that are computed only where they can be the lowest, shown for all arms."""

import math

import numpy as np
import pytest

import lowbid
from lowbid import policies
from lowbid._compile import interpreted
from lowbid.policies._base import arrays_of
from naive import families, index
from replay import lowest_arms, replay

CLASSES = [
    lowbid.KLUCB,
    lowbid.KLUCBPlus,
    lowbid.IMED,
    lowbid.SemiBoundedIMED,
    lowbid.SemiBoundedKLUCB,
]
LAZY = [policy for cls in CLASSES for policy in cls.variants()]
ARMS = lowbid.Empirical([[0.1, 0.3, 0.2], [0.4, 0.2, 0.9], [0.5, 0.6, 0.1], [1.0, 0.3]])


def test_no_lazy_policy_is_left_out():
    every = [getattr(policies, name).variants()[0] for name in policies.__all__]
    assert {type(p) for p in every if hasattr(p.start(2, 10)[1], "tangents")} == set(CLASSES)


@pytest.mark.parametrize("policy", LAZY, ids=lambda policy: policy.name)
def test_the_arm_of_lowest_index_is_played(policy):
    with interpreted():
        for moment in replay(policy, ARMS, horizon=60, seed=2):
            state, parameters = moment.bandit.state, policy.parameters(4, 60, 60)
            before = [array.copy() for array in arrays_of(state)]
            indices = policy.indices(parameters, state, moment.step)
            assert moment.arm in lowest_arms(indices.tolist())
            for old, new in zip(before, arrays_of(state), strict=True):
                np.testing.assert_array_equal(old, new)
            for arm, losses in enumerate(moment.losses):
                assert (indices[arm] == -math.inf) == (len(losses) <= unranked(policy))


def unranked(policy) -> int:
    """Up to how many losses an arm has no index but minus infinity."""
    return 2 if policy.name.endswith("unknown_variance") else 0


@pytest.mark.parametrize("cls", [lowbid.KLUCB, lowbid.KLUCBPlus, lowbid.IMED])
def test_every_index_is_the_one_of_the_book(cls):
    """Also those that the choice does not need, and for which it keeps a lower bound only."""
    losses = [[0.5, 0.25], [0.75, 1.0, 0.5, 0.0], [1.0] * 9, [0.125] * 30]
    policy = cls.bernoulli()
    with interpreted():
        parameters, state = policy.start(4, 100)
        stream = np.zeros(1, np.uint64)
        for arm, row in enumerate(losses):
            for loss in row:
                policy.kernels.update(parameters, state, arm, loss, 1, stream)
        policy.kernels.select(parameters, state, 46, stream)
        found = policy.indices(parameters, state, 46)
    np.testing.assert_allclose(found, [book(cls, losses, arm) for arm in range(4)], rtol=1e-8)


def book(cls, losses, arm):
    mean, n = index.mean(losses[arm]), len(losses[arm])
    if cls is lowbid.IMED:
        best = min(index.mean(row) for row in losses)
        return n * families.bernoulli(mean, best) + math.log(n)
    budget = math.log(46) - (math.log(n) if cls is lowbid.KLUCBPlus else 0.0)
    return families.lowest_mean(families.bernoulli, mean, max(budget, 0.0) / n, 0.0)


def test_indices_say_what_they_are():
    units = {policy.name.partition(".")[0]: policy.index_unit for policy in LAZY}
    assert units == {
        "KLUCB": "loss",
        "KLUCBPlus": "loss",
        "IMED": "evidence",
        "SemiBoundedIMED": "evidence",
        "SemiBoundedKLUCB": "loss",
    }


def test_a_bandit_shows_them():
    bandit = lowbid.Bandit(["a", "b", "c"], lowbid.KLUCB("bernoulli"), seed=1)
    for arm, loss in (("a", 1.0), ("b", 0.0), ("b", 0.0)):
        bandit.update(arm, loss=loss)
    shown = bandit.indices()
    assert shown["c"] == -math.inf
    assert 0.0 == shown["b"] < shown["a"] < 1.0


def test_unplayed_arms_do_not_enter_the_lowest_mean():
    bandit = lowbid.Bandit(3, lowbid.IMED.gaussian(sd=1.0), seed=1)
    bandit.update(0, loss=5.0)
    bandit.update(1, loss=7.0)
    assert bandit.indices() == {0: 0.0, 1: 2.0, 2: -math.inf}
