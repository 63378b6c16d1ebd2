"""Losses of 0 or of the arm's own scale."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, coin
from lowbid.environments._base import Arms
from lowbid.errors import InvalidValueError


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm."""
    scale = table[instance, arm, 1]
    return scale * coin(stream, table[instance, arm, 0] / scale)


class ScaledBernoulli(Arms):
    """Arms whose loss is `scale` with probability `mean` / `scale`, otherwise 0.

    Parameters
    ----------
    mean : array
        The arms' mean losses, from 0 to `scale`.
    scale : array or float
        The arms' only positive loss, b_a in the paper.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.ScaledBernoulli(mean=[0.1, 5.0], scale=[1.0, 100.0]).variances
    array([9.00e-02, 4.75e+02])
    """

    mean: Floats
    scale: Floats

    draw = draw

    def __init__(self, mean: npt.ArrayLike, scale: npt.ArrayLike) -> None:
        super().__init__(mean=mean, scale=scale)

    def check(self) -> None:
        """Raise an error for parameters that are not those of a distribution."""
        self.require(self.scale > 0, "scale", "give a positive scale")
        self.require(self.mean >= 0, "mean", "give a mean of 0 or more")
        for arm in np.flatnonzero(self.mean > self.scale):
            raise InvalidValueError(
                f"ScaledBernoulli: scale of arm {arm} is {self.scale[arm]:g}, but its mean is "
                f"{self.mean[arm]:g}; give a scale no smaller than the mean."
            )

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return table[..., 0] * (table[..., 1] - table[..., 0])

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return 0.0, float(self.scale.max())
