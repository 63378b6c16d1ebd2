"""Follow a policy on arms that change, with everything that it saw, in order."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import lowbid
from replay import lowest_arms

SWITCHING = lowbid.Switching(
    [lowbid.Bernoulli([0.2, 0.5, 0.8]), lowbid.Bernoulli([0.8, 0.5, 0.2])], after=[120, 260]
)
NOISY = lowbid.Switching(
    [lowbid.Gaussian([0.2, 0.5, 0.8], sd=0.3), lowbid.Gaussian([0.8, 0.5, 0.2])], after=[120, 260]
)


class Moment(NamedTuple):
    """One step: what was played before it, what is played now, and the stream before that."""

    step: int
    history: list[tuple[int, float]]
    arm: int
    stream: Any
    state: Any


def follow(policy: lowbid.Policy, environment: lowbid.Changing, horizon: int) -> Iterator[Moment]:
    """Play a policy through the online object."""
    bandit = lowbid.Bandit(environment.n_arms, policy, seed=3, horizon=horizon)
    history: list[tuple[int, float]] = []
    stage = environment.stage(3)
    environment.begin(*stage, 0)
    noise = np.array([5], np.uint64)
    for step in range(1, horizon + 1):
        environment.move(*stage, step)
        stream = bandit.stream.copy()
        arm = bandit.select()
        yield Moment(step, history, arm, stream, bandit.state)
        loss = float(environment.draw(stage.table, 0, arm, noise))
        bandit.update(arm, loss=loss)
        history.append((arm, loss))


def assert_lowest(arm: int, indices: list[float]) -> None:
    assert arm in lowest_arms(indices)
