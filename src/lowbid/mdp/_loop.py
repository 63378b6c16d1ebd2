"""The one loop: a rule, a model, and the episodes that they play."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._kernel import allocating_kernel, kernel
from lowbid._random import Stream, seek_loss, seek_run
from lowbid.mdp._problem import Problem
from lowbid.mdp._world import (
    World,
    draw_first,
    draw_loss,
    draw_outcome,
    evaluate,
    first_change,
    occupancy_of,
)
from lowbid.policies._base import Floats, Ints

# The functions that the templates below are bound to.
init: Any = None
plan: Any = None
act: Any = None
update: Any = None
exploration: Any = None
play_episode: Any = None

# Policies are evaluated forwards but the optimum backwards, so the two differ by rounding. Relative
# to the optimum, this much is put down to rounding, and as much again per hundred stages.
_ROUNDING = 1e-13


@kernel
def episode_of_rule(
    parameters: Any,
    problem: Problem,
    state: Any,
    world: World,
    s: int,
    counts: Ints,
    visits: Ints,
    run_begin: Stream,
    draws: Stream,
    stream: Stream,
    fault: Ints,
) -> bool:
    """Play one episode from a state; False, and `fault` is set, if an action does not exist.

    The outcome of the n-th visit of (stage, state, action) depends only on these and the run.
    """
    n_states, n_actions = world.means.shape[1], world.means.shape[2]
    for stage in range(len(problem.slack)):
        action = act(parameters, problem, state, stage, s, stream)
        if action < 0 or action >= world.actions[s]:
            fault[0], fault[1], fault[2] = stage, s, action
            return False
        at = 0 if len(world.means) == 1 else stage
        place = (stage * n_states + s) * n_actions + action
        seek_loss(draws, run_begin, place, counts[place])
        counts[place] += 1
        visits[(at * n_states + s) * n_actions + action] += 1
        outcome = draw_outcome(world, at, s, action, draws)
        loss = draw_loss(world, at, s, action, outcome, draws)
        next_s = world.next_states[at, s, action, outcome]
        update(parameters, problem, state, stage, s, action, loss, next_s, stream)
        s = next_s
    return True


@allocating_kernel
def play(
    parameters: Any,
    problem: Problem,
    world: World,
    optimum: float,
    keys: Stream,
    first_run: int,
    checkpoints: Ints,
    regret: Floats,
    visits: Ints,
    episodes_done: Ints,
    stop: Ints,
    fault: Ints,
) -> None:
    """Play the runs `first_run`, ..., one per row of `regret`, and record them.

    `keys` are the keys of the outcomes, of the first states and of the rule. `regret` is (run,
    checkpoint) and exact: the value of each episode's policy is computed, not sampled. `visits` is
    (run, place). The number of episodes played so far is kept in `episodes_done`. The loop ends
    early when `stop` is set, or `fault`, whose first entry is -1 while all is well.
    """
    horizon, n_states = len(problem.slack), len(world.actions)
    rounding = _ROUNDING * (1.0 + horizon / 100.0) * max(abs(optimum), 1.0)
    run_begin, first_begin = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    draws, stream = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    counts = np.zeros(horizon * n_states * world.means.shape[2], np.int64)
    for row in range(regret.shape[0]):
        run = first_run + row
        seek_run(run_begin, keys[0], run)
        seek_run(first_begin, keys[1], run)
        seek_run(stream, keys[2], run)
        counts[:] = 0
        seen = occupancy_of(world, horizon)
        state = init(parameters, problem)
        total, lost, epsilon, episode = 0.0, 0.0, 0.0, 0
        for i in range(len(checkpoints)):
            before = episode
            while episode < checkpoints[i]:
                if stop[0] != 0:
                    return
                episode += 1
                plan(parameters, problem, state, episode, stream)
                now = exploration(parameters, problem, episode)
                since = first_change(state.policy, seen) if now == epsilon else 0
                if since < horizon:
                    epsilon = now
                    lost = evaluate(world, state.policy, epsilon, since, seen, fault) - optimum
                    if fault[0] >= 0:
                        return
                    if abs(lost) <= rounding:
                        lost = 0.0
                total += lost
                seek_loss(draws, first_begin, 0, episode)
                s = draw_first(world, draws)
                if not play_episode(
                    parameters,
                    problem,
                    state,
                    world,
                    s,
                    counts,
                    visits[row],
                    run_begin,
                    draws,
                    stream,
                    fault,
                ):
                    return
            regret[row, i] = total
            episodes_done[0] += episode - before
