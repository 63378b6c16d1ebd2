"""How the means of drifting arms move: at random, in waves, or as given."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, key, normal, seek_run
from lowbid._require import (
    LARGEST_LOSS,
    invalid,
    require,
    require_finite,
    require_value,
    require_whole,
)
from lowbid.environments._base import column

_MOST_MEANS = 100_000_000


class Path:
    """Base class of paths: the means of `Drifting` arms at each step.

    A path has kernels ``begin`` and ``move`` like those of `Changing`, which write the means to
    the table's first column and update the gaps.
    """

    begin: Any
    move: Any

    def ends(self, start: Floats) -> tuple[Floats, Floats]:
        """The lowest and the highest mean of each arm, for arms that start at these means."""
        raise NotImplementedError

    def world(self, start: Floats, seed: int) -> Any:
        """The data that the kernels read and write."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """The path as plain data, for provenance."""
        raise NotImplementedError


@kernel
def open_gaps(table: Floats, gaps: Floats) -> None:
    """Compute how far each mean is above the lowest."""
    lowest = table[0, 0, 0]
    for arm in range(1, table.shape[1]):
        lowest = min(lowest, table[0, arm, 0])
    for arm in range(table.shape[1]):
        gaps[0, arm] = table[0, arm, 0] - lowest


class Walk(NamedTuple):
    """A random walk: its start, its step size, its walls and its random stream."""

    start: Floats
    sd: float
    low: float
    high: float
    changes_key: np.uint64
    stream: Stream


@kernel
def begin_walk(table: Floats, gaps: Floats, world: Walk, run: int) -> None:
    """Set the means to their starting points."""
    seek_run(world.stream, world.changes_key, run)
    for arm in range(table.shape[1]):
        table[0, arm, 0] = world.start[arm]
    open_gaps(table, gaps)


@kernel
def move_walk(table: Floats, gaps: Floats, world: Walk, step: int) -> None:
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

    begin = begin_walk
    move = move_walk

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


class Swing(NamedTuple):
    """Waves: the centre, amplitude, angle per step and first angle of each arm."""

    middle: Floats
    amplitude: Floats
    speed: Floats
    angle: Floats


@kernel
def begin_wave(table: Floats, gaps: Floats, world: Swing, run: int) -> None:
    """Every run starts in the same way."""


@kernel
def move_wave(table: Floats, gaps: Floats, world: Swing, step: int) -> None:
    """Move the means along their waves."""
    for arm in range(table.shape[1]):
        angle = world.angle[arm] + world.speed[arm] * (step - 1)
        table[0, arm, 0] = world.middle[arm] + world.amplitude[arm] * math.sin(angle)
    open_gaps(table, gaps)


@dataclasses.dataclass(frozen=True)
class Wave(Path):
    """Every mean follows a sine wave around the mean that its arm was given.

    At step t it is mean + amplitude sin(2π ((t - 1) / period + phase)).

    Parameters
    ----------
    amplitude : float or sequence of float
        The largest deviation from the given mean; one number for all arms or one for each.
    period : float or sequence of float
        The number of steps of a full wave.
    phase : float or sequence of float
        Where in its wave an arm starts, as a fraction of the period. By default arms start at equal
        distances from one another, so that each is the best in turn.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Drifting(lowbid.Bernoulli([0.5, 0.5]), lowbid.Wave(0.3, period=1000))
    >>> arms.means_at([1, 251, 501, 751]).round(2)
    array([[0.5, 0.5],
           [0.8, 0.2],
           [0.5, 0.5],
           [0.2, 0.8]])
    """

    amplitude: float | Sequence[float]
    period: float | Sequence[float]
    phase: float | Sequence[float] | None = None

    begin = begin_wave
    move = move_wave

    def __post_init__(self) -> None:
        for name in ("amplitude", "period", "phase"):
            given = getattr(self, name)
            if name == "phase" and given is None:
                continue
            values = np.atleast_1d(column(name, given))
            for value in values.tolist():
                require_finite(name, value, above=-math.inf if name == "phase" else 0.0)
            kept = tuple(values.tolist()) if np.ndim(given) else values.tolist()[0]
            object.__setattr__(self, name, kept)

    def ends(self, start: Floats) -> tuple[Floats, Floats]:
        """The lowest and the highest point of each wave."""
        world = self.world(start, 0)
        return world.middle - world.amplitude, world.middle + world.amplitude

    def world(self, start: Floats, seed: int) -> Swing:
        """The waves of all arms."""
        phase = self.phase
        if phase is None:
            phase = [arm / len(start) for arm in range(len(start))]
        return Swing(
            middle=start,
            amplitude=self._each("amplitude", self.amplitude, start),
            speed=2.0 * math.pi / self._each("period", self.period, start),
            angle=2.0 * math.pi * self._each("phase", phase, start),
        )

    def _each(self, name: str, values: Any, start: Floats) -> Floats:
        numbers = np.atleast_1d(np.asarray(values, np.float64))
        require(
            len(numbers) in (1, len(start)),
            f"{name} has {len(numbers)} numbers for {len(start)} arms; give one for all arms, or "
            "one for each.",
        )
        return np.broadcast_to(numbers, len(start)).copy()

    def describe(self) -> dict[str, Any]:
        """The waves' parameters."""
        values = dataclasses.asdict(self)
        listed = {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}
        return {"path": "Wave", **listed}


class Rows(NamedTuple):
    """Means by step, (step, arm)."""

    means: Floats


@kernel
def begin_given(table: Floats, gaps: Floats, world: Rows, run: int) -> None:
    """Every run starts in the same way."""


@kernel
def move_given(table: Floats, gaps: Floats, world: Rows, step: int) -> None:
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

    begin = begin_given
    move = move_given

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
