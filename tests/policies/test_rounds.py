"""What holds for all policies that play rounds of duels."""

import numpy as np
import pytest

import lowbid
from naive import duels

RULES = {
    "RB-SDA": (lowbid.RBSDA(), duels.random_block, False),
    "RB-SDA, forced": (lowbid.RBSDA(forced_exploration=True), duels.random_block, True),
    "LB-SDA": (lowbid.LBSDA(), duels.last_block, False),
    "LB-SDA, forced": (lowbid.LBSDA(forced_exploration=True), duels.last_block, True),
    "SSMC": (lowbid.SSMC(), duels.any_window, True),
}


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


@pytest.mark.parametrize(
    "policy",
    [lowbid.BESA(), lowbid.SSMC(), lowbid.RBSDA(), lowbid.WRSDA(), lowbid.LBSDA(), lowbid.BDS()],
    ids=lambda policy: policy.name,
)
def test_one_arm_is_played_alone(policy):
    bandit = lowbid.Bandit(1, policy, seed=0)
    for _ in range(20):
        assert bandit.select() == 0
        bandit.update(0, loss=0.5)
