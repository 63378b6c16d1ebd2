"""Normally distributed losses."""

from __future__ import annotations

import math

import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, normal
from lowbid.environments._base import Arms


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm."""
    return table[instance, arm, 0] + table[instance, arm, 1] * normal(stream)


class Gaussian(Arms):
    """Arms with normally distributed losses.

    Parameters
    ----------
    mean : array
        The arms' mean losses.
    sd : array or float
        Their standard deviations.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.Gaussian([0.0, 0.5], sd=2.0).variances
    array([4., 4.])
    """

    mean: Floats
    sd: Floats

    draw = draw

    def __init__(self, mean: npt.ArrayLike, sd: npt.ArrayLike = 1.0) -> None:
        super().__init__(mean=mean, sd=sd)

    def check(self) -> None:
        """Raise an error for parameters that are not those of a distribution."""
        self.require(self.sd >= 0, "sd", "give a standard deviation of 0 or more")

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return table[..., 1] * table[..., 1]

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return -math.inf, math.inf
