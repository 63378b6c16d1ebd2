"""Log-normally distributed losses: waiting times, sizes of orders."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, normal
from lowbid.environments._base import Arms


@kernel
def log_normal(mean: float, log_sd: float, stream: Stream) -> float:
    """A log-normal draw, given its mean and the standard deviation of its logarithm."""
    return mean * math.exp(log_sd * (normal(stream) - 0.5 * log_sd))


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm."""
    return log_normal(table[instance, arm, 0], table[instance, arm, 1], stream)


class LogNormal(Arms):
    """Arms with log-normally distributed losses, such as waiting times.

    Parameters
    ----------
    mean : array
        The arms' mean losses.
    log_sd : array or float
        The standard deviations of their logarithms.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.LogNormal([1.0, 2.0], log_sd=0.5).variances.round(3)
    array([0.284, 1.136])
    """

    mean: Floats
    log_sd: Floats

    draw = draw

    def __init__(self, mean: npt.ArrayLike, log_sd: npt.ArrayLike = 1.0) -> None:
        super().__init__(mean=mean, log_sd=log_sd)

    def check(self) -> None:
        """Raise an error for parameters that are not those of a distribution."""
        self.require(self.mean > 0, "mean", "give a positive mean")
        self.require(self.log_sd >= 0, "log_sd", "give a standard deviation of 0 or more")

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return table[..., 0] ** 2 * np.expm1(table[..., 1] ** 2)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return 0.0, math.inf
