"""Segments: arms whose losses are 0 or 1, with chances that differ between groups."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import integer, key, seek_run
from lowbid._require import require
from lowbid.contextual.problems._linear import draw_coin
from lowbid.contextual.problems._tabled import matrix_of
from lowbid.environments import Featured


class World(NamedTuple):
    """The segment of the current step, as one column for each, and the means of all."""

    features: Floats
    means: Floats
    seed: Any
    stream: Any


@kernel
def begin(table: Floats, gaps: Floats, world: World, run: int) -> None:
    """Begin a run."""
    seek_run(world.stream, world.seed[0], run)


@kernel
def move(table: Floats, gaps: Floats, world: World, step: int) -> None:
    """Draw a segment."""
    segment = integer(world.stream, world.means.shape[0])
    for j in range(len(world.features)):
        world.features[j] = 1.0 if j == segment else 0.0
    lowest = math.inf
    for arm in range(world.means.shape[1]):
        table[0, arm, 0] = world.means[segment, arm]
        lowest = min(lowest, world.means[segment, arm])
    for arm in range(world.means.shape[1]):
        gaps[0, arm] = world.means[segment, arm] - lowest


class Segments(Featured):
    """Arms whose losses are 0 or 1, with chances that differ between equally frequent segments.

    Parameters
    ----------
    means : array
        (segment, arm): the mean losses, from 0 to 1. The features are a column of 0 and 1 for each
        segment.
    """

    begin = begin
    move = move
    draw = draw_coin

    def __init__(self, means: npt.ArrayLike) -> None:
        self.means = matrix_of("means", means)
        good = bool(((self.means >= 0.0) & (self.means <= 1.0)).all())
        require(good, "means are below 0 or above 1; give chances from 0 to 1.")
        self.first_table = np.zeros((1, self.means.shape[1], 1))

    def world(self, seed: int) -> World:
        """The means, and room for the current segment."""
        return World(
            features=np.zeros(len(self.means)),
            means=self.means,
            seed=np.full(1, key(seed, "features"), np.uint64),
            stream=np.zeros(1, np.uint64),
        )

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return 0.0, 1.0

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return table[..., 0] * (1.0 - table[..., 0])

    def describe(self) -> dict[str, Any]:
        """What it was made from."""
        return {"environment": "Segments", "means": self.means.tolist()}

    def __repr__(self) -> str:
        return f"Segments({len(self.means)} segments, {self.n_arms} arms)"
