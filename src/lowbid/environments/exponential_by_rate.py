"""Exponentially distributed losses, by rate: one over the mean."""

from __future__ import annotations

import math

import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, exponential
from lowbid.environments._base import Arms


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm, from its rate."""
    return exponential(stream) / table[instance, arm, 0]


class ExponentialByRate(Arms):
    """Arms with exponentially distributed losses, given by their rates.

    Parameters
    ----------
    rate : array
        One over the arms' mean losses.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.ExponentialByRate([0.5, 2.0]).means
    array([2. , 0.5])
    """

    rate: Floats

    draw = draw

    def __init__(self, rate: npt.ArrayLike) -> None:
        super().__init__(rate=rate)

    def check(self) -> None:
        """Raise an error for parameters that are not those of a distribution."""
        self.require(self.rate > 0, "rate", "give a positive rate")

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return 1.0 / table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return 1.0 / table[..., 0] ** 2

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return 0.0, math.inf
