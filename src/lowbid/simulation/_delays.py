"""Feedback that is late, lost, or in batches: distributions of delays, and the settings."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._compile import kernel
from lowbid._random import Stream, integer, uniform
from lowbid._require import invalid, require_whole
from lowbid.errors import InvalidValueError

_LONGEST = 1e12  # steps


class Delay:
    """Base class of delays: how many further steps are played before a loss is known.

    A delay draws whole numbers, 0 or larger, by a kernel (or a plain function, which is slower)
    ``draw(table, stream)``, where `table` is an array of its parameters.

    Examples
    --------
    A custom delay, 0 or 50 steps with equal probability:

    >>> import numpy as np
    >>> from lowbid.simulation import Delay
    >>> class Lunch(Delay):
    ...     @staticmethod
    ...     def draw(table, stream):
    ...         stream[0] += np.uint64(0x9E3779B97F4A7C15)
    ...         return 50 * int(stream[0] >> np.uint64(63))
    """

    draw: ClassVar[Callable[..., Any]]

    def table(self) -> npt.NDArray[np.float64]:
        """The parameters that `draw` reads."""
        return np.zeros(1)


@kernel
def _draw_geometric(table: npt.NDArray[np.float64], stream: Stream) -> int:
    # The number of failures before a success, by inverting its distribution function.
    return int(min(math.log(1.0 - uniform(stream)) * table[0], 1e15))


@kernel
def _draw_observed(table: npt.NDArray[np.float64], stream: Stream) -> int:
    return int(table[integer(stream, len(table)) if len(table) > 1 else 0])


@dataclasses.dataclass(frozen=True)
class FixedDelay(Delay):
    """Every loss is known after the same number of further steps.

    Parameters
    ----------
    steps : int
        The number of steps; 0 means before the next step.
    """

    steps: int
    draw = _draw_observed

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", _whole_steps(self.steps))

    def table(self) -> npt.NDArray[np.float64]:
        """The number of steps."""
        return np.array([float(self.steps)])


@dataclasses.dataclass(frozen=True)
class GeometricDelay(Delay):
    """At each further step, a loss becomes known with the same probability.

    Parameters
    ----------
    mean : float
        The mean number of further steps.
    """

    mean: float
    draw = _draw_geometric

    def __post_init__(self) -> None:
        if not (_is_number(self.mean) and 0.0 < self.mean < _LONGEST):
            raise invalid(
                "mean", self.mean, f"give a number of steps, above 0 and below {_LONGEST:g}."
            )

    def table(self) -> npt.NDArray[np.float64]:
        """1 / log(1 - p), where p = 1 / (1 + mean)."""
        p = 1.0 / (1.0 + self.mean)
        return np.array([1.0 / (math.log1p(-p) if p < 1.0 else math.log(self.mean))])


@dataclasses.dataclass(frozen=True)
class ObservedDelay(Delay):
    """Delays drawn uniformly from a list of observed ones.

    Parameters
    ----------
    steps : sequence of int
        The delays.
    """

    steps: tuple[int, ...]
    draw = _draw_observed

    def __post_init__(self) -> None:
        if not isinstance(self.steps, Iterable):
            raise invalid("steps", self.steps, "give a list of the delays observed.")
        object.__setattr__(self, "steps", tuple(map(_whole_steps, self.steps)))
        if not self.steps:
            raise InvalidValueError("steps is empty; give at least one delay.")

    def table(self) -> npt.NDArray[np.float64]:
        """The delays."""
        return np.array(self.steps, dtype=np.float64)


def read_delay(delay: Any) -> Delay:
    """A delay, or a clear error."""
    if isinstance(delay, Delay):
        return delay
    if isinstance(delay, list | tuple | np.ndarray):
        return ObservedDelay(tuple(delay))
    return FixedDelay(delay)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _whole_steps(steps: Any) -> int:
    whole = isinstance(steps, int | np.integer) and not isinstance(steps, bool)
    if not whole or not 0 <= steps < _LONGEST:
        raise invalid(
            "delay",
            steps,
            "give a whole number of steps, 0 or larger, a list of those observed, or an object "
            "such as GeometricDelay(mean=100).",
        )
    return int(steps)


class Late(NamedTuple):
    """How late feedback is, which fraction is lost, and the size of its batches."""

    delay: Delay
    lost: float
    batch: int


def read_late(delay: Any, lost: float, batch: int) -> Late | None:
    """The settings, None if all feedback is immediate, or a clear error."""
    if not (_is_number(lost) and 0.0 <= lost < 1.0):
        raise invalid("lost", lost, "give a probability, at least 0 and below 1.")
    batch = require_whole("batch", batch)
    if batch >= _LONGEST:
        raise invalid("batch", batch, f"give a number of steps below {_LONGEST:g}.")
    late = Late(read_delay(delay), float(lost), batch)
    return None if late == Late(FixedDelay(0), 0.0, 1) else late
