"""Two arms compared, in the caller's unit."""

import math

import pytest

from evidence_examples import A, B, C, H, I
from lowbid import Bandit
from lowbid.errors import InvalidValueError, UnknownNameError


def bandit_of(values, **options):
    """A bandit with these rewards, or losses if a loss_range is given."""
    bandit = Bandit(list(values), seed=0, compiled="now", **options)
    kind = "losses" if "loss_range" in options else "rewards"
    for arm, outcomes in values.items():
        bandit.update_many([arm] * len(outcomes), **{kind: outcomes})
    return bandit


def test_a_comparison_is_in_the_unit_of_the_rewards():
    bandit = bandit_of({"a": [10.0 * x + 5.0 for x in A], "b": [5.0] * 50}, reward_range=(5, 15))
    found = bandit.compare("a", "b", by=0.1, confidence=0.9)
    assert found.difference == pytest.approx(5.5)
    assert found.low < 5.5 < found.high
    assert found.sure
    assert (found.by, found.confidence) == (0.1, 0.9)
    back = bandit.compare("b", "a", confidence=0.9)
    assert (back.low, back.high) == (-found.high, -found.low)
    assert not back.sure
    assert back.evidence == 0.0


def test_its_ends_are_those_of_the_evidence():
    bandit = bandit_of({"a": A, "b": B}, reward_range=(0, 1))
    found = bandit.compare("a", "b", confidence=0.95)
    assert (found.low, found.high) == pytest.approx((-0.043198, 0.143198), abs=1e-6)
    assert found.evidence == pytest.approx(0.368623, abs=1e-6)
    assert bandit.compare("a", "b", by=found.low - 1e-9).sure
    assert not bandit.compare("a", "b", by=found.low + 1e-9).sure


def test_with_losses_the_lower_mean_is_better():
    losses = {"a": [20.0 - 20.0 * x for x in A], "c": [20.0 - 20.0 * x for x in C]}
    bandit = bandit_of(losses, loss_range=(0, 20))
    found = bandit.compare("a", "c", by=0.4, confidence=0.9)
    assert found.difference == pytest.approx(-3.0)
    assert found.evidence == pytest.approx(1.720901, abs=1e-6)
    assert (found.low, found.high) == pytest.approx((-20 * 0.305293, 20 * 0.005293), abs=1e-4)
    assert not found.sure
    assert bandit.compare("a", "c", by=-1.0, confidence=0.9).sure


def test_no_range_is_needed():
    bandit = bandit_of({"i": I, "h": H})
    found = bandit.compare("i", "h", confidence=0.9)
    assert found.evidence == pytest.approx(3.169037, abs=1e-6)
    assert found.sure
    assert found.low > 0.0


def test_all_arms_are_compared_with_a_control():
    bandit = bandit_of({"a": A, "b": B, "c": C}, reward_range=(0, 1))
    bandit.pause_arm("a")
    found = bandit.compare(control="c", confidence=0.9)
    assert list(found) == ["b", "a"]
    assert found["a"][:3] == pytest.approx(bandit.compare("a", "c", confidence=0.95)[:3])


def test_nothing_is_known_before_the_first_outcome():
    empty = Bandit(["a", "b"]).compare("a", "b")
    assert math.isnan(empty.difference)
    assert (empty.low, empty.high) == (-math.inf, math.inf)
    empty = Bandit(["a", "b"], reward_range=(2, 5)).compare("a", "b")
    assert (empty.low, empty.high) == (-3.0, 3.0)
    assert not empty.sure
    assert Bandit(["a"]).compare(control="a") == {}


@pytest.mark.parametrize(
    ("arms", "options", "message"),
    [
        ((), {}, "0 arms and no control were given; use compare"),
        (("a",), {}, "1 arms and no control"),
        (("a", "b"), {"control": "a"}, "2 arms and a control"),
        (("a", "a"), {}, "'a' was given twice"),
        (("a", "b"), {"by": math.nan}, "by is nan; give a finite number"),
        (("a", "b"), {"confidence": 1.0}, "confidence is 1.0; give one between 0 and 1"),
    ],
)
def test_a_comparison_that_means_nothing_is_refused(arms, options, message):
    with pytest.raises(InvalidValueError, match=message):
        Bandit(["a", "b"]).compare(*arms, **options)


def test_arms_that_are_not_there_are_refused():
    bandit = Bandit(["blue", "green", "red"])
    bandit.remove_arm("red")
    with pytest.raises(UnknownNameError, match="did you mean 'blue'"):
        bandit.compare("green", "bleu")
    with pytest.raises(UnknownNameError, match="arm 'red' was removed"):
        bandit.compare("green", "red")
    with pytest.raises(UnknownNameError, match="unknown arm 'x'"):
        bandit.compare(control="x")
