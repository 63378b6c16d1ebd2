"""Fully connected networks, as tuples of arrays; those of an ensemble have an extra first axis.

An observation is a vector, or the index of the 1 in a one-hot vector: then the first layer looks up
a row instead of multiplying by a vector that is nearly all zeros.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from lowbid._arrays import Floats


class Inputs(NamedTuple):
    """The inputs of networks.

    Attributes
    ----------
    rows : int
        The number of entries of an observation that can differ from 0.
    fan_in : int
        The number of entries that determines the scale of the first weights, `rows` or more.
    one_hot : bool
        Whether observations are row indices instead of vectors.
    """

    rows: int
    fan_in: int
    one_hot: bool

    @property
    def kind(self) -> tuple[tuple[int, ...], type]:
        """The shape and the type of one observation."""
        return ((), np.int32) if self.one_hot else ((self.rows,), np.float32)


class Layer(NamedTuple):
    """Weights, (input, output), and biases."""

    weights: jax.Array
    biases: jax.Array


Network: TypeAlias = tuple[Layer, ...]


def new_networks(
    random: np.random.Generator, members: int, inputs: Inputs, sizes: Sequence[int]
) -> Network:
    """Normal weights truncated at two standard deviations of 1/√(fan-in); biases 0."""
    rows, layers, fan_in = inputs.rows, [], inputs.fan_in
    for size in sizes:
        normal = _cut_off_normal(random, (members, rows, size)) / math.sqrt(fan_in)
        layers.append(Layer(jnp.asarray(normal, jnp.float32), zeros((members, size))))
        rows = fan_in = size
    return tuple(layers)


def _cut_off_normal(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Standard normal numbers; those beyond 2 are redrawn."""
    numbers = random.standard_normal(shape)
    while (beyond := np.abs(numbers) > 2.0).any():
        numbers[beyond] = random.standard_normal(int(beyond.sum()))
    return numbers


def values(network: Network, observations: jax.Array) -> jax.Array:
    """A network's values of observations, (observation, action), or (action,) for a single one."""
    first, *others = network
    one_hot = jnp.issubdtype(observations.dtype, jnp.integer)
    hidden = first.weights[observations] if one_hot else observations @ first.weights
    hidden = hidden + first.biases
    for layer in others:
        hidden = jax.nn.relu(hidden) @ layer.weights + layer.biases
    return hidden


ensemble_values = jax.vmap(values, (0, None))  # (member, observation, action)


def new_priors(
    random: np.random.Generator, members: int, inputs: Inputs, sizes: Sequence[int], scale: float
) -> Network:
    """Random networks times `scale`; for one-hot observations, their tables of values."""
    networks = new_networks(random, members, inputs, sizes)
    if inputs.one_hot:
        tables = ensemble_values(networks, jnp.arange(inputs.rows))
        return (Layer(scale * tables, zeros((members, sizes[-1]))),)
    *others, last = networks
    return (*others, Layer(scale * last.weights, scale * last.biases))


def zeros(shape: tuple[int, ...], kind: type = np.float32) -> jax.Array:
    """Zeros made by NumPy; JAX would compile something for each shape."""
    return jnp.asarray(np.zeros(shape, kind))


def argmax_at_random(numbers: jax.Array, key: jax.Array) -> jax.Array:
    """The index of the highest number; ties are broken uniformly at random."""
    chance = jax.random.uniform(key, numbers.shape)
    return jnp.argmax(jnp.where(numbers == numbers.max(), chance, -1.0))
