"""Bandits that have been used for a while, and policies that record their input."""

from typing import NamedTuple

import numpy as np

from lowbid import Bandit, BatchEnsemble, Policy

# Takes losses and rewards of any size and sign, and its state can be looked into.
ENSEMBLE = BatchEnsemble(baseline="minimum")


def used(policy=None, steps=1500, **options):
    bandit = Bandit(["a", "b", "c", 4], policy, seed=2, horizon=3000, **options)
    for step in range(steps):
        arm = bandit.select()
        bandit.update(arm, loss=(0.3 + 0.1 * step) % 1.0)
    bandit.decide(3)
    return bandit


def go_on(bandit, steps=300):
    chosen = []
    for step in range(steps):
        decision = bandit.decide()
        chosen.append(decision.arm)
        bandit.update(decision, loss=(0.2 + 0.17 * step) % 1.0)
    return chosen


class Told(NamedTuple):
    """The last loss reported for each arm, and its step."""

    losses: np.ndarray
    steps: np.ndarray
    held: np.ndarray


class Listener(Policy):
    """Plays the arms in turn, and remembers the losses reported."""

    def init(self, n_arms, capacity):
        return Told(np.full(n_arms, np.nan), np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64))

    def select(self, state, step, stream):
        return (step - 1) % len(state.losses)

    def update(self, state, arm, loss, step, stream):
        state.losses[arm], state.steps[arm] = loss, step

    @property
    def location_free(self):
        return True


def _hold(parameters, state, arm, change):
    state.held[arm] += change


Listener.hold = staticmethod(_hold)
