"""Beta-distributed losses."""

from __future__ import annotations

import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, beta
from lowbid.environments._base import Arms


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm."""
    return beta(stream, table[instance, arm, 0], table[instance, arm, 1])


class Beta(Arms):
    """Arms with Beta(a, b) losses, of mean a / (a + b).

    Parameters
    ----------
    a, b : array or float
        The two shapes of each arm.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.Beta(a=[1.0, 2.0], b=2.0).means
    array([0.33333333, 0.5       ])
    """

    a: Floats
    b: Floats

    draw = draw

    def __init__(self, a: npt.ArrayLike, b: npt.ArrayLike) -> None:
        super().__init__(a=a, b=b)

    def check(self) -> None:
        """Raise an error for parameters that are not those of a distribution."""
        self.require(self.a > 0, "a", "give a positive shape")
        self.require(self.b > 0, "b", "give a positive shape")

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0] / (table[..., 0] + table[..., 1])

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        a, b = table[..., 0], table[..., 1]
        return a * b / ((a + b) ** 2 * (a + b + 1.0))

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return 0.0, 1.0
