"""The current Gymnasium: our arms pass its checker, and its bandits can be played."""

import copy

import gymnasium
import numpy as np
import pytest
import river.bandit  # noqa: F401, registers its environments
from gymnasium.utils.env_checker import check_env

import lowbid
from lowbid.adapters.gymnasium import BanditEnv, GymnasiumArms
from lowbid.errors import InvalidValueError

ARMS = lowbid.Bernoulli([0.7, 0.2, 0.6])
CHANGING = lowbid.Switching([ARMS, lowbid.Bernoulli([0.1, 0.9, 0.5])], after=[40])


@pytest.mark.parametrize(
    "arms",
    [
        ARMS,
        lowbid.Gaussian([0.0, 1.0]),
        lowbid.ExponentialByMean([1.0, 2.0]),
        lowbid.RandomArms(lowbid.Gaussian, n_arms=3, sd=1.0),
        CHANGING,
    ],
    ids=["coins", "Gaussian", "exponential", "random", "changing"],
)
@pytest.mark.filterwarnings("ignore:.*no (maximum|spec).*")
def test_gymnasiums_checker_is_content(arms):
    check_env(BanditEnv(arms, horizon=20), skip_render_check=True)


@pytest.mark.parametrize(
    "arms",
    [ARMS, pytest.param(CHANGING, marks=pytest.mark.slow)],  # a loop of its own to compile
    ids=["coins", "changing"],
)
def test_a_run_is_that_of_the_simulation(arms):
    """The same policy meets the same losses in run 0 and run 1: the same plays and regret."""
    env = BanditEnv(arms, horizon=100)
    simulated = lowbid.simulate(lowbid.UCB1(), arms, 100, runs=2, seed=7)
    policy = lowbid.UCB1()
    parameters = policy.parameters(3, 100, 100)
    for run in range(2):
        env.reset(seed=7 if run == 0 else None)
        state = policy.kernels.init(parameters, 3, 100)
        stream = lowbid._random.stream_of_run(lowbid._random.key(7, policy.stream_name), run)
        regret, pulls, over = 0.0, [0, 0, 0], False
        while not over:
            arm = policy.kernels.select(parameters, state, sum(pulls) + 1, stream)
            _, reward, _, over, info = env.step(arm)
            policy.kernels.update(parameters, state, arm, -reward, sum(pulls) + 1, stream)
            pulls[arm] += 1
            regret += info["regret"]
        assert pulls == simulated.pulls[0, run].tolist()
        assert regret == pytest.approx(simulated.regret[0, run, -1])


def test_resets_without_a_seed_go_on():
    env = BanditEnv(lowbid.Gaussian([0.0]))
    env.reset(seed=1)
    first = env.step(0)[1]
    env.reset()
    second = env.step(0)[1]
    env.reset(seed=1)
    assert first == env.step(0)[1] != second
    other, another = BanditEnv(lowbid.Gaussian([0.0])), BanditEnv(lowbid.Gaussian([0.0]))
    for each in (other, another):
        each.reset()
    assert other.step(0)[1] != another.step(0)[1]


def test_rewards_are_counted_from_where_you_say():
    env = BanditEnv(lowbid.Deterministic([0.25]), zero_loss_reward=1.0)
    env.reset(seed=0)
    assert env.step(0)[:4] == (0, 0.75, False, False)


def test_a_copy_goes_its_own_way():
    env = BanditEnv(lowbid.Gaussian([0.0, 1.0]))
    env.reset(seed=1)
    env.step(0)
    twin = copy.deepcopy(env)
    assert [env.step(0)[1] for _ in range(3)] == [twin.step(0)[1] for _ in range(3)]
    env.step(0)
    assert env._counts != twin._counts


def test_misuse_is_refused():
    env = BanditEnv(ARMS)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    for action in (3, -1, "a", None, 0.5):
        with pytest.raises(InvalidValueError, match="0 to 2"):
            env.step(action)
    with pytest.raises(InvalidValueError, match="environment is 3"):
        BanditEnv(3)
    with pytest.raises(InvalidValueError, match="horizon"):
        BanditEnv(ARMS, horizon=0)


def _testbed():
    return gymnasium.make("river_bandits/KArmedTestbed-v0", k=3)


def test_a_bandit_of_theirs_is_played_by_us():
    env = _testbed()
    arms = GymnasiumArms(env, samples=400, seed=3)
    env.reset(seed=3)
    true = np.array(env.unwrapped._actual_rewards)
    assert np.abs(arms.means_of(arms.table())[0] + true).max() < 4.5 / np.sqrt(400)
    exact = GymnasiumArms(_testbed(), mean_rewards=true, samples=2, seed=3)
    assert np.array_equal(exact.means_of(exact.table())[0], -true)
    policies = [lowbid.UCB1(), lowbid.UniformPlay()]
    result = lowbid.simulate(policies, exact, horizon=200, runs=4, seed=0)
    ours, uniform = result.regret[:, :, -1].mean(axis=1)
    assert ours < 0.5 * uniform


def test_the_nth_loss_is_a_function_of_the_seed():
    arms = GymnasiumArms(_testbed(), samples=2)
    one, again = (
        lowbid.simulate(lowbid.UCB1(), arms, 50, runs=4, seed=1, workers=workers)
        for workers in (1, 3)
    )
    assert np.array_equal(one.pulls, again.pulls)
    assert one.provenance["environment"]["of"] == "river_bandits/KArmedTestbed-v0"


def test_only_bandits_are_taken():
    with pytest.raises(InvalidValueError, match="no Discrete action space"):
        GymnasiumArms(gymnasium.make("Pendulum-v1"))
    with pytest.raises(InvalidValueError, match="each of the 3 arms"):
        GymnasiumArms(_testbed(), mean_rewards=[1.0], samples=2)
