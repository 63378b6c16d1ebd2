"""ACB with features: a bonus from the largest of a few regressions on noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, normal
from lowbid._require import require_finite, require_whole
from lowbid.contextual._columns import Columns
from lowbid.contextual._ridge import Ridge, RidgePolicy, estimate, fit, ridge_of
from lowbid.contextual._triangle import add_multiple, dot
from lowbid.policies import About, Kernels, Policy, argmin

# Each arm has a regression for each member.
_MOST_MEMBERS = 1_000


class State(NamedTuple):
    """The regressions on losses, and those on noise."""

    ridge: Ridge
    noise: Floats  # (arm, member, column): the weights that noise was fitted by


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Before the first loss; the noise of the prior is drawn with it."""
    d = parameters.columns + 1
    return State(
        ridge=ridge_of(n_arms, parameters.columns, parameters.penalty),
        noise=np.zeros((n_arms, parameters.members, d)),
    )


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest index."""
    ridge = state.ridge
    for arm in range(len(ridge.indices)):
        if ridge.counts[arm] == 0.0:
            ridge.indices[arm] = -math.inf
        else:
            bonus = parameters.beta * largest(state, arm)
            ridge.indices[arm] = estimate(ridge, arm) - bonus
    return argmin(ridge.indices, True, stream)


@kernel
def largest(state: State, arm: int) -> float:
    """The largest of what an arm's members predict, in size."""
    found = 0.0
    members = state.noise[arm]
    for member in range(members.shape[0]):
        found = max(found, abs(dot(members[member], state.ridge.columns.x)))
    return found


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Fit the loss, and new noise for every member."""
    ridge, members = state.ridge, state.noise[arm]
    x = ridge.columns.x
    if ridge.counts[arm] == 0.0:
        sd = 1.0 / math.sqrt(parameters.penalty)
        for member in range(members.shape[0]):
            for j in range(len(x)):
                members[member, j] = sd * normal(stream)
    fit(ridge, arm, loss)
    for member in range(members.shape[0]):
        rest = normal(stream) - dot(members[member], x)
        add_multiple(members[member], rest, ridge.room)


@dataclass(frozen=True)
class LinearACB(RidgePolicy):
    r"""ACB (anti-concentrated confidence bonuses) with features, in loss form.

    Each arm has a ridge regression of its losses, :math:`\hat\theta`, and M regressions of pure
    noise,

    .. math:: w_j = A^{-1} \Big(\sqrt\lambda\,\xi_j + \sum_i y_{i,j} x_i\Big),
              \qquad \xi_j, y_{i,j} \sim N(0, 1), \qquad A = \lambda I + \sum_i x_i x_i^\top,

    the largest of which stands for the confidence width :math:`\sqrt{x^\top A^{-1} x}`: the index
    is :math:`\hat\theta \cdot x - \beta \max_j |w_j \cdot x|`, and the arm with the lowest one is
    played; arms never played come first. Without features this is `ACB`. Noise is added at each
    loss of the arm, and never drawn again. Features and losses are taken as they are: scale them to
    about 1 in size, or tune β and λ.

    Parameters
    ----------
    beta : float
        β: the width of the bonus, in the unit of the losses.
    members : int
        M: about log(T K) in the theory.
    penalty : float
        λ: the weight of the penalty.
    columns : int
        The number of columns of features; set by the bandit or the environment.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid import contextual
    >>> arms = lowbid.Gaussian([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(contextual.LinearACB(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    17.6

    References
    ----------
    .. [1] J. T. Ash, C. Zhang, S. Goel, A. Krishnamurthy, S. M. Kakade (2022). Anti-concentrated
       confidence bonuses for scalable exploration. ICLR.
    """

    beta: float = 1.0
    members: int = 10
    penalty: float = 1.0
    columns: int = 0

    about = About(
        family="ensemble",
        needs="the scale of the losses' noise",
        time="K M d + d²",
        memory="K d² + K M d",
        guarantee="sqrt(T) up to logarithms, for linear bandits with fresh noise",
        cite="ash2022anti",
    )
    kernels = Kernels(init, select, update)
    draws_for_ties_only = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite("beta", self.beta, above=0.0, or_equal=True)
        require_whole("members", self.members, at_most=_MOST_MEMBERS)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Without features, and with some."""
        return [cls(), cls(columns=2)]

    def columns_of(self, state: State) -> Columns:
        """The features within a state."""
        return state.ridge.columns
