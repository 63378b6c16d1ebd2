"""How many batches Batch Ensemble uses at each step.

A schedule maps the step t = 1, 2, ... to a number of batches, at least 1 and never less than
before. Any function of t will do; the ones in the paper have names here.
"""

from __future__ import annotations

import bisect
import dataclasses
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lowbid._require import require_finite, require_probability, require_whole
from lowbid.errors import InvalidValueError

# Each arm needs memory for every batch, and empty batches are useless.
MOST_BATCHES = 100_000
# With it, a schedule stays below the limit up to the largest possible step.
_LARGEST_WEIGHT = 1000.0


class Schedule:
    """Base class of the named schedules, and optionally of your own."""

    def __call__(self, step: int) -> int:
        """The number of batches at a step."""
        raise NotImplementedError

    def at_horizon(self, horizon: int | None) -> Schedule:
        """The schedule for a known horizon; most do not depend on it."""
        return self

    @property
    def grows(self) -> bool:
        """Whether the number of batches is not the same at every step."""
        return True


@dataclasses.dataclass(frozen=True)
class Fixed(Schedule):
    """The same number of batches at every step.

    Examples
    --------
    >>> Fixed(12)(1000)
    12
    """

    batches: int

    def __post_init__(self) -> None:
        require_whole("batches", self.batches, at_most=MOST_BATCHES)

    def __call__(self, step: int) -> int:
        """The number of batches."""
        return self.batches

    @property
    def grows(self) -> bool:
        """A fixed number does not grow."""
        return False


@dataclasses.dataclass(frozen=True)
class Logarithmic(Schedule):
    """max(`least`, floor(c log t)): the shape of the paper's experiments, which c = 0.3 fits.

    Examples
    --------
    >>> [Logarithmic(0.3)(step) for step in (1, 785, 786, 2000)]
    [1, 1, 2, 2]
    >>> Logarithmic(0.8, least=2)(1)
    2
    """

    c: float
    least: int = 1

    def __post_init__(self) -> None:
        require_finite("c", self.c, above=0.0, at_most=_LARGEST_WEIGHT)
        require_whole("least", self.least, at_most=MOST_BATCHES)

    def __repr__(self) -> str:
        least = "" if self.least == 1 else f", least={self.least!r}"
        return f"Logarithmic(c={self.c!r}{least})"

    def __call__(self, step: int) -> int:
        """The number of batches at a step."""
        return max(self.least, math.floor(self.c * math.log(step)))


@dataclasses.dataclass(frozen=True)
class HighProbability(Schedule):
    """ceil((7/2) log(2 T / delta)) batches at every step: Theorem 1 of the paper.

    The horizon T may be omitted: a simulation fills in its own.

    Examples
    --------
    >>> HighProbability(delta=0.05, horizon=2000)(1)
    40
    """

    delta: float = 0.05
    horizon: int | None = None

    def __post_init__(self) -> None:
        require_probability("delta", self.delta)
        if self.horizon is not None:
            require_whole("horizon", self.horizon)

    def __call__(self, step: int) -> int:
        """The number of batches."""
        if self.horizon is None:
            raise InvalidValueError(
                "HighProbability needs a horizon: give HighProbability(delta, horizon=T), or "
                "choose a schedule that needs none, such as Anytime() or Logarithmic(c)."
            )
        return math.ceil(3.5 * math.log(2.0 * self.horizon / self.delta))

    @property
    def grows(self) -> bool:
        """The number depends on the horizon, not on the step."""
        return False

    def at_horizon(self, horizon: int | None) -> Schedule:
        """The schedule with the horizon filled in, if it was left out."""
        return self if self.horizon is not None else dataclasses.replace(self, horizon=horizon)


@dataclasses.dataclass(frozen=True)
class Anytime(Schedule):
    """ceil(8 log t), at least 1: Theorem 2 of the paper, without a horizon or a confidence level.

    It is built for the proof: 61 batches at t = 2000 play almost uniformly.

    Examples
    --------
    >>> [Anytime()(step) for step in (1, 2, 2000)]
    [1, 6, 61]
    """

    def __call__(self, step: int) -> int:
        """The number of batches at a step."""
        return max(1, math.ceil(8.0 * math.log(step)))


def require_schedule(batches: int | Callable[[int], int]) -> None:
    """Refuse what is neither a number of batches nor a function from steps to such numbers."""
    if isinstance(batches, type):
        raise InvalidValueError(
            f"batches is the class {batches.__name__}; give an object of it: "
            f"{batches.__name__}(...)."
        )
    if not callable(batches):
        Fixed(batches)
    elif not isinstance(batches, Schedule):
        batches_at(batches, 1)


def schedule_of(batches: int | Callable[[int], int], horizon: int | None) -> Callable[[int], int]:
    """The number of batches at each step, for the horizon if it is known."""
    schedule = batches if callable(batches) else Fixed(batches)
    return schedule.at_horizon(horizon) if isinstance(schedule, Schedule) else schedule


def batches_at(schedule: Callable[[int], int], step: int) -> int:
    """The number of batches at a step, or an error."""
    what = f"the schedule's number of batches at step {step}"
    return require_whole(what, schedule(step), at_most=MOST_BATCHES)


def growth_steps(schedule: Callable[[int], int], capacity: int) -> npt.NDArray[np.int64]:
    """The steps at which the 1st, 2nd, ... batch comes into use, up to `capacity` steps.

    One more entry, larger than every step, ends the list.
    """
    if isinstance(schedule, Fixed | Logarithmic | HighProbability | Anytime):
        steps = [
            bisect.bisect_left(range(1, capacity + 1), batches, key=schedule) + 1
            for batches in range(1, schedule(capacity) + 1)
        ]
    else:
        steps = _steps_of_any_function(schedule, capacity)
    return np.array([*steps, np.iinfo(np.int64).max], dtype=np.int64)


def _steps_of_any_function(schedule: Callable[[int], int], capacity: int) -> list[int]:
    steps: list[int] = []
    for step in range(1, capacity + 1):
        batches = batches_at(schedule, step)
        if batches < len(steps):
            raise InvalidValueError(
                f"the schedule shrinks from {len(steps)} to {batches} batches at step {step}; "
                "batches can be added but not removed."
            )
        steps.extend([step] * (batches - len(steps)))
    return steps
