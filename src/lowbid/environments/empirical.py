"""Losses resampled from given data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, integer
from lowbid._require import invalid
from lowbid.environments._base import Arms, column
from lowbid.errors import InvalidValueError


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm: its row is the number of losses, then the losses."""
    return table[instance, arm, 1 + integer(stream, int(table[instance, arm, 0]))]


class Empirical(Arms):
    """Arms that draw uniformly from the losses given for them, with replacement.

    Parameters
    ----------
    data : sequence of arrays
        The losses of each arm; arms may have different numbers of them.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.Empirical([[0.0, 1.0], [0.2, 0.3, 0.4, 0.5]]).means
    array([0.5 , 0.35])
    """

    draw = draw

    def __init__(self, data: Sequence[npt.ArrayLike]) -> None:
        listed = isinstance(data, Sequence | np.ndarray) and not isinstance(data, str | bytes)
        if not listed or getattr(data, "ndim", 1) == 0:
            raise invalid("data", data, "give one list of losses per arm.")
        if len(data) == 0:
            raise invalid("data", data, "give at least one arm.")
        self.data = [np.atleast_1d(column(f"data of arm {i}", row)) for i, row in enumerate(data)]
        with np.errstate(all="ignore"):
            moments = self.means + self.variances
        if not np.isfinite(moments).all():
            raise InvalidValueError(
                "data has losses so large that their mean is infinite; give smaller ones."
            )

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return len(self.data)

    def table(self, seed: int = 0, runs: int = 1) -> Floats:
        """For each arm the number of its losses, then the losses, filled up with zeros."""
        table = np.zeros((1, self.n_arms, 1 + max(len(row) for row in self.data)))
        for arm, row in enumerate(self.data):
            table[0, arm, 0] = len(row)
            table[0, arm, 1 : 1 + len(row)] = row
        return table

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 1:].sum(axis=-1) / table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        filled = np.arange(table.shape[-1] - 1) < table[..., :1]
        deviations = np.where(filled, table[..., 1:] - self.means_of(table)[..., np.newaxis], 0.0)
        return (deviations**2).sum(axis=-1) / table[..., 0]

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return min(row.min() for row in self.data), max(row.max() for row in self.data)

    def describe(self) -> dict[str, Any]:
        """The data themselves."""
        return {"environment": "Empirical", "data": [row.tolist() for row in self.data]}

    def __repr__(self) -> str:
        sizes = ", ".join(str(len(row)) for row in self.data)
        return f"Empirical(<{self.n_arms} arms with {sizes} losses>)"
