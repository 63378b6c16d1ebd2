"""Backward induction: the template that planning rules are bound to.

Values here are losses, lower is better: how far the return from a stage and a state on is expected
to stay below its bound, or simply its negative. A rule gives an estimate for each action, its
`bid`; the lowest is chosen, and is the state's value.
"""

from __future__ import annotations

import math
from typing import Any

from lowbid._kernel import kernel, specialise
from lowbid._random import Stream
from lowbid.mdp._problem import Problem, group_of
from lowbid.policies._base import Floats
from lowbid.policies._scan import argmin

# The rule of an action's estimate that the template below is bound to, and the lowest value that
# a state may have: 0 for rules whose values are measured from the bound on returns.
bid: Any = None
LOWEST = 0.0


@kernel
def plan_backwards(
    parameters: Any, problem: Problem, state: Any, episode: int, stream: Stream
) -> None:
    """Choose the action of lowest bid at every stage and state, with ties broken at random.

    The rule's state has `policy` (stage, state), `values` (stage + 1, state) whose last row is 0,
    and room for one state's `bids`.
    """
    for stage in range(len(problem.slack) - 1, -1, -1):
        group = group_of(problem, stage)
        for s in range(len(problem.actions)):
            bids: Floats = state.bids[: problem.actions[s]]
            for a in range(len(bids)):
                bids[a] = bid(parameters, problem, state, group, stage, s, a, episode, stream)
            action = argmin(bids, True, stream)
            state.policy[stage, s] = action
            state.values[stage, s] = max(bids[action], LOWEST)


def planner(bid: Any, lowest: float = 0.0) -> Any:
    """Planning by the bids of a rule: ``bid(..., group, stage, s, action, episode, stream)``."""
    return specialise(plan_backwards, bid=bid, LOWEST=lowest)


UNBOUNDED = -math.inf
