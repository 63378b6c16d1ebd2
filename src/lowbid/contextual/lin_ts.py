"""Thompson sampling on a ridge regression for each arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lowbid._compile import kernel
from lowbid._random import Stream, normal
from lowbid._require import require_finite
from lowbid.contextual._ridge import RidgePolicy, State, estimate, init, update, width
from lowbid.policies import About, Kernels, Policy, argmin


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Draw a loss for every arm, and play the lowest."""
    ridge = state.ridge
    for arm in range(len(ridge.indices)):
        sd = parameters.scale * width(ridge, arm)
        ridge.indices[arm] = estimate(ridge, arm) + sd * normal(stream)
    return argmin(ridge.indices, True, stream)


@dataclass(frozen=True)
class LinTS(RidgePolicy):
    r"""Linear Thompson sampling with a ridge regression for each arm, in loss form.

    With x the features and 1, :math:`A = \lambda I + \sum x x^\top` over the arm's losses and
    :math:`\hat\theta` its ridge regression, draw

    .. math:: \theta \sim N(\hat\theta, v^2 A^{-1})

    and play the arm with the lowest :math:`\theta \cdot x`. Every arm has a draw of its own: a draw
    that all arms share, as in some implementations, leaves arms with equal data tied, and explores
    less. As only :math:`\theta \cdot x` matters, only that is drawn. Features and losses are taken
    as they are: scale them to about 1 in size, or tune v and λ.

    Parameters
    ----------
    scale : float
        v: the standard deviation of the losses' noise, for exact posterior sampling.
    penalty : float
        λ: the weight of the penalty.
    columns : int
        The number of columns of features; set by the bandit or the environment.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid import contextual
    >>> arms = lowbid.Gaussian([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(contextual.LinTS(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    29.8

    References
    ----------
    .. [1] S. Agrawal, N. Goyal (2013). Thompson sampling for contextual bandits with linear
       payoffs. ICML.
    """

    scale: float = 1.0
    penalty: float = 1.0
    columns: int = 0

    about = About(
        family="posterior sampling",
        needs="the scale of the losses' noise",
        time="K d²",
        memory="K d²",
        guarantee="d^(3/2) sqrt(T) up to logarithms, for linear losses and a larger v",
        cite="agrawal2013thompson",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite("scale", self.scale, above=0.0, or_equal=True)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Without features, and with some."""
        return [cls(), cls(columns=2)]
