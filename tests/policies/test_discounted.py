"""Losses discounted with age."""

import pytest

import lowbid
from lowbid.errors import InvalidValueError


def played(*arms):
    bandit = lowbid.Bandit(["a", "b", "c"], lowbid.DiscountedUCB(discount=0.5), seed=0)
    for arm in arms:
        bandit.update(arm, loss=1.0)
    return bandit


def test_weights_halve_at_each_loss():
    state = played("a", "b", "a").state.discounted
    assert state.counts.tolist() == state.sums.tolist() == [1.25, 0.5, 0.0]


def test_an_arm_that_comes_back_is_discounted_for_the_time_it_was_away():
    bandit = played("a", "b")
    bandit.pause_arm("a")
    for _ in range(3):
        bandit.update("b", loss=1.0)
    bandit.resume_arm("a")
    stayed = played("a", "b", "b", "b", "b")
    found = dict(zip(bandit.arms, bandit.state.discounted.counts, strict=True))
    assert found == dict(zip(stayed.arms, stayed.state.discounted.counts, strict=True))


def test_two_states_cannot_be_merged():
    one, two = played("a"), played("b")
    with pytest.raises(InvalidValueError, match="no common order in time"):
        one.merge(two)
    assert one.state.discounted.counts.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("discount", [0.0, 1.5, -1.0])
def test_refuses_what_is_no_discount(discount):
    with pytest.raises(InvalidValueError, match="discount"):
        lowbid.DiscountedUCB(discount=discount)
