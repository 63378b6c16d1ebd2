"""Checks of the arguments with which an agent is created."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowbid._arrays import Ints
from lowbid._compile import WHEN, When, default_when, interpreted
from lowbid._require import invalid, require, require_choice, require_value, require_whole
from lowbid.errors import InvalidValueError
from lowbid.mdp._base import Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp._tables import numbers, read_actions

Range = tuple[float, float]

# What a state may take without being asked for, and how many entries surely take less.
_LARGEST_STATE = 2**32  # bytes
_SURELY_FEW = 10**7


def read_when(compiled: When | None) -> When:
    """When to compile; by default as the environment variable says."""
    if compiled is not None:
        require_choice("compiled", compiled, WHEN)
    return compiled or default_when()


def require_zero(kind: str, given: Range) -> None:
    """Require that the range contains 0, the value of all steps after the end of an episode."""
    low, high = given
    good = low <= 0.0 <= high if kind == "reward" else low == 0.0
    example = f"({min(low, 0.0):g}, {max(high, 0.0):g})" if kind == "reward" else f"(0, {high:g})"
    allowed = f"steps after the end of an episode count as 0; give {example}."
    require_value(f"{kind}_range", given, good, allowed)


def actions_of(n_actions: int | Sequence[int], n_states: int) -> Ints:
    """The number of actions of each state."""
    if isinstance(n_actions, int | np.integer):
        return np.full(n_states, require_whole("n_actions", n_actions), np.int64)
    most = int(numbers("n_actions", n_actions).max(initial=1))
    return read_actions(n_actions, (n_states, most), "n_actions")


def range_of(reward_range: Range | None, loss_range: Range | None) -> tuple[str, Range]:
    """Which of the two was given, and its endpoints."""
    if (reward_range is None) == (loss_range is None):
        given = "both" if reward_range is not None else "neither"
        raise InvalidValueError(
            f"{given} of reward_range and loss_range were given; give the one that you measure, "
            "such as reward_range=(0, 1)."
        )
    kind, given_range = ("reward", reward_range) if loss_range is None else ("loss", loss_range)
    try:
        low, high = (float(0.0 + end) for end in given_range or ())
    except (TypeError, ValueError) as error:
        raise invalid(f"{kind}_range", given_range, "give two numbers, such as (0, 1).") from error
    good = bool(np.isfinite([low, high]).all() and low < high)
    allowed = "give finite numbers, the lower one first."
    require_value(f"{kind}_range", given_range, good, allowed)
    return kind, (low, high)


def require_room(rule: Any, problem: Problem) -> None:
    """Require that a rule has room for any state to follow any action.

    Most rules keep a list of successors for each action, so that would be S times S entries.
    """
    entries = problem.horizon * problem.n_states * problem.n_actions * problem.successors
    if not isinstance(rule, Rule) or entries <= _SURELY_FEW:
        return
    with interpreted():
        one, two = (_bytes(rule.start(problem._replace(successors=n))[2]) for n in (1, 2))
    size = one + (problem.successors - 1) * (two - one)
    require(
        size <= _LARGEST_STATE,
        f"{rule.name} would take {size / 1e9:.0f} GB, since any of the {problem.n_states} states "
        "could follow any action; give successors=..., the largest number of different states that "
        "can.",
    )


def _bytes(state: Any) -> int:
    """The size of the arrays of a state."""
    if isinstance(state, np.ndarray):
        return state.nbytes
    return sum(map(_bytes, state)) if isinstance(state, tuple) else 0
