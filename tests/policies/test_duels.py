"""What all sub-sampling duels share."""

import pytest

import lowbid
from lowbid.errors import InvalidValueError

CLASSES = [lowbid.RBSDA, lowbid.LBSDA, lowbid.WRSDA]


@pytest.mark.parametrize("cls", CLASSES)
def test_stands_for_itself_with_and_without_forced_exploration(cls):
    assert cls.variants() == [cls(), cls(forced_exploration=True)]
    assert cls().identity == f"{cls.__name__}(forced_exploration=False)"
    assert all(policy.scale_free and policy.location_free for policy in cls.variants())


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("value", ["yes", 1, None, float("nan")])
def test_forced_exploration_is_on_or_off(cls, value):
    with pytest.raises(InvalidValueError, match=r"forced_exploration is .*; give True or False"):
        cls(value)
