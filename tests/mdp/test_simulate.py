from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowbid
from lowbid import mdp
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from lowbid.simulation import estimate

BEVI = mdp.BatchEnsembleValueIteration
MODELS = [
    mdp.RiverSwim(horizon=5),
    mdp.DeepSea(4, stochastic=True),
    mdp.MetaChain(),
    mdp.Garnet(5, 2, horizon=4),
    mdp.BanditMDP(lowbid.Bernoulli([0.2, 0.5])),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model)[:25])
@pytest.mark.parametrize("rule", [BEVI(), mdp.QLearning()], ids=lambda rule: rule.name)
def test_the_same_result_compiled_and_not_and_for_any_number_of_workers(rule, model):
    episodes = np.arange(1, 31)
    compiled = mdp.simulate(rule, model, 30, 5, seed=3, checkpoints=episodes, workers=1)
    threads = mdp.simulate(rule, model, 30, 5, seed=3, checkpoints=episodes, workers=3)
    with interpreted():
        plain = mdp.simulate(rule, model, 30, 5, seed=3, checkpoints=episodes, workers=1)
    for other in (threads, plain):
        assert np.array_equal(other.pulls, compiled.pulls)
        assert np.array_equal(other.regret, compiled.regret)
    assert (np.diff(compiled.regret, prepend=0.0) >= -1e-9).all()
    assert (compiled.pulls.sum(axis=2) == 30 * model.horizon).all()


class Diary(NamedTuple):
    policy: np.ndarray
    brought: np.ndarray  # (stage, state, action, visit, 2)
    counts: np.ndarray


DIARIES = []


class Wanderer(mdp.Rule):
    """Takes any actions, by a pattern of its own, and writes down what they bring."""

    def __init__(self, pattern):
        self.pattern = pattern

    def init(self, problem):
        shape = (problem.horizon, problem.n_states, problem.n_actions)
        DIARIES.append(
            Diary(np.zeros(shape[:2], int), np.full((*shape, 60, 2), np.nan), np.zeros(shape, int))
        )
        return DIARIES[-1]

    def plan(self, problem, state, episode, stream):
        state.policy[:] = self.pattern(episode, problem)

    def update(self, problem, state, stage, s, action, loss, next_s, stream):
        state.brought[stage, s, action, state.counts[stage, s, action]] = loss, next_s
        state.counts[stage, s, action] += 1


def test_what_the_nth_visit_brings_does_not_depend_on_who_comes():
    def steady(episode, problem):
        return episode % 2

    def restless(episode, problem):
        return (
            np.arange(problem.horizon * problem.n_states).reshape(problem.horizon, -1) * episode % 2
        )

    model = mdp.Chain(4)
    DIARIES.clear()
    for seed in (0, 1):
        rules = {"a": Wanderer(steady), "b": Wanderer(restless)}
        mdp.simulate(rules, model, episodes=60, runs=2, seed=seed, workers=1)
    first, second, third, fourth, *other_seed = (diary.brought for diary in DIARIES)
    both = ~np.isnan(first) & ~np.isnan(third)
    assert both.sum() > 100
    assert np.array_equal(first[both], third[both])
    assert np.array_equal(second[~np.isnan(second + fourth)], fourth[~np.isnan(second + fourth)])
    noisy = first[0, 0, 0, :, 0]  # the first state's action 0 has Gaussian losses
    assert len(np.unique(noisy[~np.isnan(noisy)])) > 20  # other visits, other losses
    for other in (second, other_seed[0]):  # another run, another seed
        assert not np.array_equal(first[both], other[both], equal_nan=True)


def test_where_nothing_is_left_to_chance_regret_is_what_episodes_lose():
    def restless(episode, problem):
        return (
            np.arange(problem.horizon * problem.n_states).reshape(problem.horizon, -1) % episode % 2
        )

    model = mdp.DeepSea(5)
    assert model.course.is_path
    assert not mdp.DeepSea(5, stochastic=True).course.is_path
    assert not mdp.MetaChain().course.is_path  # several first states
    result = mdp.simulate(Wanderer(restless), model, 20, runs=1, checkpoints=range(1, 21))
    problem = model.problem(20)
    returns = [model.policy_return(restless(k, problem)) for k in range(1, 21)]
    lost = model.optimum - np.array(returns)
    np.testing.assert_allclose(np.diff(result.regret[0, 0], prepend=0.0), lost, atol=1e-12)


def test_a_rule_that_chooses_what_does_not_exist_is_refused():
    class Lost(Wanderer):
        def __init__(self):
            super().__init__(lambda episode, problem: 7 if episode > 3 else 0)

    with pytest.raises(InvalidValueError, match="chose action 7 at stage 0 in state 0"):
        mdp.simulate(Lost(), mdp.RiverSwim(horizon=2), episodes=10, runs=1)


def test_results_are_those_of_all_simulations(tmp_path):
    rules = {"two": BEVI(), "one": BEVI(batches=1)}
    model = mdp.RiverSwim(horizon=5)
    result = mdp.simulate(rules, model, episodes=100, runs=4, seed=1)
    assert isinstance(result, lowbid.Result)
    result.save(tmp_path / "result.npz")
    again = lowbid.Result.load(tmp_path / "result.npz")
    assert np.array_equal(again.regret, result.regret)
    assert again.provenance["environment"]["environment"] == "RiverSwim"
    assert result.difference("one", "two").mean == pytest.approx(
        result["one"].regret[0, :, -1].mean() - result["two"].regret[0, :, -1].mean()
    )
    assert mdp.visits(result, model).shape == (2, 4, 1, 6, 2)
    assert mdp.visits(result, model).sum() == 2 * 4 * 100 * 5
    with pytest.raises(InvalidValueError, match="environment that was simulated"):
        mdp.visits(result, mdp.Chain(8))


