"""The outcomes of a simulation, one at a time."""

from __future__ import annotations

import numpy as np

from lowbid._arrays import Ints
from lowbid._random import key, seek_loss, stream_of_run
from lowbid._require import invalid, require_whole
from lowbid.mdp._agent import Agent
from lowbid.mdp._base import Rule
from lowbid.mdp._course import draw_first, draw_loss, draw_outcome, place_of
from lowbid.mdp._tabular import Tabular


def first_state(model: Tabular, seed: int, run: int, episode: int) -> int:
    """The first state of an episode, counted from 1, in a run of a simulation with this seed."""
    stream = np.zeros(1, np.uint64)
    seek_loss(stream, stream_of_run(key(seed, "first states"), run), 0, episode)
    return int(draw_first(model.course, stream))


def outcome(
    model: Tabular, seed: int, run: int, stage: int, s: int, action: int, n: int
) -> tuple[float, int]:
    """The outcome of the n-th visit of (stage, state, action), counted from 0: a loss and a state.

    It depends on these numbers, the seed and the run, and on nothing else. The reward is
    ``model.best_reward`` minus the loss.
    """
    course, stream = model.course, np.zeros(1, np.uint64)
    visited = (stage * model.n_states + s) * course.n_actions + action
    seek_loss(stream, stream_of_run(key(seed, "losses"), run), visited, n)
    place = place_of(course, stage, s, action)
    which = draw_outcome(course, place, stream)
    loss = draw_loss(course, place, which, stream)
    return float(loss), int(course.next_states[which])


def train(
    rule: Rule, model: Tabular, episodes: int, seed: int = 0, run: int = 0
) -> tuple[Agent, Ints]:
    """Play one run of a simulation step by step, and return the agent and its visits.

    With run 0 these are the visits of `simulate` with the same seed, (stage, state, action).

    Examples
    --------
    >>> from lowbid import mdp
    >>> agent, visits = mdp.train(mdp.PaddedCounts(), mdp.Chain(3), episodes=10)
    >>> visits.sum(), agent.episode
    (np.int64(30), 10)
    """
    if not isinstance(rule, Rule):
        raise invalid("rule", rule, "give an object such as mdp.PSRL().")
    run = require_whole("run", run, at_least=0)
    agent = Agent.for_model(model, rule, seed=seed, episodes=episodes, compiled="now")
    visits = np.zeros(model.world.means.shape, np.int64)
    counts: dict[tuple[int, int, int], int] = {}
    for episode in range(1, require_whole("episodes", episodes) + 1):
        s = first_state(model, seed, run, episode)
        agent.begin(s)
        for stage in range(model.horizon):
            place = (stage, s, agent.act())
            loss, next_s = outcome(model, seed, run, *place, counts.get(place, 0))
            counts[place] = counts.get(place, 0) + 1
            visits[(0 if model.stationary else stage, *place[1:])] += 1
            agent.take_in(loss, next_s)
            s = next_s
    return agent, visits
