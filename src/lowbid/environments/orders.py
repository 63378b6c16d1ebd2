"""Orders: most visits bring nothing, some an amount of money, and a few are refunded at a cost."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, uniform
from lowbid.environments._base import Arms
from lowbid.environments.log_normal import log_normal


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """The amount of one visit."""
    if uniform(stream) >= table[instance, arm, 0]:
        return 0.0
    sign = -1.0 if uniform(stream) < table[instance, arm, 3] else 1.0
    return sign * log_normal(table[instance, arm, 1], table[instance, arm, 2], stream)


class Orders(Arms):
    """Visits that end in an order with some probability; orders have log-normal sizes.

    Amounts are rewards: wrap them in `Rewards`, whose losses are their negatives.

    Parameters
    ----------
    rate : array
        The probability of an order, for each arm.
    size : array or float
        The mean size of an order.
    log_sd : array or float
        The standard deviation of the logarithm of an order's size.
    refunds : array or float
        The share of orders that cost their size instead of bringing it.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.Rewards(lowbid.Orders([0.02, 0.024], size=50.0)).means
    array([-1. , -1.2])
    """

    rate: Floats
    size: Floats
    log_sd: Floats
    refunds: Floats

    draw = draw

    def __init__(
        self,
        rate: npt.ArrayLike,
        size: npt.ArrayLike = 50.0,
        log_sd: npt.ArrayLike = 1.0,
        refunds: npt.ArrayLike = 0.0,
    ) -> None:
        super().__init__(rate=rate, size=size, log_sd=log_sd, refunds=refunds)

    def check(self) -> None:
        """Raise an error for parameters that are not those of a distribution."""
        for name in ("rate", "refunds"):
            values = self.columns[name]
            self.require((values >= 0) & (values <= 1), name, "give a probability from 0 to 1")
        self.require(self.size > 0, "size", "give a positive mean size")
        self.require(self.log_sd >= 0, "log_sd", "give a standard deviation of 0 or more")

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean amounts, (instance, arm)."""
        return table[..., 0] * table[..., 1] * (1.0 - 2.0 * table[..., 3])

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        squares = table[..., 0] * table[..., 1] ** 2 * np.exp(table[..., 2] ** 2)
        return squares - self.means_of(table) ** 2

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest amount that can occur."""
        return -math.inf if self.refunds.any() else 0.0, math.inf
