"""Decisions by id: which are open, which were ever made, and how old they are."""

import pytest

from lowbid import Bandit, Decision
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.online._decisions import Decisions
from online_play import ENSEMBLE


def made(*arms):
    """Decisions of these arms, made at steps 1, 2, ..."""
    decisions = Decisions()
    return decisions, [decisions.add(arm, step) for step, arm in enumerate(arms, start=1)]


def test_a_decision_is_open_until_it_is_closed():
    decisions, (first, second) = made("a", "b")
    assert decisions.status(first) is None
    decisions.close(first)
    assert decisions.status(first) == "closed"
    assert decisions.pending() == [second]
    assert dict(decisions.count_by_arm()) == {"b": 1}


def test_the_decisions_of_a_removed_arm_are_answered():
    decisions, (first, second) = made("a", "b")
    decisions.remove_arm("a")
    assert decisions.status(first) == "removed"
    assert decisions.pending() == [second]
    assert list(decisions.expired(before=3)) == [second]  # nobody waits for the other
    assert decisions.status(first) == "closed"


def test_ids_that_were_never_given_out_are_told_apart_from_closed_ones():
    decisions, (first,) = made("a")
    word = first.id.partition("-")[0]
    for other in ("2", "0", "-1", "01", "1x", "", "１"):
        with pytest.raises(UnknownNameError, match="not made by this bandit"):
            decisions.status(Decision("a", f"{word}-{other}"))
    with pytest.raises(InvalidValueError, match="is for arm 'a'"):
        decisions.status(Decision("b", first.id))


def test_expired_are_those_made_before_a_step_and_no_others():
    decisions, all_made = made("a", "b", "a", "b")
    assert list(decisions.expired(before=3)) == all_made[:2]
    assert list(decisions.expired(before=3)) == []
    assert decisions.pending() == all_made[2:]


def test_ages_stay_when_decisions_are_taken_over():
    """After 5 and 3 steps the common next step is 7: 1 + 4 + 2 steps were played."""
    ours, (a, b) = made("a", "b")  # at steps 1 and 2 of 5: 4 and 3 steps ago
    theirs, (c,) = made("c")  # at step 1 of 3: 2 steps ago
    ours.take_over(theirs, step=5, other_step=3)
    steps = {identity: step for identity, (_, step) in ours.open.items()}
    assert steps == {a.id: 7 - 4, b.id: 7 - 3, c.id: 7 - 2}
    assert list(ours.open) == [a.id, b.id, c.id]  # oldest first
    assert ours.status(c) is None


def test_what_is_taken_over_expires_when_it_would_have():
    left, right = (Bandit(2, ENSEMBLE, seed=seed, expiry=10) for seed in (0, 1))
    ours = left.decide(3)[0]
    theirs = right.decide(9)[0]
    left.merge(right)  # ours is 3 decisions old, theirs 9
    left.decide(2)
    assert theirs in left.pending()
    left.decide()
    assert theirs not in left.pending()
    assert ours in left.pending()
    left.decide(5)
    assert ours in left.pending()
    left.decide()
    assert ours not in left.pending()


def test_decisions_that_are_known_already_are_not_taken_over():
    ours, _ = made("a")
    with pytest.raises(InvalidValueError, match=r"common past.*lowbid\.open"):
        ours.require_no_common_past(Decisions.from_data(ours.to_data()))
