"""What the caller measures, turned into the losses that a policy takes."""

from __future__ import annotations

import math
import numbers
from typing import Any, Literal, NamedTuple

import numpy as np

from lowbid._require import LARGEST_LOSS
from lowbid.errors import InvalidValueError
from lowbid.policies import Policy

Kind = Literal["loss", "reward"]
Range = tuple[float, float]


class Feedback(NamedTuple):
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
    same : bool
        Whether losses are handed on as they are.
    """

    kind: Kind
    low: float
    high: float
    shift: float
    factor: float
    origin: float
    floor: float
    ceiling: float
    same: bool
    width: float = 0.0

    @property
    def plural(self) -> str:
        """What the caller measures, in words for more than one."""
        return "losses" if self.kind == "loss" else "rewards"

    @property
    def declared(self) -> Range | None:
        """The range that the caller declared."""
        return (self.low, self.high) if self.width > 0.0 else None

    def loss(self, value: float) -> float:
        """The loss for the policy."""
        if self.same:
            return value
        loss = self.shift + self.factor * (value - self.origin)
        if loss < self.floor:  # by rounding; `max` and `min` would take as long as all the rest
            return self.floor
        return self.ceiling if loss > self.ceiling else loss

    def value(self, loss: float) -> float:
        """What the caller would have measured for this loss."""
        return loss if self.same else self.origin + (loss - self.shift) / self.factor


def feedback_for(policy: Policy, kind: Kind, declared: Range | None) -> Feedback:
    """How values of this kind, from the range that the caller declared, become losses."""
    floor, ceiling = policy.loss_range
    bounded = math.isfinite(ceiling)
    if declared is None:
        if kind == "loss":
            low, high = max(floor, -LARGEST_LOSS), min(ceiling, LARGEST_LOSS)
            return Feedback(kind, low, high, 0.0, 1.0, 0.0, floor, ceiling, same=True)
        if bounded or not policy.location_free:
            raise InvalidValueError(
                f"{policy.name} must know the best possible reward: give Bandit(reward_range="
                "(lowest, highest)), or leave the policy out: the default takes any rewards."
            )
        return Feedback(
            kind, -LARGEST_LOSS, LARGEST_LOSS, 0.0, -1.0, 0.0, floor, ceiling, same=False
        )
    low, high = declared
    factor = (ceiling - floor) / (high - low) if bounded else 1.0
    if kind == "reward":
        factor, origin, same = -factor, high, False
    else:
        fits = policy.location_free or low >= policy.best_loss
        origin, same = low, fits and floor <= low and high <= ceiling
    shift = policy.best_loss
    return Feedback(
        kind, low, high, shift, factor, origin, floor, ceiling, same=same, width=high - low
    )


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
