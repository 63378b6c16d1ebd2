"""Arms that pay rewards: a loss is the negative of another environment's value."""

from __future__ import annotations

from typing import Any

from lowbid._arrays import Floats
from lowbid._compile import kernel, specialise
from lowbid._random import Stream
from lowbid.environments._base import Arms
from lowbid.environments._wrapped import Wrapped

# What the template below is bound to: the draw of the environment that pays.
_paid: Any = None


@kernel
def _negative(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """The negative of what an arm pays."""
    return -_paid(table, instance, arm, stream)


class Rewards(Wrapped):
    """Arms whose values are rewards: each loss is the negative of a value.

    Parameters
    ----------
    environment : Arms
        Arms of one family, such as `Orders`.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.Rewards(lowbid.Pareto([1.0, 1.5])).means
    array([-1. , -1.5])
    """

    def __init__(self, environment: Arms) -> None:
        super().__init__(environment)
        self.draw = specialise(_negative, _paid=environment.draw)

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return -self.environment.means_of(table)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        low, high = self.environment.support
        return -high, -low
