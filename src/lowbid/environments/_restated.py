"""Arms whose losses are reported on another scale than the regret is counted on."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.environments._base import Arms
from lowbid.environments._wrapped import Wrapped

# What the template below is bound to: the draw of the losses as they are.
_as_is: Any = None


@kernel
def _restated(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """A loss, less the second-to-last column, in units of the last."""
    columns = table.shape[2]
    loss = _as_is(table, instance, arm, stream)
    return (loss - table[instance, arm, columns - 2]) / table[instance, arm, columns - 1]


class Restated(Wrapped):
    """Arms that report their losses from a zero of its own, in a unit of its own.

    That is what `Bandit` does with losses of a declared range for a policy that takes losses from 0
    to 1. Means and variances, and so the regret, stay those of the losses as they are.

    Parameters
    ----------
    environment : Arms
        The arms.
    zero : float
        The loss that is reported as 0.
    unit : float
        How much larger the loss is that is reported as 1.

    Examples
    --------
    >>> import lowbid
    >>> arms = Restated(lowbid.Uniform(low=[1.0, 2.0], high=[3.0, 5.0]), zero=1.0, unit=4.0)
    >>> arms.support
    (0.0, 1.0)
    >>> arms.means
    array([2. , 3.5])
    """

    def __init__(self, environment: Arms, zero: float, unit: float) -> None:
        super().__init__(environment)
        require_finite("zero", zero, above=-np.inf)
        require_finite("unit", unit, above=0.0)
        self.zero, self.unit = float(zero), float(unit)
        self.draw = specialise(_restated, _as_is=environment.draw)

    def table(self, seed: int = 0, runs: int = 1) -> Floats:
        """The arms' parameters, the zero, and the unit."""
        table = self.environment.table(seed, runs)
        scale = np.broadcast_to([self.zero, self.unit], (*table.shape[:2], 2))
        return np.concatenate([table, scale], axis=2)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that is reported."""
        low, high = self.environment.support
        return (low - self.zero) / self.unit, (high - self.zero) / self.unit

    def describe(self) -> dict[str, Any]:
        """The arms, and how their losses are reported."""
        return {**super().describe(), "zero": self.zero, "unit": self.unit}

    def __repr__(self) -> str:
        return f"Restated({self.environment!r}, zero={self.zero:g}, unit={self.unit:g})"
