"""What a rule knows about a problem before the first episode."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import kernel
from lowbid._require import require, require_whole
from lowbid.policies import Limits, one_of, whole


class Problem(NamedTuple):
    """What a rule knows before the first episode; kernels read it.

    Rules work with losses. If the caller has rewards, the loss is ``best_reward - reward``; if the
    caller has losses, `best_reward` is 0 and a reward is a negated loss.

    Attributes
    ----------
    actions
        The number of actions of each state, (state,); these are numbered from 0.
    first
        The probability of each first state, (state,).
    bounds
        The highest possible return from each stage onwards, (stage,), and 0 after the last one.
    slack
        The drop of the bound from one stage to the next, minus `best_reward`, (stage,). A loss plus
        this, summed over an episode, is how far the return stays below its bound. It is 0 unless
        there is a bound on whole returns.
    spans
        The highest possible return from each stage onwards, minus the lowest.
    best_reward
        The highest possible reward of one step.
    groups
        1 if all stages are alike and their visits are pooled, otherwise the number of stages.
    successors
        The largest number of states that can follow a state and an action.
    episodes
        The number of episodes; 0 if unknown.
    earliest
        The first stage at which each state can be reached, (state,); 0 where unknown. It saves
        rules the work of planning for unreachable states, and has no other use.
    """

    actions: Ints
    first: Floats
    bounds: Floats
    slack: Floats
    spans: Floats
    best_reward: float
    groups: int
    successors: int
    episodes: int
    earliest: Ints

    def limits(self, _: object) -> Limits:
        """See `lowbid.policies._limits`."""
        yield "n_states", whole(1)
        yield "horizon", whole(1)
        yield "actions", whole(1)
        yield "groups", one_of(1, self.horizon)
        yield "successors", whole(1, self.n_states)
        yield "episodes", whole(0)
        yield "earliest", whole(0, self.horizon)

    @property
    def n_states(self) -> int:
        """The number of states."""
        return len(self.actions)

    @property
    def n_actions(self) -> int:
        """The largest number of actions of any state."""
        return int(self.actions.max())

    @property
    def horizon(self) -> int:
        """The number of stages of an episode."""
        return len(self.slack)


@kernel
def group_of(problem: Problem, stage: int) -> int:
    """The group in which visits at a stage are counted."""
    return 0 if problem.groups == 1 else stage


def problem_of(
    actions: Ints,
    horizon: int,
    *,
    reward_range: tuple[float, float],
    first: Floats | None = None,
    best_return: float | None = None,
    stationary: bool = True,
    successors: int | None = None,
    episodes: int | None = None,
    earliest: Ints | None = None,
) -> Problem:
    """Assemble what a rule knows about a problem.

    Parameters
    ----------
    actions : array of int
        The number of actions of each state.
    horizon : int
        The number of stages.
    reward_range : (float, float)
        The lowest and the highest reward per step; for losses (-worst, 0).
    first : array, optional
        The probability of each first state; uniform by default.
    best_return : float, optional
        The highest possible return of an episode, if it is below ``horizon * best_reward``.
    stationary : bool
        Whether all stages are alike.
    successors : int, optional
        The largest number of states that can follow a state and an action; by default all.
    episodes : int, optional
        The number of episodes.
    earliest : array of int, optional
        The first stage at which each state can be reached.
    """
    worst, best = reward_range
    require(worst <= best, f"the lowest reward, {worst:g}, is above the highest, {best:g}.")
    left = np.arange(horizon, -1, -1, dtype=np.float64)
    bounds = best * left
    if best_return is not None:
        bounds = np.minimum(bounds, best_return)
        bounds[-1] = 0.0
    slack = np.zeros(horizon) if best_return is None else bounds[:-1] - bounds[1:] - best
    return Problem(
        actions=np.ascontiguousarray(actions, np.int64),
        first=np.full(len(actions), 1.0 / len(actions)) if first is None else first,
        bounds=bounds,
        slack=slack,
        spans=np.maximum(bounds - worst * left, 0.0),
        best_reward=float(best),
        groups=1 if stationary else horizon,
        successors=len(actions) if successors is None else min(int(successors), len(actions)),
        episodes=0 if episodes is None else require_whole("episodes", episodes),
        earliest=np.zeros(len(actions), np.int64) if earliest is None else earliest,
    )
