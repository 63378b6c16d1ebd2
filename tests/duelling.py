"""Follow a policy that plays rounds of duels, and compare it with its naive twin."""

import numpy as np

import lowbid

DRAWS = {
    "coins": lambda rng, arm: float(rng.random() < 0.3 + 0.1 * arm),
    "normal": lambda rng, arm: rng.normal(0.3 * arm, 1.0),
    "far from zero": lambda rng, arm: 1e6 + rng.normal(0.3 * arm, 1.0),
    "three values": lambda rng, arm: rng.choice([0.2, 0.5, 0.9 + 0.1 * arm]),
    # Measured from the first one, 0.2, they add up to almost 0, where 0 would be exact.
    "tenths": lambda rng, arm: rng.choice([0.1, 0.2, 0.3], p=[0.35, 0.3, 0.35]),
    "constant": lambda rng, arm: 0.1 * (arm // 2),
}


def follow(policy, twin, n_arms: int, draw, steps: int = 1100) -> None:
    """Play a policy and its twin, which draws from a stream of its own in the same order."""
    rng = np.random.default_rng(0)
    bandit = lowbid.Bandit(n_arms, policy, seed=2, compiled="now")
    stream = bandit.stream.copy()
    for step in range(steps):  # more than the online object has room for at first
        arm = bandit.select()
        assert arm == twin.select(stream), step
        assert stream[0] == bandit.stream[0]
        loss = draw(rng, arm)
        bandit.update(arm, loss=loss)
        twin.update(arm, loss)
