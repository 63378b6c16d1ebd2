"""All policies that play rounds of duels, beside their naive twins."""

import functools

import numpy as np
import pytest

import lowbid
from naive import duels, resampling

RULES = {
    "RB-SDA": (lowbid.RBSDA(), duels.random_block, False),
    "RB-SDA, forced": (lowbid.RBSDA(forced_exploration=True), duels.random_block, True),
    "LB-SDA": (lowbid.LBSDA(), duels.last_block, False),
    "LB-SDA, forced": (lowbid.LBSDA(forced_exploration=True), duels.last_block, True),
    "SSMC": (lowbid.SSMC(), duels.any_window, True),
}

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
    """Play a policy beside its twin, which draws from a stream of its own in the same order."""
    rng = np.random.default_rng(0)
    bandit = lowbid.Bandit(n_arms, policy, seed=2)
    stream = bandit.stream.copy()
    for step in range(steps):  # more than the online object has room for at first
        arm = bandit.select()
        assert arm == twin.select(stream), step
        assert stream[0] == bandit.stream[0]
        loss = draw(rng, arm)
        bandit.update(arm, loss=loss)
        twin.update(arm, loss)


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("name", RULES)
def test_plays_the_same_rounds_as_its_naive_twin(name, draws):
    policy, duel, forced = RULES[name]
    steps = 300 if name == "SSMC" else 1100  # its twin looks at every window again
    follow(policy, duels.NaiveRounds(5, duel, forced), 5, DRAWS[draws], steps)


@pytest.mark.parametrize(
    ("policy", "duel"),
    [
        (lowbid.BDS(), resampling.bounded_duel),
        (lowbid.BDS(best=-1.0), functools.partial(resampling.bounded_duel, best=-1.0)),
        (lowbid.RDS(), resampling.robust_duel),
    ],
)
def test_dirichlet_sampling_plays_the_same_rounds_as_its_naive_twin(policy, duel):
    twin = duels.NaiveRounds(5, duel, equals=True)
    values = iter([0.1, 0.2, 0.3])  # more than two values from the start on
    follow(policy, twin, 5, lambda rng, arm: next(values, rng.gamma(1.0 + 0.2 * arm)))


@pytest.mark.parametrize("draws", DRAWS)
def test_wr_sda_plays_the_same_rounds_as_its_naive_twin(draws):
    samples = duels.SubSamples()

    class Twin(duels.NaiveRounds):
        def update(self, arm, loss):
            samples.see(loss)
            super().update(arm, loss)

    follow(lowbid.WRSDA(), Twin(5, samples.duel), 5, DRAWS[draws])


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("n_arms", [2, 5])
@pytest.mark.parametrize("random_ties", [False, True])
def test_besa_plays_the_same_tournaments_as_its_naive_twin(draws, n_arms, random_ties):
    policy = lowbid.BESA(initial=2, random_ties=random_ties)
    twin = duels.NaiveBESA(n_arms, initial=2, random_ties=random_ties)
    follow(policy, twin, n_arms, DRAWS[draws])


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
