"""Arms that are themselves drawn at random in each run."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import allocating_kernel
from lowbid._random import Stream, key, seek_run, uniform
from lowbid._require import invalid, require_finite, require_whole
from lowbid.environments._base import Arms, Environment
from lowbid.errors import InvalidValueError

# First parameters of families that one number between `low` and `high` can stand for.
_DRAWN = ("mean", "rate", "a", "loss")
# Each run has a table of its arms.
_MOST_ARMS = 10_000_000


@allocating_kernel
def _fill(values: Floats, arms_key: np.uint64, stream: Stream) -> None:
    """Uniform numbers, (run, arm); a row depends only on the key and its run."""
    for run in range(values.shape[0]):
        seek_run(stream, arms_key, run)
        for arm in range(values.shape[1]):
            values[run, arm] = uniform(stream)


class RandomArms(Environment):
    """Arms of one family whose first parameter is uniform on [low, high), new in each run.

    All policies face the same arms in the same run.

    Parameters
    ----------
    family : type
        The family, such as `Bernoulli`. Its first parameter is the one that is drawn: the mean
        of most families, the rate of `ExponentialByRate`.
    n_arms : int
        The number of arms.
    low, high : float
        The range of the parameter that is drawn.
    **fixed : float
        The family's other parameters, the same for all arms.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.RandomArms(lowbid.Gaussian, n_arms=10, sd=1.0)
    >>> arms.means_of(arms.table(seed=0, runs=100)).shape
    (100, 10)
    """

    def __init__(
        self, family: type[Arms], n_arms: int, low: float = 0.0, high: float = 1.0, **fixed: float
    ) -> None:
        if not (isinstance(family, type) and issubclass(family, Arms)):
            raise invalid("family", family, "give a class such as Bernoulli.")
        self._first, *others = inspect.signature(family).parameters
        if self._first not in _DRAWN:
            raise InvalidValueError(
                f"{family.__name__} arms cannot be drawn at random: their first parameter, "
                f"{self._first}, is not a single number that determines an arm; give a family "
                "such as Bernoulli."
            )
        for name, value in {"low": low, "high": high, **fixed}.items():
            require_finite(name, value, above=-math.inf)
        if not low < high:
            raise InvalidValueError(f"low, high are {low}, {high}; give a finite low < high.")
        self.family, self.low, self.high = family, float(low), float(high)
        self.fixed = {name: float(value) for name, value in fixed.items()}
        self._n_arms = require_whole("n_arms", n_arms, at_most=_MOST_ARMS)
        if unknown := sorted(set(fixed) - set(others)):
            raise InvalidValueError(
                f"{family.__name__} has no parameter {unknown[0]!r} to fix; it has "
                f"{', '.join(others) or 'none'} besides {self._first}, which is drawn."
            )
        # Both ends (just inside an open one) must be arms of the family.
        width = self.high - self.low
        ends = [self.low + 1e-9 * width, self.high - 1e-9 * width]
        self._ends = family(**{self._first: np.array(ends)}, **self.fixed)
        self.draw = family.draw

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return self._n_arms

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return self._ends.support

    def table(self, seed: int = 0, runs: int = 1) -> Floats:
        """The arms' parameters: one instance per run."""
        values = np.zeros((runs, self._n_arms))
        _fill(values, key(seed, "arms"), np.zeros(1, np.uint64))
        row = self._ends.table()[0, 0]
        table = np.broadcast_to(row, (runs, self._n_arms, len(row))).copy()
        table[..., 0] = self.low + (self.high - self.low) * values
        return table

    def drawn(self, seed: int, number: int) -> list[Arms]:
        """The arms of the first runs, each as an environment whose arms are given."""
        values = self.table(seed, require_whole("number", number))[..., 0]
        return [self.family(**{self._first: row}, **self.fixed) for row in values]

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return self._ends.means_of(table)

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return self._ends.variances_of(table)

    def describe(self) -> dict[str, Any]:
        """The family, and what is drawn."""
        return {
            "environment": "RandomArms",
            "family": self.family.__name__,
            "n_arms": self._n_arms,
            "low": self.low,
            "high": self.high,
            **self.fixed,
        }

    def __repr__(self) -> str:
        fixed = "".join(f", {name}={value!r}" for name, value in self.fixed.items())
        return (
            f"RandomArms({self.family.__name__}, n_arms={self._n_arms}, low={self.low:g}, "
            f"high={self.high:g}{fixed})"
        )
