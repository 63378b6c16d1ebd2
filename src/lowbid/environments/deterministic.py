"""Losses without noise."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream
from lowbid.environments._base import Arms


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm."""
    return table[instance, arm, 0]


class Deterministic(Arms):
    """Arms whose loss is always the same.

    Parameters
    ----------
    loss : array
        The arms' losses.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.Deterministic([0.2, 0.3]).variances
    array([0., 0.])
    """

    loss: Floats

    draw = draw

    def __init__(self, loss: npt.ArrayLike) -> None:
        super().__init__(loss=loss)

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return np.zeros_like(table[..., 0])

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return float(self.loss.min()), float(self.loss.max())
