"""Which arm to keep, and how sure that is."""

import math

import numpy as np
import pytest

from lowbid import Bandit
from lowbid.errors import InvalidValueError
from online_play import ENSEMBLE


@pytest.mark.parametrize("kind", ["loss", "reward"])
def test_it_recommends_the_best_arm_and_is_sure_in_time(kind):
    rng = np.random.default_rng(1)
    bandit = Bandit(["a", "b", "c"], seed=0, **{f"{kind}_range": (0.0, 1.0)})
    means = {"a": 0.5, "b": 0.2, "c": 0.8}
    best = "b" if kind == "loss" else "c"
    nothing = bandit.recommend()
    assert not nothing.sure
    assert math.isnan(nothing.mean)
    for i in range(3000):
        arm = ["a", "b", "c"][i % 3]
        bandit.update(arm, **{kind: float(rng.random() < means[arm])})
    found = bandit.recommend()
    assert found.arm == best
    assert found.sure
    assert found.low < means[best] < found.high
    assert found.mean == bandit.means()[best]
    assert not Bandit(2).recommend().sure


def test_values_that_are_all_the_same_do_not_make_it_sure():
    bandit = Bandit(["a", "b"], seed=0)
    for i in range(400):
        bandit.update("a", reward=0.0)  # orders are rare: none yet proves little
        bandit.update("b", reward=float(i % 4 == 0))
    found = bandit.recommend()
    assert found.arm == "b"
    assert not found.sure


def test_with_one_arm_there_is_nothing_to_be_sure_of():
    bandit = Bandit(["a"], ENSEMBLE, reward_range=(0.0, 1.0))
    bandit.update_many(["a"] * 2000, rewards=[0.5] * 2000)
    found = bandit.recommend()
    assert found.arm == "a"
    assert not found.sure
    assert found.low < 0.5 < found.high
    two = Bandit(["a", "b"], ENSEMBLE, reward_range=(0.0, 1.0))
    two.update_many(["a", "b"] * 2000, rewards=[0.9, 0.1] * 2000)
    assert two.recommend().sure
    two.pause_arm("b")
    assert two.recommend().sure  # what is known about b has not changed
    two.remove_arm("b")
    two.reopen()
    assert not two.recommend().sure
    assert str(two.recommend()) == "There is no other arm than a."


def test_it_becomes_sure_about_dollars_of_which_no_range_is_known():
    """A 3% and a 6% conversion times lognormal dollars; sure within 20,000 visitors of each."""
    rng = np.random.default_rng(3)
    bandit = Bandit(["old", "new"], ENSEMBLE, seed=0)
    first = bandit.recommend()
    assert (first.low, first.high) == (-math.inf, math.inf)
    for _ in range(20):
        for arm, chance in (("old", 0.03), ("new", 0.06)):
            orders = (rng.random(1000) < chance) * rng.lognormal(3.0, 1.0, 1000)
            bandit.update_many([arm] * 1000, rewards=orders.tolist())
    found = bandit.recommend()
    assert found.arm == "new"
    assert found.sure
    assert found.low < 0.06 * math.exp(3.5) < found.high


def test_confidence_is_shared_among_the_arms():
    """Each of ten arms has an interval at a tenth of the error, so it is wider than one of two."""
    widths = {}
    for n_arms in (2, 10):
        bandit = Bandit(n_arms, ENSEMBLE, loss_range=(0.0, 1.0))
        for _ in range(100):
            bandit.update_many(range(n_arms), losses=[0.25] * n_arms)
        found = bandit.recommend(0.9)
        widths[n_arms] = found.high - found.low
        assert found.confidence == 0.9
        assert bandit.recommend(0.99).high > found.high
    assert widths[10] > 1.1 * widths[2]


def test_the_differences_say_what_sure_says():
    rng = np.random.default_rng(4)
    for kind, means in (("reward", (0.2, 0.3, 0.6)), ("loss", (0.8, 0.7, 0.4))):
        bandit = Bandit(["a", "b", "c"], ENSEMBLE, seed=0, **{f"{kind}_range": (0.0, 1.0)})
        sign = 1.0 if kind == "reward" else -1.0
        for _ in range(5):
            for arm, mean in zip("abc" * 30, means * 30, strict=True):
                bandit.update(arm, **{kind: float(rng.random() < mean)})
            found = bandit.recommend()
            ends = [max(sign * d.low, sign * d.high) for d in found.differences.values()]
            assert found.sure == (max(ends) <= 0.0)
            assert found.shortfall == pytest.approx(max(0.0, *ends))
            assert (found.waits_for is None) == found.sure
            assert found.arm not in found.differences
        assert found.sure
        back = {arm: bandit.compare(arm, "c", confidence=0.95).difference for arm in "ab"}
        assert {arm: d.difference for arm, d in found.differences.items()} == back


def test_it_waits_for_the_arm_that_is_hardest_to_tell():
    bandit = Bandit(["a", "b", "c"], ENSEMBLE, reward_range=(0.0, 1.0))
    for i in range(100):
        for arm, often in (("a", 2), ("b", 3), ("c", 10)):
            bandit.update(arm, reward=float(i % often == 0))
    found = bandit.recommend()
    assert (found.arm, found.waits_for) == ("a", "b")
    assert not found.sure
    text = str(found)
    assert text.startswith("Not sure yet. a looks best; another arm may be better by up to 0.1")
    assert text.endswith("It waits for b.")
    wide = bandit.recommend(tolerance=0.2)
    assert wide.sure
    assert wide.since is None  # no verdict with this tolerance was asked for before
    assert "within the tolerance of 0.2; a verdict" in str(wide)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": -0.1}, "tolerance is -0.1; give a finite number at least 0"),
        ({"tolerance": np.nan}, "tolerance is nan"),
        ({"tolerance": 1.0}, "every arm is within this tolerance"),
        ({"confidence": 1.0}, "confidence is 1.0; give one between 0 and 1"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, message):
    bandit = Bandit(["a", "b"], reward_range=(0, 1))
    with pytest.raises(InvalidValueError, match=message):
        bandit.recommend(**options)
    with pytest.raises(InvalidValueError, match=message):
        bandit.change(**options)
    with pytest.raises(InvalidValueError, match=message):
        Bandit(["a", "b"], reward_range=(0, 1), **options)
    assert bandit.recommend()[5:7] == (0.95, 0.0)
