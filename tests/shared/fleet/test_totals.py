"""Totals are the same in whatever grouping and order they are added up."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lowbid
from lowbid.policies import arrays_of
from lowbid.shared._holdout import Holdout
from lowbid.shared.fleet._totals import Learned, added, totals_of

DEALING = [
    lowbid.BatchEnsemble(batches=3),
    lowbid.UCB1(),
    lowbid.UCBV(),
    lowbid.KLUCB("bernoulli"),
    lowbid.IMED("bernoulli"),
    lowbid.BetaThompson(),
    lowbid.GaussianThompson(),
]
OUTCOMES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=12)
PARTS = st.lists(OUTCOMES, min_size=3, max_size=3)


def played(policy, outcomes):
    bandit = lowbid.Bandit(3, policy=policy, loss_range=(0, 1), seed=0)
    for arm, loss in outcomes:
        bandit.update(arm, loss=float(loss))
    return bandit._core


def groupings(policy, parts):
    """The totals of all parts, in every order and grouping."""
    cores = [played(policy, outcomes) for outcomes in parts]
    rule = cores[0].engine.policy
    for order in itertools.permutations([totals_of(Learned(core, Holdout(""))) for core in cores]):
        pair = added(rule, order[:2])
        yield from (
            added(rule, order),
            added(rule, [pair, order[2]]),
            added(rule, [order[2], pair]),
        )


@pytest.mark.parametrize("policy", DEALING, ids=lambda policy: policy.name)
@given(parts=PARTS)
def test_states_are_the_same_in_any_grouping_and_order(policy, parts):
    first, *others = groupings(policy, parts)
    for other in others:
        for mine, theirs in zip(arrays_of(first.state), arrays_of(other.state), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "policy", [*DEALING, lowbid.BatchLikelihood(), lowbid.MomentIMED()], ids=lambda p: p.name
)
@given(parts=PARTS)
def test_counts_and_sums_are_those_of_one_who_saw_everything(policy, parts):
    one = played(policy, [outcome for outcomes in parts for outcome in outcomes])
    for total in groupings(policy, parts):
        assert total.step == one.engine.step
        np.testing.assert_array_equal(total.ledger[:, 0], one.roster.ledger[:, 0])
        np.testing.assert_allclose(total.ledger[:, 1:3], one.roster.ledger[:, 1:3], atol=1e-9)
        if hasattr(total.state, "race"):
            np.testing.assert_array_equal(total.state.race.counts, one.engine.state.race.counts)
