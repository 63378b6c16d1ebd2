import pytest

from lowbid.errors import InvalidValueError
from lowbid.policies._horizon import known_horizon


def test_the_own_horizon_goes_before_the_given_one():
    assert known_horizon("MOSS", 7, 100) == 7
    assert known_horizon("MOSS", None, 100) == 100


def test_no_horizon_is_an_error():
    with pytest.raises(InvalidValueError, match="MOSS needs to know the horizon: give it horizon="):
        known_horizon("MOSS", None, None)
