"""Conversion of the caller's values to the losses that a policy takes."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from lowbid._compile import kernel
from lowbid._require import (
    LARGEST_LOSS,
    invalid,
    is_number,
    real_number,
    require_choice,
    require_value,
)
from lowbid.errors import InvalidValueError
from lowbid.policies import Policy

# Values this far from 0 that differ by 0.1 or less cannot be told apart by all policies.
FAR = 1e13

Kind = Literal["loss", "reward"]
Range = tuple[float, float]

# How a value becomes a loss. It is saved because a state holds losses, not values.
_MAPPING = ("shift", "factor", "origin")

# The entries of `Feedback.scale`, which compiled code reads.
SCALE = ("low", "width", "shift", "factor", "origin", "floor", "ceiling")
LOW, WIDTH, SHIFT, FACTOR, ORIGIN, FLOOR, CEILING = range(len(SCALE))
Scale = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Feedback:
    """How a measured value becomes a loss: ``shift + factor * (value - origin)``.

    Attributes
    ----------
    kind : {"loss", "reward"}
        Whether the caller measures losses or rewards.
    low, high : float
        The range of values that are accepted.
    floor, ceiling : float
        The range of losses that the policy accepts.
    width : float
        The width of the declared range; 0 if none was declared.
    needed_by : str
        The policy that does not know the range of losses, and therefore only accepts those in [0,
        1].
    rewards : bool
        Whether the caller measures rewards.
    near_low, near_high : float
        Values between these are accepted and not too far from 0 to be told apart.
    scale : array
        The numbers that `scaled_loss` reads.
    """

    kind: Kind
    low: float
    high: float
    floor: float
    ceiling: float
    width: float = 0.0
    shift: float = -0.0  # adding it changes nothing, not even the sign of a zero
    factor: float = 1.0
    origin: float = 0.0
    needed_by: str = ""
    rewards: bool = field(init=False)
    near_low: float = field(init=False, compare=False, repr=False)
    near_high: float = field(init=False, compare=False, repr=False)
    scale: Scale = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rewards", self.kind == "reward")
        far = FAR if self.width == 0.0 else math.inf  # a declared range is measured from its end
        object.__setattr__(self, "near_low", max(self.low, -far))
        object.__setattr__(self, "near_high", min(self.high, far))
        object.__setattr__(self, "scale", np.array([getattr(self, name) for name in SCALE], float))

    @property
    def plural(self) -> str:
        """The kind of values that the caller measures, in the plural."""
        return "rewards" if self.rewards else "losses"

    @property
    def declared(self) -> Range | None:
        """The range that the caller declared."""
        return (self.low, self.high) if self.width > 0.0 else None

    @property
    def declared_losses(self) -> Range | None:
        """The lowest and the highest loss that the policy will see, if a range was declared."""
        if self.declared is None:
            return None
        ends = [scaled_loss.function(self.scale, value) for value in self.declared]
        return float(min(ends)), float(max(ends))

    def to_data(self) -> dict[str, Any]:
        """The data that `feedback_from` needs besides the policy."""
        mapping = {name: getattr(self, name) for name in _MAPPING}
        return {"kind": self.kind, "range": self.declared, **mapping}

    def value(self, loss: float) -> float:
        """The value that corresponds to this loss."""
        return self.origin + (loss - self.shift) / self.factor


@kernel
def scaled_loss(scale: Scale, value: float) -> float:
    """The loss for the policy."""
    loss = scale[SHIFT] + scale[FACTOR] * (value - scale[ORIGIN])
    return min(max(loss, scale[FLOOR]), scale[CEILING])  # rounding may put it outside


def read_range(name: str, declared: Any) -> Range:
    """A range (low, high), or a clear error."""
    try:
        ends = [] if isinstance(declared, str | bytes) else list(declared)
    except TypeError:
        ends = []
    numbers_given = [real_number(end) for end in ends]
    if len(ends) != 2 or None in numbers_given:
        raise invalid(name, declared, "give two numbers, such as (0, 1).")
    low, high = numbers_given
    if not -LARGEST_LOSS <= low < high <= LARGEST_LOSS:  # type: ignore[operator]
        raise invalid(name, declared, "give two finite numbers, the smaller first.")
    return low, high  # type: ignore[return-value]


def feedback_for(policy: Policy, kind: Kind, declared: Range | None) -> Feedback:
    """How values of this kind, from the range that the caller declared, become losses.

    The best value becomes the loss that the policy considers the best possible, so that choices do
    not depend on the unit of measurement or on its zero. If a policy takes losses in a fixed range,
    the declared range is scaled to it.
    """
    if declared is None:
        return _without_range(policy, kind)
    (low, high), (floor, ceiling) = declared, policy.loss_range
    ends = (low, high, floor, ceiling, high - low)
    bounded = math.isfinite(ceiling)
    if kind == "loss" and (declared == (floor, ceiling) if bounded else _starts_right(policy, low)):
        return Feedback(kind, *ends)  # exactly as it was measured
    factor = (ceiling - floor) / (high - low) if bounded else 1.0
    if kind == "reward":
        return Feedback(kind, *ends, shift=policy.best_loss, factor=-factor, origin=high)
    return Feedback(kind, *ends, shift=policy.best_loss, factor=factor, origin=low)


def _starts_right(policy: Policy, low: float) -> bool:
    return policy.location_free or low == policy.best_loss


def feedback_from(policy: Policy, saved: dict[str, Any] | None) -> Feedback | None:
    """Restore what `to_data` returned, or raise an error if it cannot have been so."""
    if saved is None:
        return None
    require_choice("kind", saved["kind"], get_args(Kind))
    declared = None if saved["range"] is None else read_range("range", saved["range"])
    made = feedback_for(policy, saved["kind"], declared)
    mapping = {name: saved[name] for name in _MAPPING if name in saved}
    for name, value in mapping.items():
        finite = is_number(value) and abs(value) < math.inf
        require_value(name, value, finite, "give a finite number.")
    return dataclasses.replace(made, **mapping)


def _without_range(policy: Policy, kind: Kind) -> Feedback:
    """How values of this kind become losses if nothing was declared."""
    floor, ceiling = policy.loss_range
    if kind == "reward" and (math.isfinite(ceiling) or not policy.location_free):
        raise InvalidValueError(
            f"{policy.name} must know the best possible reward: give Bandit(reward_range="
            "(lowest, highest)), or leave the policy out: the default takes any rewards."
        )
    low, high = -LARGEST_LOSS, LARGEST_LOSS
    if kind == "loss":
        low, high = max(floor, low), min(ceiling, high)
    needed_by = policy.name if policy.needs_range else ""
    if needed_by:
        low, high = max(low, 0.0), min(high, 1.0)
    factor = -1.0 if kind == "reward" else 1.0
    return Feedback(kind, low, high, floor, ceiling, factor=factor, needed_by=needed_by)


def policy_for(policy: Policy, feedback: Feedback | None) -> Policy:
    """The policy to run when values become losses in this way."""
    ends = None if feedback is None else feedback.declared_losses
    return policy if ends is None else policy.for_range(*ends)
