import jax.numpy as jnp
import numpy as np

from lowbid.mdp.deep._networks import Inputs, ensemble_values, new_networks, new_priors, values
from naive.deep import forward


def test_a_number_stands_for_a_one_hot_vector():
    network = tuple(
        type(layer)(*(jnp.asarray(np.asarray(each)[0]) for each in layer))
        for layer in new_networks(np.random.default_rng(0), 1, Inputs(5, 5, True), (4, 3))
    )
    plain = [(np.asarray(w), np.asarray(b)) for w, b in network]
    for state in range(5):
        vector = np.eye(5, dtype=np.float32)[state]
        wanted = forward(plain, vector)[-1]
        np.testing.assert_allclose(values(network, jnp.asarray(state)), wanted, atol=1e-6)
        np.testing.assert_allclose(values(network, jnp.asarray(vector)), wanted, atol=1e-6)


def test_weights_have_their_law_and_biases_are_0():
    networks = new_networks(np.random.default_rng(1), 20, Inputs(100, 400, True), (50, 2))
    first, last = networks
    assert first.weights.shape == (20, 100, 50)
    assert last.weights.shape == (20, 50, 2)
    assert not np.asarray(first.biases).any()
    assert not np.asarray(last.biases).any()
    sd = 0.8796  # of a standard normal number that is cut off at 2
    for layer, fan_in in ((first, 400), (last, 50)):
        scaled = np.asarray(layer.weights) * np.sqrt(fan_in)
        assert np.abs(scaled).max() <= 2.0 + 1e-6
        assert abs(scaled.std() - sd) < 4 * sd / np.sqrt(2 * scaled.size)
        assert abs(scaled.mean()) < 4 * sd / np.sqrt(scaled.size)
    assert not np.array_equal(*np.asarray(first.weights)[:2])


def test_a_prior_is_a_random_network_times_its_scale():
    for inputs, seen in (
        (Inputs(6, 9, True), jnp.arange(6)),
        (Inputs(6, 6, False), jnp.asarray(np.eye(6), jnp.float32)),
    ):
        networks = new_networks(np.random.default_rng(2), 3, inputs, (4, 2))
        priors = new_priors(np.random.default_rng(2), 3, inputs, (4, 2), scale=5.0)
        assert len(priors) == (1 if inputs.one_hot else 2)
        wanted = 5.0 * ensemble_values(networks, seen)
        np.testing.assert_allclose(ensemble_values(priors, seen), wanted, rtol=1e-5, atol=1e-6)
