"""LinUCB: a confidence bound from a ridge regression for each arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lowbid._compile import kernel
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.contextual._ridge import RidgePolicy, State, estimate, init, update, width
from lowbid.policies import About, Kernels, Policy, argmin


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest confidence bound."""
    ridge = state.ridge
    for arm in range(len(ridge.indices)):
        ridge.indices[arm] = estimate(ridge, arm) - parameters.alpha * width(ridge, arm)
    return argmin(ridge.indices, True, stream)


@dataclass(frozen=True)
class LinUCB(RidgePolicy):
    r"""LinUCB with a ridge regression for each arm, in loss form.

    With x the features and 1, :math:`A = \lambda I + \sum x x^\top` over the arm's losses and
    :math:`\hat\theta` its ridge regression, the index is

    .. math:: \hat\theta \cdot x - \alpha \sqrt{x^\top A^{-1} x},

    and the arm with the lowest index is played; ties are broken uniformly at random. Features and
    losses are taken as they are: scale them to about 1 in size, or tune α and λ.

    Parameters
    ----------
    alpha : float
        α: the width of the confidence bound, in the unit of the losses.
    penalty : float
        λ: the weight of the penalty.
    columns : int
        The number of columns of features; set by the bandit or the environment.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid import contextual
    >>> arms = lowbid.Gaussian([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(contextual.LinUCB(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    20.4

    References
    ----------
    .. [1] L. Li, W. Chu, J. Langford, R. E. Schapire (2010). A contextual-bandit approach to
       personalized news article recommendation. WWW.
    .. [2] Y. Abbasi-Yadkori, D. Pál, C. Szepesvári (2011). Improved algorithms for linear
       stochastic bandits. NeurIPS.
    """

    alpha: float = 1.0
    penalty: float = 1.0
    columns: int = 0

    about = About(
        family="index",
        needs="the scale of the losses' noise",
        time="K d²",
        memory="K d²",
        guarantee="d sqrt(T) up to logarithms, for linear losses and a width that grows",
        cite="abbasi2011improved,li2010contextual",
    )
    kernels = Kernels(init, select, update)
    draws_for_ties_only = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite("alpha", self.alpha, above=0.0, or_equal=True)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Without features, and with some."""
        return [cls(), cls(columns=2)]
