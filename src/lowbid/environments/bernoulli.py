"""Losses of 0 or 1."""

from __future__ import annotations

import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, coin
from lowbid.environments._base import Arms


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm."""
    return coin(stream, table[instance, arm, 0])


class Bernoulli(Arms):
    """Arms whose loss is 1 with probability `mean`, otherwise 0.

    Parameters
    ----------
    mean : array
        The arms' mean losses, in [0, 1].

    Examples
    --------
    >>> import lowbid
    >>> lowbid.Bernoulli([0.1, 0.5]).variances
    array([0.09, 0.25])
    """

    mean: Floats

    draw = draw

    def __init__(self, mean: npt.ArrayLike) -> None:
        super().__init__(mean=mean)

    def check(self) -> None:
        """Raise an error for parameters that are not those of a distribution."""
        self.require((self.mean >= 0) & (self.mean <= 1), "mean", "give means from 0 to 1")

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return table[..., 0] * (1.0 - table[..., 0])

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return 0.0, 1.0
