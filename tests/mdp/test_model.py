import itertools

import numpy as np
import pytest

from lowbid import mdp
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from lowbid.mdp._course import evaluate, worth_of


def random_model(seed, stages=None, states=2, actions=2, horizon=2):
    random = np.random.default_rng(seed)
    shape = (states, actions, states) if stages is None else (stages, states, actions, states)
    transitions = random.dirichlet(np.ones(states), size=shape[:-1])
    rewards = random.random(shape[:-1])
    first = random.dirichlet(np.ones(states))
    return mdp.Tabular(
        transitions, rewards=rewards, horizon=horizon if stages is None else None, first=first
    )


def every_policy(model):
    places = model.horizon * model.n_states
    for actions in itertools.product(range(model.n_actions), repeat=places):
        yield np.reshape(actions, (model.horizon, model.n_states))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("stages", [None, 3])
def test_the_optimum_is_that_of_the_best_of_all_policies(seed, stages):
    model = random_model(seed, stages, horizon=3)
    returns = [model.policy_return(policy) for policy in every_policy(model)]
    assert model.optimum == pytest.approx(max(returns), abs=1e-12)
    assert model.policy_return(model.optimal_policy) == pytest.approx(model.optimum, abs=1e-12)


def test_policy_values_agree_with_monte_carlo():
    model = random_model(1, stages=4, states=3)
    policy = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1]])
    random = np.random.default_rng(0)
    world, runs = model.world, 20_000
    totals = np.zeros(runs)
    states = random.choice(3, size=runs, p=world.first)
    for stage in range(4):
        actions = np.where(
            random.random(runs) < 0.3, random.integers(2, size=runs), policy[stage, states]
        )
        totals += model.best_reward - world.means[stage, states, actions]
        rows = world.probabilities[stage, states, actions].cumsum(axis=1)
        outcomes = (random.random(runs)[:, None] >= rows).sum(axis=1)
        states = world.next_states[stage, states, actions, outcomes]
    exact = model.policy_return(policy, epsilon=0.3)
    assert abs(totals.mean() - exact) < 4 * totals.std() / np.sqrt(runs)


@pytest.mark.parametrize("stages", [None, 3])
def test_the_loop_evaluates_policies_as_the_model_does(stages):
    model = random_model(3, stages, states=4, actions=3, horizon=3)
    random = np.random.default_rng(1)
    fault = np.full(3, -1)
    policy, before = random.integers(3, size=(3, 4)), None
    with interpreted():
        worth = worth_of(model.course, model.horizon)
        for epsilon in np.repeat([0.0, 0.2, 0.0, 0.5], 10):
            policy = np.where(random.random((3, 4)) < 0.1, random.integers(3, size=(3, 4)), policy)
            anew, before = epsilon != before, epsilon
            loss = evaluate(model.course, policy, epsilon, anew, worth, fault)
            total = model.horizon * model.best_reward - loss
            assert total == pytest.approx(model.policy_return(policy, epsilon), abs=1e-12)


def test_only_stages_before_the_last_change_are_evaluated_again():
    model = random_model(3, 3, states=4, actions=3, horizon=3)
    policy, fault = np.zeros((3, 4), int), np.full(3, -1)
    with interpreted():
        worth = worth_of(model.course, model.horizon)
        evaluate(model.course, policy, 0.0, True, worth, fault)
        worth.losses[:] = np.nan
        evaluate(model.course, policy, 0.0, False, worth, fault)
        assert np.isnan(worth.losses).all()
        policy[1, 2], worth.losses[2] = 1, 0.5
        evaluate(model.course, policy, 0.0, False, worth, fault)
    assert not np.isnan(worth.losses[:2]).any()
    assert (worth.losses[2] == 0.5).all()


def test_probabilities_of_actions_are_a_policy_too():
    model = random_model(2, horizon=3)
    uniform = np.full((3, 2, 2), 0.5)
    anything = np.zeros((3, 2), int)
    assert model.policy_return(uniform) == pytest.approx(model.policy_return(anything, epsilon=1.0))


def test_losses_and_rewards_are_two_views_of_one_model():
    transitions = [[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.2, 0.8]]]
    rewards = np.array([[0.3, 0.5], [1.0, 0.1]])
    earning = mdp.Tabular(transitions, rewards=rewards, horizon=4)
    losing = mdp.Tabular(transitions, losses=1.0 - rewards, horizon=4)
    assert losing.optimum == pytest.approx(4 - earning.optimum)
    assert np.array_equal(losing.optimal_policy, earning.optimal_policy)


def test_lists_of_successors_are_the_same_as_a_full_table():
    chances = [[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.2, 0.8]]]
    rewards = np.array([[[0.3, 0.1], [0.5, 0.0]], [[0.0, 1.0], [0.4, 0.1]]])  # by next state
    full = mdp.Tabular(chances, rewards=rewards, horizon=4)
    lists = mdp.Successors(np.array(chances), np.array([[[0, 1]] * 2] * 2))
    assert mdp.Tabular(lists, rewards=rewards, horizon=4).optimum == pytest.approx(full.optimum)
    assert full.world.means[0, 1, 1] == pytest.approx(1 - (0.2 * 0.4 + 0.8 * 0.1))


def test_a_full_table_is_made_into_lists_from_any_kind_of_sequence():
    lists = mdp.Successors.of_matrix([[[0.0, 1.0]], [[0.2, 0.8]]])
    assert lists.next_states.tolist() == [[[1, 0]], [[0, 1]]]
    assert lists.probabilities.tolist() == [[[1.0, 0.0]], [[0.2, 0.8]]]
    with pytest.raises(InvalidValueError, match="transitions has the shape"):
        mdp.Successors.of_matrix([1.0])


