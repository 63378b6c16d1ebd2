"""The state of an ensemble and how it learns: pure functions of explicit state.

Randomness is a pure function of the learner's key, its purpose, and a counter.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from lowbid.mdp.deep._ensemble_dqn import EnsembleDQN
from lowbid.mdp.deep._networks import (
    Inputs,
    Network,
    argmax_at_random,
    ensemble_values,
    new_networks,
    new_priors,
    values,
    zeros,
)

# The purposes of randomness.
_NETWORKS, _PRIORS, _MEMBER, _ACTION, _MEMORY, _BATCH, WORLD = range(7)


class Transitions(NamedTuple):
    """Transitions, one per row.

    Attributes
    ----------
    observation, action, reward, next_observation : array
        The observation, the action, the reward, and the next observation.
    goes_on : array
        1, or 0 if the episode was over.
    mask : array
        Whether each member learns from it, (transition, member).
    noise : array
        The noise that each member adds to the reward, (transition, member).
    """

    observation: jax.Array
    action: jax.Array
    reward: jax.Array
    goes_on: jax.Array
    next_observation: jax.Array
    mask: jax.Array
    noise: jax.Array


class Learner(NamedTuple):
    """An ensemble and everything it remembers; arrays of networks have the members as first axis.

    Attributes
    ----------
    key : array
        Determines all randomness.
    online, target, prior : Network
        The networks that learn, the target networks, and the priors, which never change.
    adam : optax.OptState
        The state of Adam.
    replay : Transitions
        The remembered transitions; the oldest is overwritten first.
    episodes, steps, updates : int
        The number of episodes started, of transitions seen, and of steps of Adam taken.
    """

    key: jax.Array
    online: Network
    target: Network
    prior: Network
    adam: optax.OptState
    replay: Transitions
    episodes: jax.Array
    steps: jax.Array
    updates: jax.Array


class Acting(NamedTuple):
    """One member as it was when the episode began."""

    online: Network
    prior: Network


def chance(key: jax.Array, purpose: int, count: jax.Array | int) -> jax.Array:
    """A key for one purpose, at one time."""
    return jax.random.fold_in(jax.random.fold_in(jax.random.wrap_key_data(key), purpose), count)


def new_learner(rule: EnsembleDQN, inputs: Inputs, n_actions: int, seed: int) -> Learner:
    """An ensemble that has seen nothing."""
    sizes = (*rule.hidden, n_actions)
    for_networks, for_priors = (
        np.random.default_rng([seed, purpose]) for purpose in (_NETWORKS, _PRIORS)
    )
    online = new_networks(for_networks, rule.members, inputs, sizes)
    prior = new_priors(for_priors, rule.members, inputs, sizes, rule.prior_scale)
    shape, kind = inputs.kind
    room = rule.replay_capacity
    replay = Transitions(
        observation=zeros((room, *shape), kind),
        action=zeros((room,), np.int32),
        reward=zeros((room,)),
        goes_on=zeros((room,)),
        next_observation=zeros((room, *shape), kind),
        mask=zeros((room, rule.members)),
        noise=zeros((room, rule.members)),
    )
    episodes, steps, updates = (zeros((), np.int32) for _ in range(3))
    return Learner(
        key=jnp.asarray(np.array([seed >> 32, seed & 0xFFFFFFFF], np.uint32)),
        online=online,
        target=jax.tree.map(jnp.array, jax.tree.map(np.array, online)),
        prior=prior,
        adam=_new_adam(rule, online),
        replay=replay,
        episodes=episodes,
        steps=steps,
        updates=updates,
    )


def choose_member(
    rule: EnsembleDQN, learner: Learner, observation: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """All members' bids in the first state of an episode, and the member to follow."""
    both = ensemble_values(learner.online, observation)
    both = both + ensemble_values(learner.prior, observation)
    bids = both.max(axis=-1)
    return bids, rule.follow(bids, chance(learner.key, _MEMBER, learner.episodes))


def frozen_member(learner: Learner, member: jax.Array) -> Acting:
    """A member as it is now."""
    return jax.tree.map(lambda each: each[member], Acting(learner.online, learner.prior))


