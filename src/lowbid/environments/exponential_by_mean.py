"""Exponentially distributed losses, by mean.

The paper says that an exponential with scale lambda has the mean 1 / lambda; NumPy's `scale` is
the mean itself, and only that fits the paper's figures. There is therefore one class per reading.
"""

from __future__ import annotations

import math

import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, exponential
from lowbid.environments._base import Arms


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm, from its mean."""
    return table[instance, arm, 0] * exponential(stream)


class ExponentialByMean(Arms):
    """Arms with exponentially distributed losses, given by their means.

    Parameters
    ----------
    mean : array
        The arms' mean losses.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.ExponentialByMean([0.5, 2.0]).variances
    array([0.25, 4.  ])
    """

    mean: Floats

    draw = draw

    def __init__(self, mean: npt.ArrayLike) -> None:
        super().__init__(mean=mean)

    def check(self) -> None:
        """Raise an error for parameters that are not those of a distribution."""
        self.require(self.mean > 0, "mean", "give a positive mean")

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return table[..., 0] ** 2

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return 0.0, math.inf
