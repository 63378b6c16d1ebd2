"""What the loops do with features: nothing, unless a policy looks at those of an environment."""

from __future__ import annotations

from typing import Any

from lowbid._arrays import Floats
from lowbid._compile import kernel, specialise
from lowbid.environments import Environment, Featured
from lowbid.policies import Policy

# The policy's functions that the templates below are bound to.
see: Any = None
keep: Any = None


@kernel
def show(state: Any, world: Any) -> None:
    """Show a policy the features of the current step."""
    see(state, world.features)


@kernel
def recall(state: Any, memories: Floats, decision: int) -> None:
    """Show a policy the features of a decision again."""
    see(state, memories[decision])


@kernel
def store(state: Any, memories: Floats, decision: int) -> None:
    """Store what the outcome of a decision will need."""
    keep(state, memories[decision])


@kernel
def show_nothing(state: Any, world: Any) -> None:
    """Without features, there is nothing to show."""


@kernel
def store_nothing(state: Any, memories: Floats, decision: int) -> None:
    """Without features, there is nothing to store, or to recall."""


def looks(policy: Policy, environment: Environment) -> bool:
    """Whether a policy looks at the environment's features."""
    return policy.see is not None and isinstance(environment, Featured)


def show_for(policy: Policy, environment: Environment) -> Any:
    """The function that shows a policy an environment's features."""
    if looks(policy, environment):
        return specialise(show, see=policy.see)
    return show_nothing if policy.compiled else show_nothing.function


def memory_for(policy: Policy, environment: Environment) -> tuple[Any, Any, int]:
    """Functions to store and to recall features, and the number of columns to have room for."""
    if looks(policy, environment) and isinstance(environment, Featured):
        stored, recalled = (
            specialise(store, keep=policy.keep),
            specialise(recall, see=policy.see),
        )
        return stored, recalled, environment.columns
    nothing = store_nothing if policy.compiled else store_nothing.function
    return nothing, nothing, 0


def adapted(policy: Policy, environment: Environment) -> Policy:
    """A policy that is ready for an environment's features."""
    return policy.for_columns(environment.columns) if isinstance(environment, Featured) else policy