def test_first_states_follow_their_distribution():
    model = mdp.MetaChain(means=(-0.5, 0.5, 0.1), n_actions=2)
    result = mdp.simulate(mdp.QLearning(), model, episodes=600, runs=10)
    starts = mdp.visits(result, model)[0, :, 0, :3].sum(axis=(0, 2)) / 6000
    assert abs(starts - 1 / 3).max() < 5 * np.sqrt(2 / 9 / 6000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], mdp.RiverSwim(), 10), r"rules is \[\]; give at least one"),
        ((BEVI, mdp.RiverSwim(), 10), "give a rule such as mdp.QLearning"),
        (([BEVI], mdp.RiverSwim(), 10), "give an object such as BatchEnsembleValueIteration"),
        (([BEVI(), BEVI()], mdp.RiverSwim(), 10), "two rules are named"),
        ((BEVI(), "river", 10), "environment is 'river'"),
        ((BEVI(), mdp.RiverSwim(), 0), "episodes is 0"),
        ((lowbid.UCB1(), mdp.RiverSwim(), 10), "rules is UCB1"),
        (("psrl", mdp.RiverSwim(), 10), "rules is 'psrl'; give a rule such as"),
        ((BEVI(), mdp.RiverSwim(), 10, 10**12), "the result would take"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InvalidValueError, match=message):
        mdp.simulate(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": None}, "rule is None"),
        ({"run": -1}, "run is -1"),
        ({"run": 1.5}, "run is 1.5"),
        ({"episodes": 0}, "episodes is 0"),
        ({"model": None}, "model is None"),
    ],
)
def test_bad_training_is_refused(options, message):
    with pytest.raises(InvalidValueError, match=message):
        mdp.train(**{"rule": BEVI(), "model": mdp.Chain(3), "episodes": 2, **options})


def test_rules_that_need_the_number_of_episodes_say_so():
    with pytest.raises(InvalidValueError, match="must know the number of episodes"):
        mdp.UCBVI().start(mdp.RiverSwim().problem())


def within_three_errors(regret, mean, se):
    ours = estimate(regret)
    return abs(ours.mean - mean) < 3 * np.hypot(ours.se, se)


MEASURED = {
    "B": (BEVI(), 69.5, 1.3),
    "PSRL": (mdp.PSRL(), 198.9, 2.3),
    "UCB-H": (mdp.UCBQ(), 2955, 14),
    "batch Q": (mdp.BatchQLearning(), 949, 5.1),
    "optimistic Q": (mdp.QLearning(epsilon=0.0, optimistic=True), 707, 49),
    "UCBVI": (mdp.UCBVI(scale=0.001), 23, 0.7),
}


@pytest.mark.parametrize(
    "name",
    [
        name if name in ("B", "PSRL") else pytest.param(name, marks=pytest.mark.slow)
        for name in MEASURED
    ],
)
def test_figures_that_a_prototype_measured_on_river_swim(name):
    """Regret after 2,000 episodes, by independent code with other random numbers."""
    rule, mean, se = MEASURED[name]
    result = mdp.simulate(rule, mdp.RiverSwim(), episodes=2000, runs=50, seed=0)
    assert within_three_errors(result.regret[0, :, -1], mean, se)


def test_dithering_does_not_find_the_treasure_and_bidding_does():
    rules = {"dithering": mdp.QLearning(), "bidding": BEVI()}
    result = mdp.simulate(rules, mdp.DeepSea(20), episodes=2000, runs=10, seed=0)
    assert result["dithering"].regret[0, :, -1].min() > 0.99 * 2000 * 0.99
    assert within_three_errors(result["bidding"].regret[0, :, -1], 209, 0.3)


@pytest.mark.parametrize(
    "rule",
    [BEVI(), BEVI(reading="global"), mdp.EQO(), mdp.UCBVI(), mdp.UCBQ(), mdp.BatchQLearning()],
    ids=lambda rule: rule.name,
)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=5)
def test_losses_and_rewards_are_the_same_to_optimistic_rules(rule, seed):
    """Rewards in eighths, so that one less the reward is exact."""
    random = np.random.default_rng(seed)
    transitions = random.dirichlet(np.ones(3), size=(3, 2))
    rewards = random.integers(0, 9, size=(3, 2)) / 8
    losses = mdp.Tabular(transitions, losses=1.0 - rewards, horizon=3)
    gains = mdp.Tabular(transitions, rewards=rewards, horizon=3)
    with interpreted():
        first, second = (mdp.simulate(rule, each, 12, 1, seed) for each in (losses, gains))
    assert np.array_equal(first.pulls, second.pulls)
    assert np.allclose(first.regret, second.regret, rtol=0, atol=1e-9)


class Plan(NamedTuple):
    policy: np.ndarray


class Expert(mdp.Rule):
    """Knows the model."""

    def __init__(self, model):
        self.model = model

    def init(self, problem):
        return Plan(np.array(self.model.optimal_policy))

    def plan(self, problem, state, episode, stream):
        pass

    def update(self, problem, state, stage, s, action, loss, next_s, stream):
        pass


def test_the_best_policy_has_no_regret_however_long_episodes_are():
    model = mdp.RiverSwim(horizon=5000)
    assert mdp.simulate(Expert(model), model, episodes=1, runs=1, seed=0).regret.tolist() == [
        [[0.0]]
    ]
