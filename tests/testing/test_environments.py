"""Each promise of `check_environment` is broken by an environment, and each is caught."""

import numpy as np
import pytest

import lowbid
from lowbid.environments import Arms
from lowbid.kernels import kernel
from lowbid.random import uniform
from lowbid.testing import check_environment


@kernel
def draw(table, instance, arm, stream):
    return table[instance, arm, 0] * 2.0 * uniform(stream)


@kernel
def draw_by_overflow(table, instance, arm, stream):
    # Compiled, whole numbers have 64 bits, and this one comes out small.
    big = (arm + (1 << 62)) * 4
    return uniform(stream) * 2.0 * table[instance, arm, 0] * (1.0 if big < 10 else 0.5)


@kernel
def draw_beyond(table, instance, arm, stream):
    return table[instance, arm, 1] * uniform(stream)


class Sound(Arms):
    """Losses uniform from 0 to twice their mean."""

    draw = draw

    def __init__(self, mean):
        super().__init__(mean=mean)

    def means_of(self, table):
        return table[..., 0]

    def variances_of(self, table):
        return table[..., 0] ** 2 / 3.0

    @property
    def support(self):
        return 0.0, 2.0 * float(self.mean.max())


class WrongMean(Sound):
    def means_of(self, table):
        return 1.05 * table[..., 0]


class WrongVariance(Sound):
    def variances_of(self, table):
        return table[..., 0] ** 2 / 2.5


class WrongSupport(Sound):
    @property
    def support(self):
        return 0.0, 1.9 * float(self.mean.max())


class WrongLowerEnd(Sound):
    @property
    def support(self):
        return 0.01, 2.0 * float(self.mean.max())


class OtherWhenCompiled(Sound):
    draw = draw_by_overflow


class ReadsBeyond(Sound):
    draw = draw_beyond


def test_sound_environments_pass():
    check_environment(Sound([0.3, 0.5]))
    check_environment(lowbid.RandomArms(lowbid.Bernoulli, n_arms=2))


@pytest.mark.parametrize(
    ("cls", "what"),
    [
        (WrongMean, "mean of arm"),
        (WrongVariance, "variance of arm"),
        (WrongSupport, "support of arm 1"),
        (WrongLowerEnd, "support of arm"),
        (ReadsBeyond, "test_environments.py, line 27: index 1 is out of bounds"),
        (OtherWhenCompiled, "uncompiled draw of arm 0"),
    ],
)
def test_a_broken_promise_is_caught(cls, what):
    with pytest.raises(AssertionError, match=what):
        check_environment(cls(np.array([0.3, 0.5])))
