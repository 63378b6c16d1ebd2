"""Losses uniform on an interval."""

from __future__ import annotations

import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, uniform
from lowbid.environments._base import Arms


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm."""
    low = table[instance, arm, 0]
    return low + (table[instance, arm, 1] - low) * uniform(stream)


class Uniform(Arms):
    """Arms with losses uniform on [low, high).

    Parameters
    ----------
    low, high : array or float
        The ends of each arm's interval.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.Uniform(low=0.0, high=[1.0, 3.0]).means
    array([0.5, 1.5])
    """

    low: Floats
    high: Floats

    draw = draw

    def __init__(self, low: npt.ArrayLike, high: npt.ArrayLike) -> None:
        super().__init__(low=low, high=high)

    def check(self) -> None:
        """Raise an error for parameters that are not those of a distribution."""
        self.require(self.high >= self.low, "high", "give an upper end no less than the lower one")

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return (table[..., 0] + table[..., 1]) / 2.0

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return (table[..., 1] - table[..., 0]) ** 2 / 12.0

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return float(self.low.min()), float(self.high.max())
