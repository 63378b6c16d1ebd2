"""Whole episodes in a tabular model, compiled."""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lowbid._arrays import Floats
from lowbid._require import require
from lowbid.mdp._tabular import Tabular
from lowbid.mdp.deep._ensemble_dqn import EnsembleDQN
from lowbid.mdp.deep._learner import (
    WORLD,
    Learner,
    chance,
    choose_action,
    choose_member,
    frozen_member,
    learn,
)
from lowbid.mdp.deep._networks import Inputs


class Coins(NamedTuple):
    """Rewards with two possible values: both, and the probability of the second."""

    low: jax.Array
    high: jax.Array
    chance: jax.Array


class Tables(NamedTuple):
    """A model in rewards.

    Attributes
    ----------
    cells : array
        The index of each (stage, state) among those that can be reached, which is what networks
        see. There is one more stage than in the model, the end.
    first : array
        The cumulative probabilities of the first states.
    cumulative, next_states, rewards : array
        The cumulative probabilities, next states and mean rewards of all outcomes, (stage, state,
        action, outcome). As in the model, there is one stage if all are alike.
    sd : array or None
        The standard deviations of normal noise, (stage, state, action).
    coins : Coins or None
        The values and probabilities, if rewards have two possible values.
    """

    cells: jax.Array
    first: jax.Array
    cumulative: jax.Array
    next_states: jax.Array
    rewards: jax.Array
    sd: jax.Array | None
    coins: Coins | None


class Steps(NamedTuple):
    """An episode, one entry per step."""

    states: jax.Array
    actions: jax.Array
    rewards: jax.Array


def inputs_of(model: Tabular) -> Inputs:
    """One-hot vectors of (stage, state); only those that can be reached need weights."""
    reached = int((model.world.reached >= 0).sum())
    return Inputs(rows=reached, fan_in=model.horizon * model.n_states, one_hot=True)


def tables_of(model: Tabular) -> Tables:
    """The tables of a model, or an error that says why networks cannot play it."""
    world = model.world
    require(
        bool(world.actions.min() == world.actions.max()),
        "the states of this model have different numbers of actions, and networks need the same "
        "number in all states; give a model without `actions`.",
    )
    cells = np.zeros((model.horizon + 1, model.n_states), np.int32)
    stages, places = np.nonzero(world.reached >= 0)
    cells[stages, world.reached[stages, places]] = np.arange(len(stages))
    return Tables(
        cells=jnp.asarray(cells),
        first=_single(world.first_cumulative),
        cumulative=_single(world.cumulative),
        next_states=jnp.asarray(world.next_states, jnp.int32),
        rewards=_single(model.best_reward - world.losses),
        sd=_single(world.sd) if model.noise == "gaussian" else None,
        coins=_coins(model) if model.noise == "bernoulli" else None,
    )


def _coins(model: Tabular) -> Coins:
    low, height = model.world.coins[..., :1], model.world.coins[..., 1:]
    chances = (model.world.losses - low) / height
    best = model.best_reward
    both = best - low[..., 0], best - (low + height)[..., 0]
    return Coins(*(_single(each) for each in (*both, chances)))


def _single(table: Floats) -> jax.Array:
    return jnp.asarray(table, jnp.float32)


@functools.partial(jax.jit, static_argnames="rule", donate_argnames="learner")
def play_episode(
    rule: EnsembleDQN, tables: Tables, learner: Learner
) -> tuple[Learner, jax.Array, jax.Array, Steps]:
    """Play an episode and learn from it.

    Parameters
    ----------
    rule : EnsembleDQN
        The rule, which says which member to follow and how to learn.
    tables : Tables
        The model.
    learner : Learner
        The ensemble so far; its memory is reused, so it is invalid afterwards.

    Returns
    -------
    learner, bids, member, steps
        The new learner, each member's bid, the member that was followed, and the steps taken.
    """
    horizon = len(tables.cells) - 1
    keys = jax.random.split(chance(learner.key, WORLD, learner.episodes), horizon + 1)
    first = _draw(tables.first, keys[horizon])
    bids, member = choose_member(rule, learner, tables.cells[0, first])
    acting = frozen_member(learner, member)
    learner = learner._replace(episodes=learner.episodes + 1)

    def step(
        carry: tuple[Learner, jax.Array], now: tuple[jax.Array, jax.Array]
    ) -> tuple[tuple[Learner, jax.Array], Steps]:
        (learner, state), (stage, key) = carry, now
        cell = tables.cells[stage, state]
        action = choose_action(rule, acting, cell, learner.key, learner.steps)
        reward, next_state = _outcome(tables, stage, state, action, key)
        goes_on = (stage + 1 < horizon).astype(jnp.float32)
        next_cell = tables.cells[stage + 1, next_state]
        learner = learn(rule, learner, cell, action, reward, goes_on, next_cell)
        return (learner, next_state), Steps(state, action, reward)

    stages = jnp.arange(horizon)
    (learner, _), steps = jax.lax.scan(step, (learner, first), (stages, keys[:horizon]))
    return learner, bids, member, steps


def _outcome(
    tables: Tables, stage: jax.Array, state: jax.Array, action: jax.Array, key: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """The reward and the next state after an action."""
    place = (0 if len(tables.cumulative) == 1 else stage, state, action)
    for_outcome, for_reward = jax.random.split(key)
    outcome = _draw(tables.cumulative[place], for_outcome)
    reward = tables.rewards[place][outcome]
    if tables.sd is not None:
        reward += tables.sd[place] * jax.random.normal(for_reward, dtype=jnp.float32)
    if tables.coins is not None:
        low, high, heads = (each[place] for each in tables.coins)
        reward = jnp.where(jax.random.uniform(for_reward) < heads[outcome], high, low)
    return reward, tables.next_states[place][outcome]


def _draw(cumulative: jax.Array, key: jax.Array) -> jax.Array:
    """The index at which a uniform number falls; rounding errors count for the last one."""
    if len(cumulative) == 1:
        return jnp.zeros((), jnp.int32)
    return (jax.random.uniform(key) >= cumulative[:-1]).sum(dtype=jnp.int32)
