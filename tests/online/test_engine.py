"""A policy at work for longer than there is room for at first."""

from typing import NamedTuple

import numpy as np
import pytest

import lowbid
from lowbid import policies
from lowbid.online._engine import _FIRST_CAPACITY
from lowbid.policies._base import arrays_of
from replay import replay

VARIANTS = [policy for name in policies.__all__ for policy in getattr(policies, name).variants()]
STEPS = _FIRST_CAPACITY + 80


def grows(policy) -> bool:
    """Whether the state for more steps is larger."""
    sizes = [
        sum(array.size for array in arrays_of(policy.start(2, steps, steps)[1]))
        for steps in (_FIRST_CAPACITY, 2 * _FIRST_CAPACITY)
    ]
    return sizes[0] < sizes[1]


KEEPERS = [policy for policy in VARIANTS if grows(policy)]


def test_there_are_such_policies():
    classes = {type(policy) for policy in KEEPERS}
    assert {lowbid.BESA, lowbid.GIRO, lowbid.NPTS, lowbid.SemiBoundedIMED, lowbid.SSMC} <= classes


@pytest.mark.slow  # with few arms, the kit for policies checks the same
@pytest.mark.parametrize("policy", KEEPERS, ids=lambda policy: policy.name)
@pytest.mark.parametrize("n_arms", [3, 200])
def test_plays_as_in_a_simulation_with_room_from_the_start(policy, n_arms):
    arms = lowbid.Empirical([np.linspace(0.0, high, 33) for high in np.linspace(0.5, 1.0, n_arms)])
    result = lowbid.simulate(policy, arms, STEPS, runs=1, seed=3, checkpoints=range(1, STEPS + 1))
    played = [moment.arm for moment in replay(policy, arms, STEPS, seed=3)]
    gaps = arms.means - arms.means.min()
    assert np.array_equal(np.bincount(played, minlength=n_arms), result.pulls[0, 0])
    assert np.allclose(np.cumsum(gaps[played]), result.regret[0, 0])


def test_there_is_room_for_values_that_come_without_a_choice():
    bandit = lowbid.Bandit(2, lowbid.BatchEnsemble(growth="redistribute"), seed=0)
    for step in range(STEPS):
        bandit.update(step % 2, loss=(step % 10) / 10)
    history = bandit.state.batches
    assert history.history_length[0] == STEPS
    assert history.history_losses[STEPS - 1] == ((STEPS - 1) % 10) / 10
    assert bandit.capacity == 2 * _FIRST_CAPACITY


class Logged(NamedTuple):
    losses: np.ndarray  # (arm, step)


class Logs(lowbid.Policy):
    """Keeps each loss at its step, and joins states that have the same room only."""

    def init(self, n_arms, capacity):
        return Logged(np.zeros((n_arms, capacity)))

    def select(self, state, step, stream):
        return step % len(state.losses)

    def update(self, state, arm, loss, step, stream):
        state.losses[arm, step - 1] = loss

    def join(self, first, second, sizes, start):
        return Logged(np.concatenate([first.losses, second.losses]))


def test_an_arm_comes_back_with_the_room_that_there_is_now():
    bandit = lowbid.Bandit(["a", "b", "c"], Logs())
    bandit.update_many(["a", "b"], losses=[0.25, 0.5])
    bandit.pause_arm("b")
    for _ in range(STEPS):
        bandit.update("a", loss=1.0)
    bandit.resume_arm("b")
    assert bandit.arms == ["a", "c", "b"]
    assert bandit.state.losses.shape == (3, 2 * _FIRST_CAPACITY)
    assert bandit.state.losses[2].sum() == bandit.state.losses[2, 1] == 0.5
