"""Which arm to keep, and how sure that is."""

import math

import numpy as np
import pytest

from lowbid import Bandit
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
    assert not two.recommend().sure


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
