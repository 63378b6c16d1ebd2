"""The kit finds what it promises to find: rules that are broken on purpose."""

import numpy as np
import pytest

from follow import Wanderer
from lowbid._compile import interpreted
from lowbid.testing import check_agent


@pytest.fixture(autouse=True)
def uncompiled():
    with interpreted():
        yield


class ChangesItsMind(Wanderer):
    def update(self, problem, state, stage, s, action, loss, next_s, stream):
        state.policy[:] = 1 - state.policy.clip(0, 1)
        state.policy[:] %= problem.actions


class TossesItsOwnCoins(Wanderer):
    def plan(self, problem, state, episode, stream):
        state.policy[:] = np.random.default_rng().integers(problem.actions)


class HidesItsState(Wanderer):
    def __init__(self):
        object.__setattr__(self, "hidden", [0])

    def plan(self, problem, state, episode, stream):
        self.hidden[0] += 1
        state.policy[:] = self.hidden[0] // 7 % problem.actions


class PlansBeyond(Wanderer):
    def plan(self, problem, state, episode, stream):
        state.policy[len(state.policy)] = 0  # beyond


class ForgetsToSaveItsTurn(Wanderer):
    turns = {}  # noqa: RUF012, a state where none must be

    def init(self, problem):
        state = super().init(problem)
        self.turns[id(state)] = 0
        return state

    def plan(self, problem, state, episode, stream):
        self.turns[id(state)] += 1
        state.policy[:] = self.turns[id(state)] // 3 % problem.actions


def test_rules_in_plain_python_are_agents_too():
    check_agent(Wanderer())


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        (ChangesItsMind(), "before it was reached"),
        (TossesItsOwnCoins(), "differ"),
        (HidesItsState(), "differ"),
        (PlansBeyond(), r"test_agents.py, line \d+: index \d+ is out of bounds"),
        (ForgetsToSaveItsTurn(), "a loaded agent acts differently"),
    ],
)
def test_broken_promises_are_found(rule, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_agent(rule)
