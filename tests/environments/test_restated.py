import numpy as np
import pytest

import lowbid
from lowbid.environments._restated import Restated
from lowbid.errors import InvalidValueError
from lowbid.testing import check_environment

ARMS = lowbid.Uniform(low=[1.0, 2.0], high=[3.0, 5.0])


def test_it_is_an_environment_like_any_other():
    check_environment(Restated(ARMS, zero=0.0, unit=1.0))


def test_losses_are_those_of_the_arms_on_another_scale():
    """A policy that only compares means plays the same arms, whatever the scale."""
    restated = Restated(ARMS, zero=1.0, unit=4.0)
    ours, theirs = (
        lowbid.simulate(lowbid.Greedy(), arms, horizon=50, runs=6) for arms in (restated, ARMS)
    )
    assert (ours.pulls == theirs.pulls).all()
    assert (ours.regret == theirs.regret).all()
    stream = np.zeros(1, np.uint64)
    drawn = restated.draw(restated.table(), 0, 1, stream)
    stream[0] = 0
    assert drawn == (ARMS.draw(ARMS.table(), 0, 1, stream) - 1.0) / 4.0


def test_what_is_known_of_it():
    restated = Restated(ARMS, zero=1.0, unit=4.0)
    assert restated.support == (0.0, 1.0)
    assert (restated.means == ARMS.means).all()
    assert restated.describe()["unit"] == 4.0
    assert repr(restated).endswith("zero=1, unit=4)")


@pytest.mark.parametrize("scale", [(0.0, 0.0), (0.0, -1.0), (np.nan, 1.0), (0.0, np.inf)])
def test_scales_that_are_none_are_refused(scale):
    with pytest.raises(InvalidValueError):
        Restated(ARMS, *scale)