def test_what_cannot_happen_does_not_widen_the_range_of_returns():
    rewards = np.zeros((2, 2, 2))
    rewards[0, 1, 1] = rewards[1, 0, 0] = -1000.0  # where GOOD never leads
    model = mdp.Tabular(GOOD, rewards=rewards, horizon=3)
    assert model.problem().spans[0] == 3.0
    rewards[0, 1, 0] = -1.0
    assert mdp.Tabular(GOOD, rewards=rewards, horizon=3).problem().spans[0] == 6.0


def test_a_bound_on_returns_reaches_the_rules():
    problem = mdp.DeepSea(5).problem()
    assert problem.bounds.tolist() == [1.0] * 5 + [0.0]
    assert problem.slack.tolist() == [-1.0] * 4 + [0.0]
    assert mdp.RiverSwim().problem().slack.tolist() == [0.0] * 20


GOOD = [[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.2, 0.8]]]
PAY = [[0.3, 0.5], [1.0, 0.1]]
PAID = {"rewards": PAY, "horizon": 2}


@pytest.mark.parametrize(
    ("transitions", "options", "message"),
    [
        (GOOD, {}, "neither losses nor rewards were given; give losses=... or rewards=..."),
        (GOOD, {"rewards": PAY, "losses": PAY}, "both losses and rewards"),
        (GOOD, {"rewards": PAY}, "the number of stages is not known"),
        ([[[0.5, 0.4], [1, 0]], [[0, 1], [0.2, 0.8]]], {**PAID}, "sums to 0.9"),
        ([[[1.5, -0.5], [1, 0]], [[0, 1], [1, 0]]], {**PAID}, "probability -0.5"),
        ([[[np.nan, 1], [1, 0]], [[0, 1], [1, 0]]], {**PAID}, "is nan"),
        (np.ones((2, 2)), {**PAID}, "has the shape \\(2, 2\\)"),
        ("much", {**PAID}, "not a table of numbers"),
        (GOOD, {"rewards": [1.0, 2.0], "horizon": 2}, "rewards has the shape \\(2,\\)"),
        (GOOD, {"rewards": np.full((2, 2), np.inf), "horizon": 2}, "is inf"),
        (GOOD, {"rewards": [[0, 2.0], [0, 0]], "horizon": 2}, "reward is 2, above best_reward, 1"),
        (GOOD, {"losses": [[0, -2.0], [0, 0]], "horizon": 2}, "a mean loss is -2"),
        (GOOD, {**PAID, "best_return": 0.1}, "from some state is"),
        (GOOD, {"losses": PAY, "horizon": 2, "best_return": 3.0}, "best_return goes with rewards"),
        (GOOD, {**PAID, "first": 2}, "give a state from 0 to 1"),
        (GOOD, {**PAID, "first": [0.5, 0.6]}, "summing to 1"),
        (GOOD, {**PAID, "actions": [0, 2]}, "from 1 to 2"),
        (GOOD, {**PAID, "noise": "loud"}, "choose one of 'none'"),
        (GOOD, {**PAID, "noise": "gaussian", "sd": -1.0}, "sd is negative"),
        (GOOD, {"losses": [[0, 2.0], [0, 0]], "horizon": 2, "noise": "bernoulli"}, "larger scale"),
        ([GOOD] * 3, {**PAID}, "stages differ: 2 and 3"),
        (np.array(GOOD, complex), {**PAID}, "complex numbers"),
        (None, {**PAID}, "transitions is nan"),
        (GOOD, {"rewards": [[10**400, 0], [0, 0]], "horizon": 2}, "rewards is not a table"),
        (GOOD, {**PAID, "actions": [[1], [1, 2]]}, "actions is not a table"),
        (mdp.Successors(GOOD, [[[0], [0, 1]], [[0, 1]] * 2]), {**PAID}, "next_states is not a"),
        (mdp.Successors(np.ones((0, 2, 1)), np.ones((0, 2, 1), int)), {**PAID}, "give both as"),
    ],
)  # fmt: skip
def test_bad_tables_are_refused_in_words(transitions, options, message):
    with pytest.raises(InvalidValueError, match=message):
        mdp.Tabular(transitions, **options)


def test_shapes_that_could_mean_two_things_are_refused():
    square = np.full((2, 2, 2), 0.5)
    with pytest.raises(InvalidValueError, match="could be any of"):
        mdp.Tabular(square, rewards=square, horizon=2)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ([[0, 1]], "policy has the shape"),
        ([[0, 1], [0]], "the policy is not a table"),
        ([[0, 2], [0, 0]], "actions that do not exist"),
        (np.full((2, 2, 2), 0.7), "do not sum to 1"),
        (np.full((2, 2, 2), np.nan), "the policy.* is nan"),
        (np.full((2, 2, 2), 0.5), "probabilities of actions that do not exist"),
    ],
)
def test_bad_policies_are_refused(policy, message):
    model = mdp.Tabular(GOOD, rewards=PAY, horizon=2, actions=[1, 2])
    with pytest.raises(InvalidValueError, match=message):
        model.policy_return(policy)


@pytest.mark.parametrize("epsilon", [-0.1, 1.5, np.nan])
def test_exploration_is_a_probability(epsilon):
    model = mdp.Tabular(GOOD, rewards=PAY, horizon=2)
    with pytest.raises(InvalidValueError, match="epsilon"):
        model.policy_return(np.zeros((2, 2), int), epsilon)


@pytest.mark.parametrize("stage", [-1, 2, 0.0])
def test_stages_that_do_not_exist_have_no_values(stage):
    with pytest.raises(InvalidValueError, match="stage is"):
        mdp.Tabular(GOOD, rewards=PAY, horizon=2).optimal_action_values(stage)
