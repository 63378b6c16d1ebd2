"""How an ensemble learns, compared with a naive one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lowbid.mdp import deep
from lowbid.mdp.deep import _deep_agent
from lowbid.mdp.deep import _learner as learning
from mdp.deep.small import SMALL, STATES, VECTORS
from naive.deep import NaiveMember

STEPS = 16


def member_of(networks, m):
    return [(np.asarray(layer.weights)[m], np.asarray(layer.biases)[m]) for layer in networks]


def as_vector(inputs, observation):
    return np.eye(inputs.rows)[int(observation)] if inputs.one_hot else np.asarray(observation)


def naive_batch(inputs, batch, m):
    batch = type(batch)(*map(np.asarray, batch))
    return [
        (
            as_vector(inputs, batch.observation[i]),
            int(batch.action[i]),
            float(batch.reward[i]) + float(batch.noise[i, m]),
            float(batch.goes_on[i]),
            as_vector(inputs, batch.next_observation[i]),
            float(batch.mask[i, m]),
        )
        for i in range(len(batch.action))
    ]


def observations(inputs, random):
    if inputs.one_hot:
        return jnp.asarray(np.int32(random.integers(inputs.rows)))
    return jnp.asarray(random.normal(size=inputs.rows).astype(np.float32))


@pytest.mark.parametrize("inputs", [STATES, VECTORS], ids=["states", "vectors"])
def test_an_ensemble_learns_as_a_naive_one_does(inputs):
    rule, random = SMALL, np.random.default_rng(0)
    learner = learning.new_learner(rule, inputs, 2, seed=3)
    first_prior = jax.tree.map(np.array, learner.prior)
    naive = [
        NaiveMember(
            member_of(learner.online, m),
            member_of(learner.prior, m),
            SMALL.discount,
            SMALL.learning_rate,
        )
        for m in range(rule.members)
    ]
    draw = jax.jit(learning.draw_batch, static_argnames="rule")
    seen = []
    x = observations(inputs, random)
    for n in range(1, STEPS + 1):
        action, reward, goes_on = random.integers(2), random.normal(), float(n % 4 != 0)
        next_x = observations(inputs, random)
        told = (np.int32(action), np.float32(reward), np.float32(goes_on), next_x)
        learner = _deep_agent._learn(rule, learner, x, *told)
        seen.append((x, action, reward))
        if n >= rule.min_replay_size and n % rule.sgd_period == 0:
            batch = draw(rule, learner)
            for m, each in enumerate(naive):
                each.learn(naive_batch(inputs, batch, m))
                if each.updates % rule.target_update_period == 0:
                    each.copy_to_target()
        for m, each in enumerate(naive):
            for ours, theirs in (
                (member_of(learner.online, m), each.online),
                (member_of(learner.target, m), each.target),
            ):
                for (w, b), (naive_w, naive_b) in zip(ours, theirs, strict=True):
                    np.testing.assert_allclose(w, naive_w, atol=2e-5)
                    np.testing.assert_allclose(b, naive_b, atol=2e-5)
        x = next_x
    assert int(learner.updates) == naive[0].updates == 6
    assert int(learner.steps) == STEPS
    # The replay has the last transitions, the oldest overwritten first; priors have not moved.
    replay = type(learner.replay)(*map(np.asarray, learner.replay))
    for n in range(STEPS - rule.replay_capacity, STEPS):
        place = n % rule.replay_capacity
        assert replay.observation[place].tolist() == seen[n][0].tolist()
        assert replay.action[place] == seen[n][1]
        assert replay.reward[place] == np.float32(seen[n][2])
        assert replay.goes_on[place] == ((n + 1) % 4 != 0)
    for before, after in zip(
        jax.tree.leaves(first_prior), jax.tree.leaves(learner.prior), strict=True
    ):
        np.testing.assert_array_equal(before, after)


def test_the_loss_is_that_of_q_learning_and_its_slope_the_naive_one():
    learner = learning.new_learner(SMALL, VECTORS, 2, seed=1)
    random = np.random.default_rng(1)
    shape = (7, VECTORS.rows)
    batch = learning.Transitions(
        observation=jnp.asarray(random.normal(size=shape), jnp.float32),
        action=jnp.asarray(random.integers(2, size=7)),
        reward=jnp.asarray(random.normal(size=7), jnp.float32),
        goes_on=jnp.asarray(random.integers(2, size=7), jnp.float32),
        next_observation=jnp.asarray(random.normal(size=shape), jnp.float32),
        mask=jnp.asarray(random.integers(2, size=(7, SMALL.members)), jnp.float32),
        noise=jnp.asarray(random.normal(size=(7, SMALL.members)), jnp.float32),
    )
    other = learning.new_learner(SMALL, VECTORS, 2, seed=2).online
    members = []
    for m in range(SMALL.members):
        each = NaiveMember(
            member_of(learner.online, m),
            member_of(learner.prior, m),
            SMALL.discount,
            SMALL.learning_rate,
        )
        each.target = member_of(other, m)
        members.append(each)
    naive = sum(each.loss(naive_batch(VECTORS, batch, m)) for m, each in enumerate(members))
    both = jax.jit(jax.value_and_grad(learning.loss), static_argnums=4)
    ours, slopes = both(learner.online, other, learner.prior, batch, 0.9)
    assert float(ours) == pytest.approx(naive, rel=1e-5)
    for m, each in enumerate(members):
        theirs = each.slopes(naive_batch(VECTORS, batch, m))
        for found, wanted in zip(jax.tree.leaves(slopes), theirs, strict=True):
            np.testing.assert_allclose(np.asarray(found)[m], wanted, rtol=1e-3, atol=1e-5)


def test_masks_and_noise_have_their_laws():
    rule = deep.BootstrappedDQN(members=400, mask_probability=0.3, noise_scale=2.0)
    draw = jax.jit(learning._mask_and_noise, static_argnums=0)
    mask, noise = map(np.asarray, draw(rule, jax.random.key(0)))
    assert set(np.unique(mask)) == {0.0, 1.0}
    assert abs(mask.mean() - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 400)
    assert abs(noise.mean()) < 4 * 2.0 / np.sqrt(400)
    assert abs(noise.std() - 2.0) < 4 * 2.0 / np.sqrt(800)
    mask, noise = draw(deep.BootstrappedDQN(members=4), jax.random.key(0))
    assert (mask == 1.0).all()
    assert (noise == 0.0).all()


def test_uniform_actions_come_with_probability_epsilon():
    rule = deep.BootstrappedDQN(members=1, hidden=(2,), exploration=10.0, prior_scale=0.0)
    learner = learning.new_learner(rule, STATES, 2, seed=0)
    acting = learning.frozen_member(learner, 0)
    at = jnp.asarray(np.int32(0))
    best = int(learning.values(acting.online, at).argmax())
    counts = 400
    keys = np.zeros((counts, 2), np.uint32)
    keys[:, 1] = np.arange(counts)

    @jax.jit
    def act(step):
        return jax.vmap(lambda key: learning.choose_action(rule, acting, at, key, step))(keys)

    for step, epsilon in ((9, 0.5), (89, 0.1)):
        actions = act(np.int32(step))
        other = float((np.asarray(actions) != best).mean())
        chance = epsilon / 2
        assert abs(other - chance) < 4 * np.sqrt(chance * (1 - chance) / counts)


def test_who_is_followed():
    bids = jnp.array([1.0, 3.0, 2.0, 3.0])
    keys = jax.random.split(jax.random.key(0), 600)
    highest = jax.jit(jax.vmap(lambda key: deep.BiddingDQN(4).follow(bids, key)))(keys)
    counts = np.bincount(highest, minlength=4)
    assert counts[0] == counts[2] == 0
    assert abs(counts[1] - 300) < 4 * np.sqrt(600 / 4)
    anyone = jax.jit(jax.vmap(lambda key: deep.BootstrappedDQN(4).follow(bids, key)))(keys)
    counts = np.bincount(anyone, minlength=4)
    assert (abs(counts - 150) < 4 * np.sqrt(600 * 3 / 16)).all()
