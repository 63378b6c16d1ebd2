"""Rows of a table, each with features and the loss of every arm."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, integer, key, seek_run
from lowbid._require import require
from lowbid.environments import Featured
from lowbid.errors import InvalidValueError


class World(NamedTuple):
    """The features of the current step, the table, and the stream that rows are drawn from."""

    features: Floats
    rows: Floats
    losses: Floats
    seed: Any
    stream: Any


@kernel
def begin(table: Floats, gaps: Floats, world: World, run: int) -> None:
    """Begin a run."""
    seek_run(world.stream, world.seed[0], run)


@kernel
def move(table: Floats, gaps: Floats, world: World, step: int) -> None:
    """Draw a row."""
    row = integer(world.stream, world.rows.shape[0])
    for j in range(len(world.features)):
        world.features[j] = world.rows[row, j]
    lowest = math.inf
    for arm in range(world.losses.shape[1]):
        table[0, arm, 0] = world.losses[row, arm]
        lowest = min(lowest, world.losses[row, arm])
    for arm in range(world.losses.shape[1]):
        gaps[0, arm] = world.losses[row, arm] - lowest


@kernel
def draw(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """The loss of an arm in the current row."""
    return table[instance, arm, 0]


class Tabled(Featured):
    """Rows of a table, each with features and the loss of every arm.

    At each step a row is drawn, with replacement: a table of past cases, in which every arm's loss
    is known, becomes an environment.

    Parameters
    ----------
    features : array
        (row, column): numbers.
    losses : array
        (row, arm).

    Examples
    --------
    >>> import lowbid
    >>> from lowbid.contextual import LinearIMED
    >>> from lowbid.contextual.problems import Tabled
    >>> cases = Tabled.of_labels([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> result = lowbid.simulate(LinearIMED(), cases, horizon=500, runs=20)
    >>> round(float(result.regret[0, :, -1].mean()), 1)
    2.4
    """

    begin = begin
    move = move
    draw = draw

    def __init__(self, features: npt.ArrayLike, losses: npt.ArrayLike) -> None:
        self.rows = matrix_of("features", features)
        self.losses = matrix_of("losses", losses)
        require(
            len(self.rows) == len(self.losses),
            f"features have {len(self.rows)} rows, and losses {len(self.losses)}; give as many.",
        )
        self.first_table = np.zeros((1, self.losses.shape[1], 1))

    @classmethod
    def of_labels(cls, features: npt.ArrayLike, labels: npt.ArrayLike) -> Self:
        """Classification: one arm for each label, in their order; the wrong ones cost 1."""
        found = np.asarray(labels)
        require(found.ndim == 1 and found.size > 0, "labels are not a list; give one for each row.")
        return cls(features, 1.0 - (found[:, np.newaxis] == np.unique(found)))

    def world(self, seed: int) -> World:
        """The table, and room for the current row."""
        return World(
            features=np.zeros(self.rows.shape[1]),
            rows=self.rows,
            losses=self.losses,
            seed=np.full(1, key(seed, "features"), np.uint64),
            stream=np.zeros(1, np.uint64),
        )

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return float(self.losses.min()), float(self.losses.max())

    def means_of(self, table: Floats) -> Floats:
        """The arms' losses, (instance, arm)."""
        return table[..., 0]

    def variances_of(self, table: Floats) -> Floats:
        """Zero: given the row, a loss is known."""
        return np.zeros(table.shape[:2])

    def describe(self) -> dict[str, Any]:
        """What it was made from."""
        return {
            "environment": "Tabled",
            "features": self.rows.tolist(),
            "losses": self.losses.tolist(),
        }

    def __repr__(self) -> str:
        rows, columns = self.rows.shape
        return f"Tabled({rows} rows, {columns} features, {self.n_arms} arms)"


def matrix_of(name: str, values: Any) -> Floats:
    """A table of finite numbers, or a clear error."""
    try:
        found = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(f"{name} are not numbers; give an array (row, column).") from error
    require(
        found.ndim == 2 and found.size > 0 and bool(np.isfinite(found).all()),
        f"{name} have the shape {found.shape}; give finite numbers, (row, column).",
    )
    return found
