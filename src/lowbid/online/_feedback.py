"""What the caller measures, turned into the losses that a policy takes."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lowbid._kernel import kernel
from lowbid._require import LARGEST_LOSS
from lowbid.errors import InvalidValueError
from lowbid.policies import Policy

Kind = Literal["loss", "reward"]
Range = tuple[float, float]


# What compiled code is told of a `Feedback`.
LOW, WIDTH, SHIFT, FACTOR, ORIGIN, FLOOR, CEILING = range(7)
Scale = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Feedback:
    """How a measured value becomes a loss: ``shift + factor * (value - origin)``.

    Attributes
    ----------
    kind : {"loss", "reward"}
        What the caller measures.
    low, high : float
        The values that are taken.
    floor, ceiling : float
        The losses that the policy takes.
    width : float
        How far the declared range reaches; 0 if none was declared.
    rewards : bool
        Whether the caller measures rewards.
    scale : array
        What `loss_of` is to know.
    """

    kind: Kind
    low: float
    high: float
    floor: float
    ceiling: float
    width: float = 0.0
    shift: float = -0.0  # which added to a number changes nothing, not even the sign of a zero
    factor: float = 1.0
    origin: float = 0.0
    rewards: bool = field(init=False)
    scale: Scale = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        names = ("low", "width", "shift", "factor", "origin", "floor", "ceiling")
        object.__setattr__(self, "rewards", self.kind == "reward")
        object.__setattr__(self, "scale", np.array([getattr(self, name) for name in names], float))

    @property
    def plural(self) -> str:
        """What the caller measures, in words for more than one."""
        return "rewards" if self.rewards else "losses"

    @property
    def declared(self) -> Range | None:
        """The range that the caller declared."""
        return (self.low, self.high) if self.width > 0.0 else None

    def value(self, loss: float) -> float:
        """What the caller would have measured for this loss."""
        return self.origin + (loss - self.shift) / self.factor


@kernel
def loss_of(scale: Scale, value: float) -> float:
    """The loss for the policy."""
    loss = scale[SHIFT] + scale[FACTOR] * (value - scale[ORIGIN])
    return min(max(loss, scale[FLOOR]), scale[CEILING])  # it may be outside by rounding


def feedback_for(policy: Policy, kind: Kind, declared: Range | None) -> Feedback:
    """How values of this kind, from the range that the caller declared, become losses."""
    floor, ceiling = policy.loss_range
    bounded = math.isfinite(ceiling)
    if declared is None:
        if kind == "loss":
            low, high = max(floor, -LARGEST_LOSS), min(ceiling, LARGEST_LOSS)
            return Feedback(kind, low, high, floor, ceiling)
        if bounded or not policy.location_free:
            raise InvalidValueError(
                f"{policy.name} must know the best possible reward: give Bandit(reward_range="
                "(lowest, highest)), or leave the policy out: the default takes any rewards."
            )
        return Feedback(kind, -LARGEST_LOSS, LARGEST_LOSS, floor, ceiling, factor=-1.0)
    low, high = declared
    ends = (low, high, floor, ceiling, high - low)
    factor = (ceiling - floor) / (high - low) if bounded else 1.0
    if kind == "reward":
        return Feedback(kind, *ends, shift=policy.best_loss, factor=-factor, origin=high)
    fits = policy.location_free or low >= policy.best_loss
    if fits and floor <= low and high <= ceiling:
        return Feedback(kind, *ends)
    return Feedback(kind, *ends, shift=policy.best_loss, factor=factor, origin=low)


def read_range(name: str, declared: Any) -> Range | None:
    """A range (low, high), or a clear error."""
    if declared is None:
        return None
    try:
        low, high = (float(end) for end in declared)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(f"{name} is {declared!r}; give two numbers, (0, 1) say.") from error
    if not -LARGEST_LOSS <= low < high <= LARGEST_LOSS:
        raise InvalidValueError(
            f"{name} is {declared!r}; give two finite numbers, the smaller first."
        )
    return low, high


def read_value(value: Any, feedback: Feedback) -> float:
    """A measured value as a number that the policy can use, or a clear error."""
    if type(value) is not float:
        if not isinstance(value, numbers.Real | np.bool_):
            raise InvalidValueError(f"the {feedback.kind} is {value!r}; give one finite number.")
        try:
            value = float(value)
        except OverflowError:
            value = math.inf
        except TypeError as error:  # a time span of NumPy's, which passes for a number
            raise InvalidValueError(
                f"the {feedback.kind} is {value!r}; give one finite number."
            ) from error
    if not feedback.low <= value <= feedback.high:
        raise InvalidValueError(_out_of_range(value, feedback))
    return value


def _out_of_range(value: float, feedback: Feedback) -> str:
    kind, low, high = feedback.kind, feedback.low, feedback.high
    if not math.isfinite(value):
        return f"the {kind} is {value!r}; give a finite number."
    if abs(value) > LARGEST_LOSS:
        return f"the {kind} is {value!r}; scale it to at most {LARGEST_LOSS:g} in size."
    ends = f"of {low:g} or more" if high == LARGEST_LOSS else f"from {low:g} to {high:g}"
    return (
        f"the {kind} is {value!r}, but this bandit takes {feedback.plural} {ends}; scale it, or "
        f"say which there are: Bandit({kind}_range=(lowest, highest))."
    )
