"""Arms whose losses are occasionally misreported."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel, specialise
from lowbid._random import Stream, uniform
from lowbid._require import LARGEST_LOSS, require_finite, require_probability
from lowbid.environments._base import Arms
from lowbid.environments._wrapped import Wrapped

# What the template below is bound to: the draw of the losses that are right.
_right: Any = None


@kernel
def _right_or_wrong(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """A loss, or the value in the last column with the probability in the one before it."""
    columns = table.shape[2]
    if uniform(stream) < table[instance, arm, columns - 2]:
        return table[instance, arm, columns - 1]
    return _right(table, instance, arm, stream)


class Contaminated(Wrapped):
    """Arms whose losses are occasionally replaced by one gross error.

    Means and variances are those of the true losses, and so is the regret: the report is wrong, not
    the arm.

    Parameters
    ----------
    environment : Arms
        The arms.
    value : float
        The value that is reported instead of a loss.
    chance : float
        The probability of a wrong report.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Contaminated(lowbid.Bernoulli([0.1, 0.2]), value=-1e6, chance=1e-4)
    >>> arms.means
    array([0.1, 0.2])
    """

    def __init__(self, environment: Arms, value: float, chance: float) -> None:
        super().__init__(environment)
        require_finite("value", value, above=-math.inf, at_most=LARGEST_LOSS)
        require_probability("chance", chance, ends=True)
        self.value, self.chance = float(value), float(chance)
        self.draw = specialise(_right_or_wrong, _right=environment.draw)

    def table(self, seed: int = 0, runs: int = 1) -> Floats:
        """The arms' parameters, the probability of a wrong report, and its value."""
        table = self.environment.table(seed, runs)
        wrong = np.broadcast_to([self.chance, self.value], (*table.shape[:2], 2))
        return np.ascontiguousarray(np.concatenate([table, wrong], axis=2))

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        low, high = self.environment.support
        return min(low, self.value), max(high, self.value)

    def describe(self) -> dict[str, Any]:
        """The arms, and how they are misreported."""
        return {**super().describe(), "value": self.value, "chance": self.chance}

    def __repr__(self) -> str:
        return f"Contaminated({self.environment!r}, value={self.value:g}, chance={self.chance:g})"
