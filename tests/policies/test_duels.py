"""All policies that play rounds of duels, beside their naive twins."""

import numpy as np
import pytest

import lowbid
from naive import duels

RULES = {
    "RB-SDA": (lowbid.RBSDA(), duels.random_block, False),
    "RB-SDA, forced": (lowbid.RBSDA(forced_exploration=True), duels.random_block, True),
    "LB-SDA": (lowbid.LBSDA(), duels.last_block, False),
    "LB-SDA, forced": (lowbid.LBSDA(forced_exploration=True), duels.last_block, True),
}

DRAWS = {
    "coins": lambda rng, arm: float(rng.random() < 0.3 + 0.1 * arm),
    "normal": lambda rng, arm: rng.normal(0.3 * arm, 1.0),
    "far from zero": lambda rng, arm: 1e6 + rng.normal(0.3 * arm, 1.0),
    "constant": lambda rng, arm: 0.1 * (arm // 2),
}


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("name", RULES)
def test_plays_the_same_rounds_as_its_naive_twin(name, draws):
    policy, duel, forced = RULES[name]
    rng = np.random.default_rng(0)
    n_arms = 5
    bandit = lowbid.Bandit(n_arms, policy, seed=2)
    twin = duels.NaiveRounds(n_arms, duel, forced)
    stream = bandit.stream.copy()
    for step in range(1500):  # more than the online object has room for at first
        arm = bandit.select()
        assert arm == twin.select(stream), step
        assert stream[0] == bandit.stream[0]
        loss = DRAWS[draws](rng, arm)
        bandit.update(arm, loss=loss)
        twin.update(arm, loss)


@pytest.mark.parametrize("name", RULES)
def test_asking_twice_and_playing_others_leaves_the_round_whole(name):
    policy, duel, forced = RULES[name]
    rng = np.random.default_rng(1)
    bandit = lowbid.Bandit(4, policy, seed=0)
    twin = duels.NaiveRounds(4, duel, forced)
    stream = bandit.stream.copy()
    for _ in range(300):
        arm = bandit.select()
        assert arm == bandit.select() == twin.select(stream)
        played = arm if rng.random() < 0.5 else int(rng.integers(4))
        loss = rng.normal()
        bandit.update(played, loss=loss)
        twin.update(played, loss)