def choose_action(
    rule: EnsembleDQN, acting: Acting, observation: jax.Array, key: jax.Array, steps: jax.Array
) -> jax.Array:
    """The member's best action, or a uniform one with probability ε."""
    worth = values(acting.online, observation) + values(acting.prior, observation)
    for_tie, for_coin, for_action = jax.random.split(chance(key, _ACTION, steps), 3)
    best = argmax_at_random(worth, for_tie).astype(jnp.int32)
    if rule.exploration == 0.0:  # draws without effect would still take time
        return best
    epsilon = rule.exploration / (rule.exploration + steps + 1.0)
    uniform = jax.random.randint(for_action, (), 0, len(worth), jnp.int32)
    return jnp.where(jax.random.uniform(for_coin) < epsilon, uniform, best)


def learn(
    rule: EnsembleDQN,
    learner: Learner,
    observation: jax.Array,
    action: jax.Array,
    reward: jax.Array,
    goes_on: jax.Array,
    next_observation: jax.Array,
) -> Learner:
    """Remember a transition, and take a step of Adam if one is due."""
    mask, noise = _mask_and_noise(rule, chance(learner.key, _MEMORY, learner.steps))
    seen = Transitions(observation, action, reward, goes_on, next_observation, mask, noise)
    place = learner.steps % rule.replay_capacity
    replay = jax.tree.map(lambda all_, one: all_.at[place].set(one), learner.replay, seen)
    learner = learner._replace(replay=replay, steps=learner.steps + 1)
    due = (learner.steps >= rule.min_replay_size) & (learner.steps % rule.sgd_period == 0)
    networks = (learner.online, learner.target, learner.adam, learner.updates)
    online, target, adam, updates = jax.lax.cond(
        due, lambda: _step_of_adam(rule, learner), lambda: networks
    )
    return learner._replace(online=online, target=target, adam=adam, updates=updates)


def _mask_and_noise(rule: EnsembleDQN, key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Which members learn from a transition, and the noise each adds to the reward."""
    mask, noise = (fill((rule.members,), jnp.float32) for fill in (jnp.ones, jnp.zeros))
    for_mask, for_noise = jax.random.split(key)
    if rule.mask_probability < 1.0:
        drawn = jax.random.bernoulli(for_mask, rule.mask_probability, mask.shape)
        mask = drawn.astype(jnp.float32)
    if rule.noise_scale > 0.0:
        noise = rule.noise_scale * jax.random.normal(for_noise, noise.shape, jnp.float32)
    return mask, noise


def _step_of_adam(
    rule: EnsembleDQN, learner: Learner
) -> tuple[Network, Network, optax.OptState, jax.Array]:
    batch = draw_batch(rule, learner)
    slope = jax.grad(loss)(learner.online, learner.target, learner.prior, batch, rule.discount)
    changes, adam = _adam(rule).update(slope, learner.adam)
    online: Network = optax.apply_updates(learner.online, changes)
    updates = learner.updates + 1
    target = jax.lax.cond(
        updates % rule.target_update_period == 0, lambda: online, lambda: learner.target
    )
    return online, target, adam, updates


def draw_batch(rule: EnsembleDQN, learner: Learner) -> Transitions:
    """Uniformly drawn transitions, with replacement."""
    size = jnp.minimum(learner.steps, rule.replay_capacity)
    key = chance(learner.key, _BATCH, learner.steps)
    places = jax.random.randint(key, (rule.batch_size,), 0, size)
    return jax.tree.map(lambda each: each[places], learner.replay)


def loss(
    online: Network, target: Network, prior: Network, batch: Transitions, discount: float
) -> jax.Array:
    """The sum over members of the mean squared error of Q-learning over a batch.

    Members share no weights, so the gradient is that of each member's own mean.
    """
    now = ensemble_values(online, batch.observation) + ensemble_values(prior, batch.observation)
    chosen = jnp.take_along_axis(now, batch.action[jnp.newaxis, :, jnp.newaxis], axis=2)[..., 0]
    later = ensemble_values(target, batch.next_observation)
    later = later + ensemble_values(prior, batch.next_observation)
    wanted = batch.reward + batch.noise.T + discount * batch.goes_on * later.max(axis=-1)
    return (batch.mask.T * jnp.square(wanted - chosen)).mean(axis=-1).sum()


def _adam(rule: EnsembleDQN) -> optax.GradientTransformation:
    return optax.adam(rule.learning_rate)


@functools.partial(jax.jit, static_argnames="rule")
def _new_adam(rule: EnsembleDQN, online: Network) -> optax.OptState:
    return _adam(rule).init(online)
