"""Follow a rule episode by episode, uncompiled, with all visits so far at hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import interpreted
from lowbid._random import key, stream_of_run
from lowbid.mdp import Problem, Rule, Tabular
from lowbid.mdp._course import draw_loss, draw_outcome, place_of


class Visit(NamedTuple):
    """What an action brought; `stream` is the rule's own, before it was told."""

    episode: int
    stage: int
    s: int
    a: int
    reward: float
    next_s: int
    stream: Any


class Moment(NamedTuple):
    """One episode after its plan; `stream` is the rule's own, before the plan."""

    episode: int
    told: Problem
    visits: list[Visit]
    state: Any
    stream: Any
    first_stream: Any


def follow(
    rule: Rule, model: Tabular, episodes: int, seed: int = 0, everywhere: bool = True
) -> Iterator[Moment]:
    """Play; `everywhere` lets the rule plan even where nobody can be, to check all of it."""
    with interpreted():
        problem = model.problem(episodes)
        if everywhere:
            problem = problem._replace(earliest=np.zeros_like(problem.earliest))
        parameters, told, state = rule.start(problem)
        stream, world = (
            stream_of_run(key(seed, rule.stream_name), 0),
            np.array([seed + 1], np.uint64),
        )
        first, visits = stream.copy(), []
        random = np.random.default_rng(seed)
        for episode in range(1, episodes + 1):
            before = stream.copy()
            rule.functions.plan(parameters, told, state, episode, stream)
            yield Moment(episode, told, visits, state, before, first.copy())
            s = int(random.choice(model.n_states, p=model.world.first))
            for stage in range(model.horizon):
                a = int(rule.functions.act(parameters, told, state, stage, s, stream))
                place = place_of(model.course, stage, s, a)
                outcome = draw_outcome(model.course, place, world)
                loss = draw_loss(model.course, place, outcome, world)
                next_s = int(model.course.next_states[outcome])
                reward = model.best_reward - loss
                visits.append(Visit(episode, stage, s, a, reward, next_s, stream.copy()))
                rule.functions.update(parameters, told, state, stage, s, a, loss, next_s, stream)
                s = next_s


def best_actions(row: list[float], tolerance: float = 1e-9) -> set[int]:
    """The actions that a rule may choose: all within rounding of the highest value."""
    return {a for a, x in enumerate(row) if x >= max(row) - tolerance * (1 + abs(max(row)))}


def assert_follows(
    policy: Any, table: list[list[list[float]]], where: object = "", earliest: Any = None
) -> None:
    """Every planned action is one of the best by a naive table, (stage, state, action)."""
    for stage, rows in enumerate(table):
        for s, row in enumerate(rows):
            if earliest is not None and earliest[s] > stage:
                continue
            assert int(policy[stage, s]) in best_actions(row), f"{where} stage {stage} state {s}"


class WandererState(NamedTuple):
    """Its plan, and how often each state was left."""

    policy: Any
    counts: Any


@dataclass(frozen=True)
class Wanderer(Rule):
    """In plain Python: takes the actions in turn."""

    def init(self, problem):
        shape = (problem.horizon, problem.n_states)
        return WandererState(np.zeros(shape, np.int64), np.zeros(shape, np.int64))

    def plan(self, problem, state, episode, stream):
        state.policy[:] = state.counts % problem.actions

    def update(self, problem, state, stage, s, action, loss, next_s, stream):
        state.counts[stage, s] += 1
