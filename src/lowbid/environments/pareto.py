"""Pareto distributed losses: heavy tails."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, exponential
from lowbid.environments._base import Arms


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm."""
    shape = table[instance, arm, 1]
    return table[instance, arm, 0] * (1.0 - 1.0 / shape) * math.exp(exponential(stream) / shape)


class Pareto(Arms):
    """Arms with Pareto distributed losses, whose tails fall as a power of the loss.

    Parameters
    ----------
    mean : array
        The arms' mean losses.
    shape : array or float
        The power, above 1; with 2 or less the variance is infinite.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.Pareto([1.0, 2.0], shape=[3.0, 1.5]).variances
    array([0.33333333,        inf])
    """

    mean: Floats
    shape: Floats

    draw = draw
    finite_variance: ClassVar[bool] = False

    def __init__(self, mean: npt.ArrayLike, shape: npt.ArrayLike = 3.0) -> None:
        super().__init__(mean=mean, shape=shape)

    def check(self) -> None:
        """Raise an error for parameters without a finite mean."""
        self.require(self.mean > 0, "mean", "give a positive mean")
        self.require(self.shape > 1, "shape", "give a power above 1")

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        shape = np.maximum(table[..., 1], 2.0)
        with np.errstate(divide="ignore"):
            return table[..., 0] ** 2 / (shape * (shape - 2.0))

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return float((self.mean * (1.0 - 1.0 / self.shape)).min()), math.inf
