"""Arms whose mean losses are linear in normally distributed features."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random import Stream, coin, key, normal, seek_run
from lowbid._require import require_finite, require_whole
from lowbid.environments import Featured

_MOST_COLUMNS, _MOST_ARMS = 1_000, 10_000


class World(NamedTuple):
    """The features of the current step, the arms of the current run, and the stream of both."""

    features: Floats
    weights: Floats
    slope: Floats
    seed: Any
    stream: Any


@kernel
def begin(table: Floats, gaps: Floats, world: World, run: int) -> None:
    """Draw the arms of a run."""
    seek_run(world.stream, world.seed[0], run)
    d = world.weights.shape[1]
    for arm in range(world.weights.shape[0]):
        for j in range(d):
            world.weights[arm, j] = normal(world.stream) / math.sqrt(float(d))


@kernel
def move(table: Floats, gaps: Floats, world: World, step: int) -> None:
    """Draw the features of a step."""
    features, weights = world.features, world.weights
    for j in range(len(features)):
        features[j] = normal(world.stream)
    lowest = math.inf
    for arm in range(weights.shape[0]):
        mean = weights[arm, 0]
        for j in range(len(features)):
            mean += weights[arm, j + 1] * features[j]
        if world.slope[0] > 0.0:
            mean = 1.0 / (1.0 + math.exp(-world.slope[0] * mean))
        table[0, arm, 0] = mean
        lowest = min(lowest, mean)
    for arm in range(weights.shape[0]):
        gaps[0, arm] = table[0, arm, 0] - lowest


@kernel
def draw_normal(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm, with normal noise."""
    return table[instance, arm, 0] + table[instance, arm, 1] * normal(stream)


@kernel
def draw_coin(table: Floats, instance: int, arm: int, stream: Stream) -> float:
    """One loss of an arm, 0 or 1."""
    return float(coin(stream, table[instance, arm, 0]))


class Drawn(Featured):
    """Base class of environments with normal features and arms drawn anew in each run."""

    begin = begin
    move = move

    def __init__(self, n_arms: int, columns: int, sd: float, slope: float) -> None:
        n_arms = require_whole("n_arms", n_arms, at_most=_MOST_ARMS)
        columns = require_whole("columns", columns, at_least=0, at_most=_MOST_COLUMNS)
        self._shape, self._slope = (n_arms, columns), float(slope)
        self.first_table = np.zeros((1, n_arms, 2))
        self.first_table[..., 1] = sd

    def world(self, seed: int) -> World:
        """Room for the features and the arms."""
        n_arms, columns = self._shape
        return World(
            features=np.zeros(columns),
            weights=np.zeros((n_arms, columns + 1)),
            slope=np.full(1, self._slope),
            seed=np.full(1, key(seed, "features"), np.uint64),
            stream=np.zeros(1, np.uint64),
        )

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return table[..., 0]

    def describe(self) -> dict[str, Any]:
        """What it was made from."""
        return {"environment": repr(self)}


class Linear(Drawn):
    r"""Arms whose mean losses are linear in features, with normal noise.

    Features are standard normal. Arm a has the mean loss :math:`\theta_a \cdot (1, x)`, where
    :math:`\theta_a` is drawn anew in each run, from a normal distribution of mean 0 and variance
    1 / d for d columns, the constant one included.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    columns : int
        The number of features.
    sd : float
        The standard deviation of the noise.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid.contextual import LinearIMED
    >>> from lowbid.contextual.problems import Linear
    >>> policies = [LinearIMED(), lowbid.BatchLikelihood()]
    >>> result = lowbid.simulate(policies, Linear(5, columns=5, sd=0.1), horizon=1000, runs=20)
    >>> [round(float(regret)) for regret in result.regret[:, :, -1].mean(axis=1)]
    [32, 596]
    """

    draw = draw_normal

    def __init__(self, n_arms: int, columns: int, sd: float = 0.5) -> None:
        require_finite("sd", sd, above=0.0, or_equal=True)
        self.sd = float(sd)
        super().__init__(n_arms, columns, float(sd), slope=0.0)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return -math.inf, math.inf

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return table[..., 1] ** 2

    def __repr__(self) -> str:
        return f"Linear({self._shape[0]}, columns={self._shape[1]}, sd={self.sd:g})"


class Logistic(Drawn):
    r"""Arms whose losses are 0 or 1, with a chance that is a logistic function of features.

    As `Linear`, but arm a has a loss of 1 with the chance
    :math:`1 / (1 + e^{-s \theta_a \cdot (1, x)})`.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    columns : int
        The number of features.
    slope : float
        s: how much features matter.
    """

    draw = draw_coin

    def __init__(self, n_arms: int, columns: int, slope: float = 2.0) -> None:
        require_finite("slope", slope, above=0.0)
        self.slope = float(slope)
        super().__init__(n_arms, columns, 0.0, slope)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        return 0.0, 1.0

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return table[..., 0] * (1.0 - table[..., 0])

    def __repr__(self) -> str:
        return f"Logistic({self._shape[0]}, columns={self._shape[1]}, slope={self.slope:g})"
