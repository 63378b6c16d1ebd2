"""Means that move at random, for drifting arms."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, key, normal, seek_run
from lowbid._require import LARGEST_LOSS, require, require_finite
from lowbid.environments._path import Path, open_gaps


class Walk(NamedTuple):
    """A random walk: its start, its step size, its walls and its random stream."""

    start: Floats
    sd: float
    low: float
    high: float
    changes_key: np.uint64
    stream: Stream


@kernel
def begin(table: Floats, gaps: Floats, world: Walk, run: int) -> None:
    """Set the means to their starting points."""
    seek_run(world.stream, world.changes_key, run)
    for arm in range(table.shape[1]):
        table[0, arm, 0] = world.start[arm]
    open_gaps(table, gaps)


@kernel
def move(table: Floats, gaps: Floats, world: Walk, step: int) -> None:
    """Take a step with every arm, from the second step on."""
    if step > 1:
        for arm in range(table.shape[1]):
            there = table[0, arm, 0] + world.sd * normal(world.stream)
            table[0, arm, 0] = folded(there, world.low, world.high)
        open_gaps(table, gaps)


@kernel
def folded(x: float, low: float, high: float) -> float:
    """A number reflected at both walls until it lies between them."""
    width = high - low
    beyond = (x - low) % (2.0 * width)
    return low + (beyond if beyond <= width else 2.0 * width - beyond)


@dataclasses.dataclass(frozen=True)
class RandomWalk(Path):
    """Every mean takes a normally distributed step at each time, and is reflected at two walls.

    The walk differs from run to run, and is the same for all policies.

    Parameters
    ----------
    sd : float
        The standard deviation of a step. After n steps, far from the walls, a mean has moved by
        about sd √n.
    low, high : float
        The walls.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Drifting(lowbid.Bernoulli([0.2, 0.8]), lowbid.RandomWalk(sd=0.01))
    >>> arms.means_at([1, 2, 1000], seed=0).round(2)
    array([[0.2 , 0.8 ],
           [0.2 , 0.8 ],
           [0.4 , 0.09]])
    """

    sd: float
    low: float = 0.0
    high: float = 1.0

    begin = begin
    move = move

    def __post_init__(self) -> None:
        require_finite("sd", self.sd, above=0.0, at_most=LARGEST_LOSS)
        for name in ("low", "high"):
            require_finite(name, getattr(self, name), above=-math.inf, at_most=LARGEST_LOSS)
        require(
            self.low < self.high, f"low, high are {self.low}, {self.high}; give a low below high."
        )

    def ends(self, start: Floats) -> tuple[Floats, Floats]:
        """The walls; arms must start between them."""
        for arm, mean in enumerate(start):
            require(
                self.low <= mean <= self.high,
                f"arm {arm} starts at a mean of {mean:g}, outside the walk's walls, {self.low:g} "
                f"and {self.high:g}; give other walls, or start between them.",
            )
        return np.full_like(start, self.low), np.full_like(start, self.high)

    def world(self, start: Floats, seed: int) -> Walk:
        """The walk's parameters, and its stream."""
        return Walk(
            start=start,
            sd=float(self.sd),
            low=float(self.low),
            high=float(self.high),
            changes_key=key(seed, "changes"),
            stream=np.zeros(1, np.uint64),
        )

    def describe(self) -> dict[str, Any]:
        """The walk's parameters."""
        values = {name: float(value) for name, value in dataclasses.asdict(self).items()}
        return {"path": "RandomWalk", **values}
