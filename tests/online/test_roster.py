"""Arms by name: chosen from, paused, removed."""

import numpy as np
import pytest

from lowbid import Bandit
from lowbid.errors import InvalidValueError, UnknownNameError
from online_play import ENSEMBLE, Listener


def test_arms_are_listed_in_the_order_in_which_they_came_or_came_back():
    bandit = Bandit(["a", "b", "c"], Listener())
    bandit.pause_arm("a")
    bandit.add_arm("d")
    assert (bandit.arms, bandit.paused) == (["b", "c", "d"], ["a"])
    bandit.resume_arm("a")
    bandit.remove_arm("c")
    assert (bandit.arms, bandit.paused) == (["b", "d", "a"], [])


def test_a_paused_arm_keeps_what_is_known_of_it():
    bandit = Bandit(["a", "b", "c"], Listener())
    bandit.update_many(["a", "b", "c", "b"], losses=[0.25, 0.5, 0.75, 0.0])
    bandit.pause_arm("b")
    assert bandit.counts() == {"a": 1, "c": 1, "b": 2}
    assert bandit.state.losses.tolist() == [0.25, 0.75]
    bandit.update("b", loss=1.0)
    assert bandit.paused == ["b"]
    assert bandit.means()["b"] == 0.5
    bandit.resume_arm("b")
    assert bandit.state.losses.tolist() == [0.25, 0.75, 1.0]
    assert bandit.counts() == {"a": 1, "c": 1, "b": 3}


def test_pausing_and_resuming_twice_changes_nothing():
    bandit = Bandit(["a", "b"], ENSEMBLE)
    bandit.pause_arm("a")
    before = bandit.to_json()
    bandit.pause_arm("a")
    assert bandit.to_json() == before
    bandit.resume_arm("a")
    before = bandit.to_json()
    bandit.resume_arm("a")
    assert bandit.to_json() == before


def test_a_paused_arm_can_be_removed_and_its_name_used_again():
    bandit = Bandit(["a", "b"], ENSEMBLE)
    bandit.update("a", loss=0.5)
    bandit.pause_arm("a")
    bandit.remove_arm("a")
    assert bandit.update("a", loss=0.5) == "removed"
    with pytest.raises(UnknownNameError, match=r"was removed; add it again"):
        bandit.resume_arm("a")
    bandit.add_arm("a")
    assert bandit.counts() == {"b": 0, "a": 0}


@pytest.mark.parametrize("wrong", ["a", "b", True, None, 1.5, b"a"], ids=repr)
def test_an_arm_that_cannot_be_added(wrong):
    bandit = Bandit(["a", "b"], ENSEMBLE)
    bandit.pause_arm("b")
    before = bandit.to_json()
    with pytest.raises(InvalidValueError):
        bandit.add_arm(wrong)
    assert bandit.to_json() == before


def test_the_ledger_follows_the_arms():
    bandit = Bandit(["a", "b", "c"], ENSEMBLE, seed=0)
    bandit.update_many(["a", "b", "b", "c", "c", "c"], losses=[1.0, 2.0, 2.0, 3.0, 3.0, 3.0])
    bandit.remove_arm("a")
    assert bandit.counts() == {"b": 2, "c": 3}
    assert bandit.means() == {"b": 2.0, "c": 3.0}
    bandit.add_arm(np.str_("d"))
    assert bandit.counts() == {"b": 2, "c": 3, "d": 0}
    assert {type(arm) for arm in bandit.arms} == {str}


def test_bandits_with_paused_arms_are_not_merged():
    left, right = Bandit(["a", "b"], ENSEMBLE), Bandit(["a", "b"], ENSEMBLE, seed=1)
    right.pause_arm("a")
    for one, other in ((left, right), (right, left)):
        before = one.to_json()
        with pytest.raises(InvalidValueError, match="paused arms"):
            one.merge(other)
        assert one.to_json() == before


def test_the_last_arm_cannot_be_put_aside_and_an_unknown_one_is_answered_with_the_known():
    bandit = Bandit(3, ENSEMBLE)
    with pytest.raises(UnknownNameError, match="unknown arm 3; the arms are 0 to 2"):
        bandit.update(3, loss=0.5)
    bandit.pause_arm(0)
    bandit.pause_arm(1)
    for leave in (bandit.pause_arm, bandit.remove_arm):
        with pytest.raises(InvalidValueError, match="2 is the only arm that can be chosen"):
            leave(2)
    assert (bandit.arms, bandit.paused) == ([2], [0, 1])
