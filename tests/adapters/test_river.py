"""The current river: its policies in lowbid, and ours in its `evaluate`."""

import statistics
import subprocess
import sys

import numpy as np
import pytest
from river import bandit, linear_model, proba

import lowbid
from lowbid.adapters.gymnasium import BanditEnv
from lowbid.adapters.river import FromRiver, RiverPolicy
from lowbid.errors import InvalidValueError

ARMS = lowbid.Bernoulli([0.7, 0.2, 0.6])
THEIRS = [
    bandit.UCB(delta=1),
    bandit.EpsilonGreedy(epsilon=0.1),
    bandit.ThompsonSampling(reward_obj=proba.Beta()),
    bandit.Exp3(gamma=0.1),
]


@pytest.mark.parametrize("policy", THEIRS, ids=lambda policy: type(policy).__name__)
def test_their_policies_learn_in_our_simulation(policy):
    result = lowbid.simulate(
        [FromRiver(policy), lowbid.UniformPlay()], ARMS, horizon=300, runs=8, seed=1
    )
    theirs, uniform = result.regret[:, :, -1].mean(axis=1)
    assert theirs < 0.8 * uniform


def test_their_policies_face_our_losses_and_obey_our_seed():
    policy = {"theirs": FromRiver(bandit.EpsilonGreedy(epsilon=0.3))}
    one, again, other = (
        lowbid.simulate(policy, ARMS, 100, runs=6, seed=seed, workers=workers).pulls
        for seed, workers in ((1, 1), (1, 3), (2, 1))
    )
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_a_policy_follows_what_river_would_do_by_itself():
    """The same seed and the same rewards: the same pulls, step by step."""
    arms = lowbid.Deterministic([0.75, 0.25, 0.5])
    policy = bandit.UCB(delta=1)
    seeds = []
    cloned = type(policy).clone

    class Spy(bandit.UCB):
        def clone(self, new_params=None, include_attributes=False):
            seeds.append(new_params["seed"])
            return cloned(policy, new_params)

    result = lowbid.simulate(FromRiver(Spy(delta=1)), arms, 50, runs=1)
    alone, pulls = bandit.UCB(delta=1, seed=seeds[0]), [0, 0, 0]
    for _ in range(50):
        arm = alone.pull(range(3))
        pulls[arm] += 1
        alone.update(arm, 1.0 - arms.means[arm])
    assert result.pulls[0, 0].tolist() == pulls


def test_our_policies_in_their_evaluation():
    env = BanditEnv(ARMS, horizon=300, zero_loss_reward=1.0)
    ours = RiverPolicy(lowbid.UCB1(), reward_range=(0, 1))
    rewards = {0: [], 1: []}
    for step in bandit.evaluate([ours, bandit.RandomPolicy(seed=1)], env, n_episodes=4, seed=1):
        if step["step"] == 299:
            rewards[step["policy_idx"]].append(step["reward_stat"])
    assert [len(each) for each in rewards.values()] == [4, 4]
    assert statistics.mean(rewards[0]) > 1.2 * statistics.mean(rewards[1])


def test_our_policy_makes_the_choices_of_a_bandit():
    policy = RiverPolicy(lowbid.UCB1(), reward_range=(0, 1), seed=4)
    alone = lowbid.Bandit(["a", "b"], lowbid.UCB1(), seed=4, reward_range=(0, 1))
    rng = np.random.default_rng(0)
    for _ in range(100):
        arm = policy.pull(["a", "b"])
        assert arm == alone.select()
        reward = float(rng.random())
        policy.update(arm, reward)
        alone.update(arm, reward=reward)
    assert sum(policy._counts.values()) == 100
    assert "Arm ID" in repr(policy)


def test_arms_are_offered_as_river_likes():
    policy = RiverPolicy(burn_in=1)
    assert [policy.pull(["a", "b"]) for _ in range(2)] == ["a", "a"]
    for arm in ("a", "b", "c"):
        policy.update(arm, 1.0)  # "c" was never offered
    assert {policy.pull(["b", "d"]) for _ in range(5)} <= {"b", "d"}
    policy.update("d", 0.0)
    assert policy.pull(["b"]) == "b"
    assert sorted(policy._bandit.paused) == ["a", "c", "d"]
    assert policy.pull(["a", "b", "c", "d"]) in "abcd"
    assert policy._bandit.paused == []


def test_a_clone_knows_nothing():
    policy = RiverPolicy(lowbid.BetaThompson(), reward_range=(0, 1), burn_in=2, seed=3)
    policy.update(policy.pull(["a"]), 1.0)
    twin = policy.clone()
    assert (twin.policy, twin.reward_range, twin.burn_in, twin.seed) == (
        lowbid.BetaThompson(),
        (0, 1),
        2,
        3,
    )
    assert twin._counts == {}


def test_what_is_no_policy_of_theirs_is_refused():
    with pytest.raises(InvalidValueError, match="not its class"):
        FromRiver(bandit.UCB)
    with pytest.raises(InvalidValueError, match="needs a context"):
        FromRiver(bandit.LinUCBDisjoint())
    with pytest.raises(InvalidValueError, match="give a policy of river"):
        FromRiver(linear_model.LinearRegression())
    with pytest.raises(InvalidValueError, match="zero_loss_reward"):
        FromRiver(bandit.UCB(delta=1), zero_loss_reward=float("nan"))


@pytest.mark.parametrize("name", ["river", "gymnasium", "optuna"])
def test_without_the_library_it_says_what_to_install(name):
    script = (
        f"import sys; sys.modules[{name!r}] = None\n"
        f"try: import lowbid.adapters.{name}\n"
        "except ImportError as error: print(error)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert f"pip install 'lowbid[{name}]'" in out.stdout
