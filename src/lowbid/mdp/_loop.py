"""The loop in which a rule plays episodes in a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, from_start, kernel
from lowbid._random import Stream, seek_loss, seek_run
from lowbid.mdp._course import (
    Course,
    draw_first,
    draw_loss,
    draw_outcome,
    evaluate,
    place_of,
    worth_of,
)
from lowbid.mdp._problem import Problem

# The functions that the templates below are bound to.
init: Any = None
plan: Any = None
act: Any = None
update: Any = None
exploration: Any = None
play_episode: Any = None

# Policies are evaluated forwards but the optimum backwards, so the two differ by rounding. Relative
# to the optimum, a difference of this much, and as much again per hundred stages, is rounding.
_ROUNDING = 1e-13


@kernel
def episode_of_rule(
    parameters: Any,
    problem: Problem,
    state: Any,
    course: Course,
    s: int,
    counts: Ints,
    run_begin: Stream,
    draws: Stream,
    stream: Stream,
    fault: Ints,
) -> float:
    """Play one episode from a state, and return the mean loss of the actions taken.

    If an action does not exist, `fault` is set. The outcome of the n-th visit of (stage, state,
    action) depends only on these and the run.
    """
    per_stage, lost = len(course.actions) * course.n_actions, 0.0
    for stage in range(len(problem.slack)):
        action = act(parameters, problem, state, stage, s, stream)
        if action < 0 or action >= course.actions[s]:
            fault[0], fault[1], fault[2] = stage, s, action
            return 0.0
        visited = from_start(stage * per_stage + s * course.n_actions + action)
        place = from_start(place_of(course, stage, s, action))
        outcome = from_start(course.room * place)
        lost += course.means[place]
        loss = course.losses[outcome]
        if course.is_certain[place] == 0:
            seek_loss(draws, run_begin, visited, counts[visited])
            outcome = draw_outcome(course, place, draws)
            loss = draw_loss(course, place, outcome, draws)
        counts[visited] += 1
        next_s = from_start(course.next_states[outcome])
        update(parameters, problem, state, stage, s, action, loss, next_s, stream)
        s = next_s
    return lost


@allocating_kernel
def play(
    parameters: Any,
    problem: Problem,
    course: Course,
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
    horizon, n_places = len(problem.slack), len(course.actions) * course.n_actions
    rounding = _ROUNDING * (1.0 + horizon / 100.0) * max(abs(optimum), 1.0)
    run_begin, first_begin = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    draws, stream = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    counts = np.zeros(horizon * n_places, np.int64)
    for row in range(regret.shape[0]):
        run = first_run + row
        seek_run(run_begin, keys[0], run)
        seek_run(first_begin, keys[1], run)
        seek_run(stream, keys[2], run)
        counts[:] = 0
        worth = worth_of(course, horizon)
        state = init(parameters, problem)
        total, lost, epsilon, episode = 0.0, 0.0, 0.0, 0
        for i in range(len(checkpoints)):
            before = episode
            while episode < checkpoints[i]:
                if stop[0] != 0:
                    return
                episode += 1
                plan(parameters, problem, state, episode, stream)
                seek_loss(draws, first_begin, 0, episode)
                s = draw_first(course, draws)
                chance = exploration(parameters, problem, episode)
                # Without randomness, the loss of an episode is its policy's value.
                is_path = course.is_path and chance == 0.0
                if not is_path:
                    anew = chance != epsilon
                    lost = evaluate(course, state.policy, chance, anew, worth, fault)
                    epsilon = chance
                taken = play_episode(
                    parameters, problem, state, course, s, counts, run_begin, draws, stream, fault
                )
                if fault[0] >= 0:
                    return
                regretted = (taken if is_path else lost) - optimum
                total += regretted if abs(regretted) > rounding else 0.0
            regret[row, i] = total
            episodes_done[0] += episode - before
        for i in range(len(counts)):
            visits[row, i % visits.shape[1]] += counts[i]
