"""Follow a policy whose indices are redrawn at each step, and compare it with naive draws."""

import numpy as np

import lowbid
from replay import lowest_arms, spelled_out


def follow(policy, indices, steps: int = 300) -> None:
    """`indices(losses, stream)` draws from a copy of the policy's stream."""
    rng = np.random.default_rng(0)
    bandit = lowbid.Bandit(4, policy, seed=3)
    losses = [[] for _ in range(4)]
    for arm in range(3):  # three values, so that no short-cut for two is taken
        bandit.update(arm, loss=(arm + 1) / 7)
        losses[arm].append((arm + 1) / 7)
    for _ in range(steps):
        stream = bandit.stream.copy()
        arm = bandit.select()
        assert arm in lowest_arms(indices(losses, stream))
        losses[arm].append(rng.beta(1 + arm, 2))
        bandit.update(arm, loss=losses[arm][-1])


def state_after(policy, losses):
    """The parameters, the state and a stream after losses of one arm."""
    parameters, state = policy.start(1, capacity=len(losses))
    stream = np.array([11], np.uint64)
    for step, loss in enumerate(losses, start=1):
        policy.kernels.update(parameters, state, 0, loss, step, stream)
    return parameters, state, stream


def assert_unplayed_first(policy) -> None:
    """Each of many arms is played once before any is played again."""
    bandit = lowbid.Bandit(20, spelled_out(policy), seed=0)
    played = []
    for _ in range(20):
        played.append(bandit.select())
        bandit.update(played[-1], loss=0.0)
    assert sorted(played) == list(range(20))


def assert_plays_on(policy) -> None:
    """A long history of one value is no obstacle."""
    for loss in (0.0, 0.3, 1.0):
        bandit = lowbid.Bandit(3, policy, seed=0)
        for _ in range(400):
            bandit.update(bandit.select(), loss=loss)
        assert bandit.step == 401
