"""Parts shared by model-free rules: tables by stage, and how they are read.

Entries are losses (lower is better): negated returns, or how far returns stay below their bound. A
table that changes at a stage is not read at that stage again in the same episode, so the policy
that was fixed when the episode began is the one that is played.
"""

from __future__ import annotations

from typing import Any

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, integer, uniform
from lowbid.mdp._problem import Problem
from lowbid.policies import argmin

# The choice at one stage and state that the template below is bound to.
choose: Any = None


@kernel
def plan_once(parameters: Any, problem: Problem, state: Any, episode: int, stream: Stream) -> None:
    """Choose everywhere before the first episode; later, wherever something changed."""
    if episode == 1:
        for stage in range(len(problem.slack)):
            for s in range(len(problem.actions)):
                choose(parameters, problem, state, stage, s, stream)


@kernel
def choose_lowest(
    parameters: Any, problem: Problem, state: Any, stage: int, s: int, stream: Stream
) -> None:
    """Plan the action with the lowest entry; ties are broken uniformly at random."""
    entries: Floats = state.table[stage, s, : problem.actions[s]]
    state.policy[stage, s] = argmin(entries, True, stream)


@kernel
def lowest_entry(entries: Floats) -> float:
    """The lowest of some entries."""
    lowest = entries[0]
    for i in range(1, len(entries)):
        lowest = min(lowest, entries[i])
    return lowest


@kernel
def step_size(fixed: float, horizon: int, count: float) -> float:
    """A fixed step, or (H + 1) / (H + n) if it is 0."""
    return fixed if fixed > 0.0 else (horizon + 1.0) / (horizon + count)


@kernel
def act_with_exploration(
    parameters: Any, problem: Problem, state: Any, stage: int, s: int, stream: Stream
) -> int:
    """Take the planned action, or with probability epsilon a uniform one."""
    if uniform(stream) < parameters.epsilon:
        return integer(stream, problem.actions[s])
    return state.policy[stage, s]


@kernel
def exploration(parameters: Any, problem: Problem, episode: int) -> float:
    """The probability of a uniform action."""
    return parameters.epsilon
