"""Means that move in waves, for drifting arms."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._require import require, require_finite
from lowbid.environments._base import column
from lowbid.environments._path import Path, open_gaps


class Swing(NamedTuple):
    """Waves: the centre, amplitude, angle per step and first angle of each arm."""

    middle: Floats
    amplitude: Floats
    speed: Floats
    angle: Floats


@kernel
def begin(table: Floats, gaps: Floats, world: Swing, run: int) -> None:
    """Every run starts in the same way."""


@kernel
def move(table: Floats, gaps: Floats, world: Swing, step: int) -> None:
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

    begin = begin
    move = move

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
