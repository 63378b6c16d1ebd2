"""Policies that change each loss before another policy learns from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

from lowbid._compile import kernel, specialise
from lowbid._random import Stream
from lowbid._require import require
from lowbid.policies._arms import Start
from lowbid.policies._base import Floats, Policy

# What the templates are bound to: functions of the policy within.
inner_select: Any = None
inner_hold: Any = None


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
    `policy`. Everything but the losses is left to it.
    """

    policy: Policy

    def __post_init__(self) -> None:
        require(
            isinstance(self.policy, Policy),
            f"policy is {self.policy!r}; give a policy, such as BatchEnsemble().",
        )

    @property
    def stream_name(self) -> str:
        """That of the policy within: it draws what it would draw without its wrapper."""
        return self.policy.stream_name

    @property
    def needs_range(self) -> bool:
        """Whether the policy within assumes that losses are 1 wide."""
        return self.policy.needs_range

    def for_range(self, low: float, high: float) -> Policy:
        """Adapt the policy within."""
        return dataclasses.replace(self, policy=self.policy.for_range(low, high))  # type: ignore[type-var]

    @property
    def scale_free(self) -> bool:
        """As the policy within."""
        return self.policy.scale_free

    @property
    def location_free(self) -> bool:
        """As the policy within."""
        return self.policy.location_free

    @property
    def loss_range(self) -> tuple[float, float]:
        """The losses that the policy within takes."""
        return self.policy.loss_range

    @property
    def best_loss(self) -> float:
        """The loss that the policy within assumes to be the best possible."""
        return self.policy.best_loss

    @property
    def holding(self) -> Callable[..., None] | None:
        """The function `hold` of the policy within, if it has one."""
        within = self.policy.holding
        return None if within is None else specialise(hold, inner_hold=within)

    @property
    def fixed_arms(self) -> str:  # type: ignore[override]
        """Why the arms of the policy within cannot change."""
        return self.policy.fixed_arms

    @property
    def draws_for_ties_only(self) -> bool:  # type: ignore[override]
        """As the policy within."""
        return self.policy.draws_for_ties_only

    @property
    def select_keeps_state(self) -> bool:  # type: ignore[override]
        """As the policy within."""
        return self.policy.select_keeps_state

    @property
    def index_unit(self) -> str:  # type: ignore[override]
        """As the policy within."""
        return self.policy.index_unit

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


class Wrapped(NamedTuple):
    """The parameters or the state of a wrapper that has none of its own."""

    policy: Any


def _within(start: Start) -> Start:
    return lambda n_arms: start(n_arms).policy
