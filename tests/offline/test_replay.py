"""Replay is what would have happened: by an oracle, by a bandit, and by simulation."""

import numpy as np
import pytest

import lowbid
from lowbid._compile import interpreted
from lowbid._random import key, stream_of_run
from lowbid.errors import InvalidValueError, LogError, UnanswerableError, UnknownNameError
from naive import offline as naive

MEANS = np.array([0.3, 0.6, 0.4])
POLICIES = [lowbid.UCB1(), lowbid.UniformPlay()]


def _table(n, chances=(1 / 3, 1 / 3, 1 / 3), seed=0):
    rng = np.random.default_rng(seed)
    arms = rng.choice(3, n, p=chances)
    values = (rng.random(n) < MEANS[arms]).astype(float)
    return {"arm": arms, "reward": values, "propensity": np.array(chances)[arms]}


def test_every_run_is_what_the_oracle_plays():
    table, policy, seed = _table(2000), lowbid.UCB1(), 5
    found = lowbid.replay(policy, table, horizon=40, seed=seed, reward_range=(0, 1))
    with interpreted():
        totals = naive.replayed(
            policy,
            policy.parameters(3, 40, 40),
            table["arm"].tolist(),
            table["reward"].tolist(),
            (1.0 - table["reward"]).tolist(),
            3,
            40,
            lambda run: stream_of_run(key(seed, policy.stream_name), run),
            100,
        )
    assert found.totals[0, :, -1].tolist() == totals
    assert found.plays.sum(axis=2).tolist() == [[40] * len(totals)]


def test_the_first_run_is_what_a_bandit_does():
    table, horizon = _table(500), 60
    found = lowbid.replay(lowbid.UCB1(), table, horizon, seed=3, reward_range=(0, 1))
    bandit = lowbid.Bandit(3, lowbid.UCB1(), seed=3, reward_range=(0, 1))
    lines = iter(zip(table["arm"].tolist(), table["reward"].tolist(), strict=True))
    for _ in range(horizon):
        arm = bandit.select()
        reward = next(reward for other, reward in lines if other == arm)
        bandit.update(arm, reward=reward)
    assert list(bandit.counts().values()) == found.plays[0, 0].tolist()


@pytest.mark.parametrize("chances", [(1 / 3, 1 / 3, 1 / 3), (0.6, 0.2, 0.2)])
def test_it_agrees_with_simulation(chances):
    """Whatever the propensities: the same reward as if the policies had been played."""
    table = _table(60_000, chances)
    found = lowbid.replay(POLICIES, table, horizon=50, reward_range=(0, 1))
    played = lowbid.simulate(POLICIES, lowbid.Bernoulli(1 - MEANS), horizon=50, runs=4000, seed=1)
    for name in found.policies:
        expected = MEANS.max() - played[name].regret[0, :, -1].mean() / 50
        estimate = found.mean(name)
        assert abs(estimate.mean - expected) < 4.5 * estimate.se
    assert found.difference("UCB1", "UniformPlay").low > 0
    assert [row.policy for row in found.summary()] == ["UCB1", "UniformPlay"]


def test_lines_are_left_out_until_arms_are_equally_likely():
    table = _table(30_000, (0.6, 0.3, 0.1))
    found = lowbid.replay(lowbid.UniformPlay(), table, horizon=10)
    assert found.lines == 30_000
    assert abs(found.kept - 30_000 * 0.3) < 4.5 * np.sqrt(30_000 * 0.3 * 0.7)
    again = lowbid.replay(lowbid.UniformPlay(), table, horizon=10)
    assert np.array_equal(found.totals, again.totals)


def test_all_policies_have_the_same_runs_and_checkpoints():
    found = lowbid.replay(POLICIES, _table(3000), 30, checkpoints=[10], reward_range=(0, 1))
    assert found.checkpoints.tolist() == [10, 30]
    assert found.totals.shape == (2, found.runs, 2)
    assert (found.totals[:, :, 0] <= found.totals[:, :, 1]).all()
    assert 25 <= found.runs <= 33


def test_losses_put_the_lowest_first():
    table = _table(5000)
    table["loss"] = 1.0 - table.pop("reward")
    found = lowbid.replay(POLICIES, table, 50)
    assert [row.policy for row in found.summary()] == ["UCB1", "UniformPlay"]
    assert "loss per step" in repr(found)


def test_one_run_has_no_interval():
    found = lowbid.replay(lowbid.UniformPlay(), _table(400), 100)
    assert found.runs == 1
    assert np.isnan(found.mean("UniformPlay").low)
    assert "one run has no interval" in repr(found)


class Stubborn(lowbid.Policy):
    """Plain Python: always the same arm."""

    arm = 1

    def init(self, n_arms, capacity):
        return np.zeros(1)

    def select(self, state, step, stream):
        return self.arm

    def update(self, state, arm, loss, step, stream):
        state[0] += 1


def test_plain_policies_are_played_too():
    table = _table(300)
    found = lowbid.replay({"one": Stubborn()}, table, 20, reward_range=(0, 1))
    rewards = table["reward"][table["arm"] == 1]
    assert found.totals[0, :, -1].tolist() == [
        rewards[20 * run : 20 * run + 20].sum() for run in range(found.runs)
    ]
    broken = Stubborn()
    type(broken).arm = 7
    with pytest.raises(InvalidValueError, match="returned 7"):
        lowbid.replay({"one": broken}, table, 20, reward_range=(0, 1))


def test_a_log_that_is_too_short_says_how_far_it_goes():
    with pytest.raises(UnanswerableError, match="about 33 steps, not 60"):
        lowbid.replay(lowbid.UniformPlay(), _table(100), 60)


def test_an_arm_that_was_never_logged():
    log = lowbid.read_log(_table(100), arms=[0, 1, 2, 3])
    with pytest.raises(UnanswerableError, match="arm 3 was never logged"):
        lowbid.replay(lowbid.UniformPlay(), log, 5)


def test_values_that_a_policy_cannot_take_are_listed():
    table = _table(100)
    table["reward"][[4, 7]] = 3.0
    with pytest.raises(LogError) as caught:
        lowbid.replay(lowbid.UCB1(), table, 5, reward_range=(0, 1))
    assert [line for line, _ in caught.value.refused] == [5, 8]
    with pytest.raises(InvalidValueError, match="give reward_range, not loss_range"):
        lowbid.replay(lowbid.UCB1(), table, 5, loss_range=(0, 1))


def test_unknown_policies_are_named():
    found = lowbid.replay(lowbid.UniformPlay(), _table(400), 10)
    with pytest.raises(UnknownNameError, match="UniformPlay"):
        found.mean("Uniform")
