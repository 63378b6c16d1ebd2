"""Means that are given for each step, for drifting arms."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._require import invalid, require, require_value, require_whole
from lowbid.environments._path import Path, open_gaps

_MOST_MEANS = 100_000_000


class Rows(NamedTuple):
    """Means by step, (step, arm)."""

    means: Floats


@kernel
def begin(table: Floats, gaps: Floats, world: Rows, run: int) -> None:
    """Every run starts in the same way."""


@kernel
def move(table: Floats, gaps: Floats, world: Rows, step: int) -> None:
    """Use the means of this step; after the last row they stay the same."""
    if step <= world.means.shape[0]:
        for arm in range(table.shape[1]):
            table[0, arm, 0] = world.means[step - 1, arm]
        open_gaps(table, gaps)


class GivenMeans(Path):
    """Given means at each step, the same in all runs.

    Parameters
    ----------
    means : array
        The arms' means at step 1, 2, ..., (step, arm); after the last row they stay the same.

    Examples
    --------
    >>> import lowbid
    >>> fading = lowbid.GivenMeans.of(lambda step: [0.5, 0.8 - 0.0005 * step], steps=1000)
    >>> lowbid.Drifting(lowbid.Bernoulli([0.5, 0.8]), fading).means_at([1, 600, 2000])
    array([[0.5   , 0.7995],
           [0.5   , 0.5   ],
           [0.5   , 0.3   ]])
    """

    begin = begin
    move = move

    def __init__(self, means: npt.ArrayLike) -> None:
        try:
            self.means = np.array(means, np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise invalid("means", means, "give a table of numbers, (step, arm).") from error
        require(
            self.means.ndim == 2 and self.means.size > 0,
            f"means has the shape {self.means.shape}; give one row for each step, with one number "
            "for each arm.",
        )
        require(
            bool(np.isfinite(self.means).all()),
            "means contains NaN or infinities; give finite numbers.",
        )

    @classmethod
    def of(cls, function: Callable[[int], npt.ArrayLike], steps: int) -> GivenMeans:
        """The means that a function returns for steps 1 to `steps`."""
        require_value("function", function, callable(function), "give a function of the step.")
        steps = require_whole("steps", steps, at_most=_MOST_MEANS)
        return cls([function(step) for step in range(1, steps + 1)])  # type: ignore[arg-type]

    def ends(self, start: Floats) -> tuple[Floats, Floats]:
        """The lowest and the highest of each arm's means."""
        require(
            self.means.shape[1] == len(start),
            f"means has {self.means.shape[1]} columns for {len(start)} arms; give one for each.",
        )
        return self.means.min(axis=0), self.means.max(axis=0)

    def world(self, start: Floats, seed: int) -> Rows:
        """The means."""
        return Rows(self.means)

    def describe(self) -> dict[str, Any]:
        """The number of steps, and a fingerprint of the means."""
        digest = hashlib.sha256(np.ascontiguousarray(self.means).tobytes()).hexdigest()
        return {"path": "GivenMeans", "steps": len(self.means), "sha256": digest}

    def __repr__(self) -> str:
        return f"GivenMeans({len(self.means)} steps of {self.means.shape[1]} arms)"
