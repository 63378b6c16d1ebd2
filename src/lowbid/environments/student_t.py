"""Losses with Student's t distribution: symmetric, with heavy tails on both sides."""

from __future__ import annotations

import math

import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, gamma, normal
from lowbid.environments._base import Arms


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm."""
    df = table[instance, arm, 2]
    chi_squared = 2.0 * gamma(stream, 0.5 * df)
    t = normal(stream) / math.sqrt(chi_squared / df)
    return table[instance, arm, 0] + table[instance, arm, 1] * t


class StudentT(Arms):
    """Arms with losses of Student's t distribution.

    Parameters
    ----------
    mean : array
        The arms' mean losses.
    scale : array or float
        The factor by which the standard distribution is stretched.
    df : array or float
        The degrees of freedom, above 2; the fewer, the heavier the tails.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.StudentT([0.0, 0.5], df=3.0).variances
    array([3., 3.])
    """

    mean: Floats
    scale: Floats
    df: Floats

    draw = draw

    def __init__(
        self, mean: npt.ArrayLike, scale: npt.ArrayLike = 1.0, df: npt.ArrayLike = 3.0
    ) -> None:
        super().__init__(mean=mean, scale=scale, df=df)

    def check(self) -> None:
        """Raise an error for parameters without a finite variance."""
        self.require(self.scale > 0, "scale", "give a positive scale")
        self.require(self.df > 2, "df", "give degrees of freedom above 2")

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return table[..., 1] ** 2 * table[..., 2] / (table[..., 2] - 2.0)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return -math.inf, math.inf
