import pytest

import lowbid
from lowbid.errors import InvalidValueError, UnanswerableError
from lowbid.offline._target import read_target

LOG = lowbid.read_log({"arm": ["a", "b"], "reward": [1, 0]})


def test_an_arm_or_chances():
    assert read_target("b", LOG).tolist() == [0.0, 1.0]
    assert read_target({"a": 0.25, "b": 0.75, "c": 0.0}, LOG).tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    "chances", [{}, {"a": 0.5}, {"a": 1.5, "b": -0.5}, {"a": float("nan")}, {"a": "1"}]
)
def test_chances_must_be_chances(chances):
    with pytest.raises(InvalidValueError, match="probabilit"):
        read_target(chances, LOG)


def test_arms_that_were_never_logged():
    with pytest.raises(UnanswerableError, match="'c' was never logged"):
        read_target({"a": 0.9, "c": 0.1}, LOG)


def test_policies_that_learn_are_for_replay():
    with pytest.raises(InvalidValueError, match=r"lowbid.replay\(policy, log, horizon\)"):
        read_target(lowbid.UCB1(), LOG)
