"""A log that cannot answer gives a clear error."""

import numpy as np
import pytest

import lowbid
from lowbid.errors import UnanswerableError
from lowbid.offline._support import TOO_FAR, propensities_of, require_tried, share_of


def _log(arms, chances=None, known=None):
    columns = {"arm": arms, "reward": np.zeros(len(arms))}
    if chances is not None:
        columns["propensity"] = chances
    return lowbid.read_log(columns, arms=known)


def test_without_propensities_arms_are_taken_as_equally_likely():
    assert propensities_of(_log(["a", "b", "c", "a"])).tolist() == [1 / 3] * 4


def test_shares_that_are_not_uniform_need_propensities():
    with pytest.raises(UnanswerableError, match=r"'a' has 90.0% of the rows, not 50.0%"):
        propensities_of(_log(["a"] * 900 + ["b"] * 100))


def test_an_empty_log_says_nothing():
    with pytest.raises(UnanswerableError, match="no rows"):
        propensities_of(_log([]))


def test_an_arm_that_was_never_logged():
    log = _log(["a", "b"], [0.5, 0.5], known=["a", "b", "c"])
    with pytest.raises(UnanswerableError, match="'c' was never logged"):
        require_tried(log, propensities_of(log), 2)


@pytest.mark.parametrize(
    ("arms", "chances"),
    [
        ([0] * 900 + [1] * 100, [0.5] * 1000),  # they say half and half
        ([0] * 500 + [1] * 500, [1.0] * 1000),  # each was the only one for a while
        ([0] * 500 + [1] * 250 + [0] * 250, [1.0] * 500 + [0.5] * 500),  # arm 1 came later
    ],
)
def test_propensities_that_contradict_the_shares(arms, chances):
    log = _log(arms, chances)
    with pytest.raises(UnanswerableError, match="contradict its share"):
        require_tried(log, propensities_of(log), 1)


@pytest.mark.parametrize("spread", [0.3, 3.0, 30.0])
def test_true_propensities_pass(spread):
    """5 standard errors are rare enough that hundreds of true logs pass, skewed ones too."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        chances = rng.dirichlet(np.full(3, spread), 500) * 0.97 + 0.01
        arms = (rng.random(500)[:, None] > chances.cumsum(axis=1)).sum(axis=1).clip(max=2)
        log = _log(arms, chances[np.arange(500), arms], known=range(3))
        for arm in range(3):
            assert abs(share_of(log, log.propensities, arm).distance) < TOO_FAR


def test_rare_choices_are_no_contradiction():
    """Two choices where ten were expected happen in 3 of 1,000 logs."""
    arms, chances = [0] * 9998 + [1] * 2, [0.999] * 9998 + [0.001] * 2
    share = share_of(_log(arms, chances), np.array(chances), 1)
    assert share.distance == pytest.approx(-0.8 / np.sqrt(999 / 10_000))


def test_one_arm_at_certainty_is_no_contradiction():
    log = _log([0] * 10, [1.0] * 10)
    require_tried(log, propensities_of(log), 0)
