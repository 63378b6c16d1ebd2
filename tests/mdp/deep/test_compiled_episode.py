"""Compiled episodes, compared with the same ones played step by step."""

import itertools

import jax
import numpy as np
import pytest

from lowbid import mdp
from lowbid.errors import InvalidValueError
from lowbid.mdp import deep
from lowbid.mdp.deep import _compiled_episode as compiled
from mdp.deep.small import SMALL, STATES

EPISODES = 60  # enough for actions to depend on whether the member is frozen


def test_compiled_and_step_by_step_an_agent_takes_the_same_actions():
    sea = mdp.DeepSea(3)
    assert compiled.inputs_of(sea) == STATES
    cells = np.asarray(compiled.tables_of(sea).cells)
    fast = deep.DeepAgent.for_model(sea, SMALL, seed=5)
    slow = deep.DeepAgent.for_model(sea, SMALL, seed=5)
    for played in itertools.islice(deep.play(fast, sea), EPISODES):
        column = 0
        slow.begin(int(cells[0, 0]))
        assert slow.member == played.member
        np.testing.assert_allclose(slow.bids, played.bids, atol=1e-5)
        for row in range(3):
            assert played.states[row] == column
            action = slow.act()
            assert action == played.actions[row]
            right = action == sea.right[row, column]
            reward = (column == 2) * right - right * 0.01 / 3
            assert played.rewards[row] == pytest.approx(reward, abs=1e-7)
            column = min(column + 1, 2) if right else max(column - 1, 0)
            below = None if row == 2 else int(cells[row + 1, column])
            slow.update(reward=reward, next_observation=below)
    assert fast.episode == slow.episode == EPISODES
    assert fast.steps == slow.steps == 3 * EPISODES
    for one, other in zip(
        jax.tree.leaves(fast.learner), jax.tree.leaves(slow.learner), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize(
    ("model", "place"),
    [
        (mdp.DeepSea(4, stochastic=True), (3, 3)),
        (mdp.RiverSwim(), (0, 2)),
        (mdp.Garnet(5, 2, 2), (0, 1)),
    ],
    ids=["normal", "none", "bernoulli"],
)
def test_outcomes_have_the_models_law(model, place):
    draws = 2000
    tables = compiled.tables_of(model)
    stage, state = place
    draw = jax.jit(
        jax.vmap(lambda action, key: compiled._outcome(tables, stage, state, action, key))
    )
    keys = jax.random.split(jax.random.key(1), 2 * draws)
    actions = np.repeat([0, 1], draws)
    rewards, next_states = map(np.asarray, draw(actions, keys))
    at = 0 if model.stationary else stage
    for action in (0, 1):
        mine = actions == action
        mean = model.best_reward - model.world.means[at, state, action]
        error = rewards[mine].std() / np.sqrt(draws)
        assert abs(rewards[mine].mean() - mean) <= 4 * error + 1e-6
        for next_state in range(model.n_states):
            leads = model.world.next_states[at, state, action] == next_state
            chance = model.world.probabilities[at, state, action][leads].sum()
            share = (next_states[mine] == next_state).mean()
            assert abs(share - chance) <= 4 * np.sqrt(chance * (1 - chance) / draws) + 1e-9


def test_only_what_can_be_reached_has_a_number():
    sea = mdp.DeepSea(5)
    cells = np.asarray(compiled.tables_of(sea).cells)
    numbered = [int(cells[row, column]) for row in range(5) for column in range(row + 1)]
    assert sorted(numbered) == list(range(15))
    assert compiled.inputs_of(sea) == (15, 25, True)


def test_models_that_networks_cannot_play_are_refused():
    model = mdp.Tabular(
        np.eye(2)[[[0, 1], [0, 1]]], losses=np.zeros((2, 2)), horizon=2, actions=[2, 1]
    )
    with pytest.raises(InvalidValueError, match="different numbers of actions"):
        deep.DeepAgent.for_model(model, SMALL)
    with pytest.raises(InvalidValueError, match=r"such as mdp.DeepSea\(20\)"):
        deep.DeepAgent.for_model("deep-sea", SMALL)
    agent = deep.DeepAgent.for_model(mdp.DeepSea(3), SMALL)
    with pytest.raises(InvalidValueError, match="made for another model"):
        next(deep.play(agent, mdp.DeepSea(4)))
