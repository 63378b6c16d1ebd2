"""Policies that change each loss before another policy learns from it."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from lowbid._compile import kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_value
from lowbid.policies._arms import Start
from lowbid.policies._base import Floats, Kernels, Policy

# What the templates are bound to: functions of the policy within.
inner_select: Any = None
inner_hold: Any = None
# What a wrapper says of itself is what the policy within says.
_LEFT_TO_POLICY = (
    "best_loss",
    "draws_for_ties_only",
    "fixed_arms",
    "forgets",
    "index_unit",
    "location_free",
    "loss_range",
    "needs_range",
    "scale_free",
    "select_keeps_state",
    "stream_name",
)


@kernel
def select(parameters: Any, state: Any, step: int, stream: Stream) -> int:
    """Play what the policy within plays."""
    return inner_select(parameters.policy, state.policy, step, stream)


@kernel
def hold(parameters: Any, state: Any, arm: int, change: int) -> None:
    """Count decisions of an arm whose losses are not known yet."""
    inner_hold(parameters.policy, state.policy, arm, change)


class Wrapper(Policy):
    """Base class of policies that wrap another one, their field `policy`.

    Their parameters and their states are named tuples that have those of the policy within as
    `policy`. Everything but the losses is left to it, the stream of random numbers as well: it
    draws what it would draw without its wrapper.
    """

    policy: Policy
    # Templates of kernels that call `inner_init` and `inner_update` of the policy within.
    init_within: ClassVar[Any]
    update_within: ClassVar[Any]

    def __post_init__(self) -> None:
        require_value(
            "policy",
            self.policy,
            isinstance(self.policy, Policy),
            "give a policy, such as BatchEnsemble().",
        )

    def for_range(self, low: float, high: float) -> Policy:
        """Adapt the policy within."""
        return dataclasses.replace(self, policy=self.policy.for_range(low, high))  # type: ignore[type-var]

    @property
    def kernels(self) -> Kernels:  # type: ignore[override]
        """The rule of the policy within, on other losses."""
        within = self.policy.kernels
        return Kernels(
            specialise(self.init_within, inner_init=within.init),
            specialise(select, inner_select=within.select),
            specialise(self.update_within, inner_update=within.update),
        )

    @property
    def holding(self) -> Callable[..., None] | None:
        """The function `hold` of the policy within, if it has one."""
        within = self.policy.holding
        return None if within is None else specialise(hold, inner_hold=within)

    def describe(self, horizon: int) -> str:
        """The parameters, and what the policy within says of itself."""
        return f"{self.identity}, {self.policy.describe(horizon)}"

    def chance(self, state: Any, step: int, arm: int) -> float | None:
        """The probability with which the policy within has just chosen an arm."""
        return self.policy.chance(state.policy, step, arm)

    def indices(self, parameters: Any, state: Any, step: int) -> Floats:
        """The indices of the policy within."""
        return self.policy.indices(parameters.policy, state.policy, step)

    def take(self, state: Any, n_arms: int, arms: Any, start: Start) -> Any:
        """See `Policy.take`."""
        taken = self.policy.take(state.policy, n_arms, arms, _within(start))
        return state._replace(policy=taken)

    def join(self, first: Any, second: Any, sizes: tuple[int, int], start: Start) -> Any:
        """See `Policy.join`."""
        joined = self.policy.join(first.policy, second.policy, sizes, _within(start))
        return first._replace(policy=joined)

    def merge(self, first: Any, second: Any) -> Any:
        """See `Policy.merge`."""
        return first._replace(policy=self.policy.merge(first.policy, second.policy))


for _name in _LEFT_TO_POLICY:
    setattr(Wrapper, _name, property(operator.attrgetter(f"policy.{_name}")))


class Wrapped(NamedTuple):
    """The parameters or the state of a wrapper that has none of its own."""

    policy: Any


def _within(start: Start) -> Start:
    return lambda n_arms: start(n_arms).policy
