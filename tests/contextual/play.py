"""Play policies on features by their kernels, as bandits and simulations do."""

import numpy as np

from lowbid._random import key, stream_of_run

GOLDEN_ROWS = [
    (
        i % 3,
        ((7 * i) % 11, 100.0 * ((3 * i) % 5)),
        ((5 * i) % 7) / 2 + 0.5 * (i % 3) + 0.1 * ((7 * i) % 11) * (1 if i % 3 == 0 else -1),
    )
    for i in range(30)
]


class Player:
    """A policy and its state."""

    def __init__(self, policy, n_arms, seed=0):
        self.policy = policy
        self.parameters, self.state = policy.start(n_arms)
        self.stream = stream_of_run(key(seed, policy.stream_name), 0)
        self.step = 1

    def see(self, x):
        self.policy.see.function(self.state, np.asarray(x, float))

    def select(self, x, step=None):
        self.see(x)
        step = self.step if step is None else step
        return self.policy.kernels.select(self.parameters, self.state, step, self.stream)

    def update(self, arm, x, loss):
        self.see(x)
        kernel = self.policy.kernels.update
        kernel(self.parameters, self.state, arm, float(loss), self.step, self.stream)
        self.step += 1

    def hold(self, arm, x, change):
        self.see(x)
        self.policy.hold(self.parameters, self.state, arm, change)


def golden(policy):
    """A policy that has seen the rows of the specification, and chose once for (4, 250)."""
    player = Player(policy, 3)
    for row in GOLDEN_ROWS:
        player.update(*row)
    player.select((4, 250), step=3)  # up to step 3, the noise and the level start afresh
    return player


def history(rng, n_arms, columns, steps):
    """Random (arm, features, loss)."""
    weights = rng.normal(size=(n_arms, columns))
    for _ in range(steps):
        arm, x = int(rng.integers(n_arms)), rng.normal(size=columns) * 3 + 5
        yield arm, x, weights[arm] @ x + rng.normal()
