"""Parse the caller's arguments: ranges, values, and whether they are losses or rewards."""

from __future__ import annotations

import math
from typing import Any

from lowbid._compile import WHEN, When
from lowbid._require import LARGEST_LOSS, invalid, real_number, require_choice, require_whole
from lowbid.errors import InvalidValueError
from lowbid.online._decisions import Decision
from lowbid.online._features import Columns, Features
from lowbid.online._feedback import Feedback, Kind, feedback_for, read_range
from lowbid.policies import BatchLikelihood, Policy

# The two ways to report the outcome of one arm, and of many.
ONE = ("update(arm, loss={})", "update(arm, reward={})")
MANY = ("update_many(arms, losses={})", "update_many(arms, rewards={})")
# Decisions of one call. They are made one after another, before the first is returned.
MOST_DECISIONS = 100_000


def read_number_of_decisions(n: Any) -> int | None:
    """How many decisions to make in one call, None for a single one; or a clear error."""
    return None if n is None else require_whole("n", n, at_least=0, at_most=MOST_DECISIONS)


def read_kind(ways: tuple[str, str], bare: tuple[Any, ...], loss: Any, reward: Any) -> Kind:
    """Which of loss and reward was given, or a clear error."""
    if bare:
        first, second = (way.format(repr(bare[0])) for way in ways)
        raise InvalidValueError(
            f"{bare[0]!r} may be a loss or a reward; say which: {first} or {second}."
        )
    if (loss is None) != (reward is None):
        return "loss" if reward is None else "reward"
    first, second = (way.format("...") for way in ways)
    if loss is None:
        raise InvalidValueError(f"nothing was given; use {first} or {second}.")
    raise InvalidValueError(
        f"got both loss={loss!r} and reward={reward!r}; pass only one: {first} or {second}."
    )


def read_list(name: str, values: Any) -> list[Any]:
    """A list, or a clear error."""
    try:
        return list(values)
    except TypeError as error:
        raise invalid(name, values, "give a list.") from error


def read_feedback(policy: Policy, loss_range: Any, reward_range: Any) -> Feedback | None:
    """How values become losses, given the caller's declarations; None if there are none."""
    if loss_range is not None and reward_range is not None:
        raise InvalidValueError("give loss_range or reward_range, not both.")
    if loss_range is None and reward_range is None:
        return None
    kind: Kind = "loss" if reward_range is None else "reward"
    declared = loss_range if kind == "loss" else reward_range
    return feedback_for(policy, kind, read_range(f"{kind}_range", declared))


def read_value(value: Any, feedback: Feedback) -> float:
    """A measured value as a number that the policy can use, or a clear error."""
    number = value if type(value) is float else real_number(value)
    if number is None:
        message = f"the {feedback.kind} is {value!r}; give one finite number."
        raise InvalidValueError(message, field=feedback.kind, value=value)
    if not feedback.low <= number <= feedback.high:
        message = _out_of_range(number, feedback)
        raise InvalidValueError(message, field=feedback.kind, value=value)
    return number


def _out_of_range(value: float, feedback: Feedback) -> str:
    kind, low, high = feedback.kind, feedback.low, feedback.high
    if not math.isfinite(value):
        return f"the {kind} is {value!r}; give a finite number."
    if abs(value) > LARGEST_LOSS:
        return f"the {kind} is {value!r}; scale it to at most {LARGEST_LOSS:g} in size."
    if feedback.needed_by:
        return (
            f"the {kind} is {value!r}, but {feedback.needed_by} takes {feedback.plural} from "
            f"{low:g} to {high:g} unless it knows their range: give "
            f"Bandit({kind}_range=(lowest, highest)), or give the policy its scale."
        )
    ends = f"of {low:g} or more" if high == LARGEST_LOSS else f"from {low:g} to {high:g}"
    return (
        f"the {kind} is {value!r}, but this bandit takes {feedback.plural} {ends}; scale it, or "
        f"declare the right range with {kind}_range=(lowest, highest)."
    )


def read_policy(policy: Any, features: Features | None) -> Policy:
    """The policy to use, or a clear error if it cannot use features that were declared."""
    if policy is None and features is not None:
        from lowbid.contextual import LinearIMED  # of no use to others

        return LinearIMED()
    if policy is None:
        return BatchLikelihood()
    if not isinstance(policy, Policy):
        raise invalid("policy", policy, "give an object such as UCB1().")
    if features is not None and policy.see is None:
        raise InvalidValueError(
            f"{policy.name} does not look at features; leave policy out, or choose one of "
            "lowbid.contextual, such as LinearIMED().",
            field="policy",
            value=policy,
        )
    return policy


def require_on_sure(features: Features | None, on_sure: str) -> None:
    """Refuse to settle on one arm for everybody."""
    if features is not None and on_sure != "keep":
        raise InvalidValueError(
            f"on_sure is {on_sure!r}, but with features another arm may be the best one for "
            "others; leave on_sure out.",
            field="on_sure",
            value=on_sure,
        )


def read_context(features: Features | None, given: Any) -> Columns | None:
    """The columns for the features given; an error if there should be none, or some."""
    if features is None:
        if given is None:
            return None
        raise InvalidValueError(
            "features were given, but this bandit was made without; declare them: "
            "Bandit(arms, features={...}).",
            field="features",
            value=given,
        )
    if given is None:
        raise InvalidValueError(
            "this bandit decides by features, and none were given; give features={...}.",
            field="features",
        )
    return features.read(given)


def read_context_of(features: Features | None, what: Any, given: Any) -> Columns | None:
    """The columns for an outcome's features; a decision has its own."""
    if isinstance(what, Decision):
        if given is None:
            return None
        raise InvalidValueError(
            "a decision has its features already; report its outcome without.", field="features"
        )
    return read_context(features, given)


def read_when(compiled: When | None) -> When | None:
    """When to compile; None if not given."""
    if compiled is not None:
        require_choice("compiled", compiled, WHEN)
    return compiled
