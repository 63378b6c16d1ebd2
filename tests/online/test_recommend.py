"""Which arm to keep, and how sure that is."""

import math

import numpy as np
import pytest

from lowbid import Bandit


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
