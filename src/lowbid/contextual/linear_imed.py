"""IMED on linear models: the default with features."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lowbid._compile import kernel
from lowbid._random import Stream
from lowbid.contextual._modelled import (
    ModelPolicy,
    Parameters,
    State,
    init,
    new_first,
    patient,
    update,
    weigh,
)
from lowbid.policies import About, Kernels, Policy, argmin


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest index."""
    if weigh(state, step):
        for arm in range(len(state.indices)):
            waited = patient(parameters.patience, state.evidence[arm])
            state.indices[arm] = waited - math.log(max(state.uncertainties[arm], 1e-300))
    else:
        new_first(state)
    return argmin(state.indices, True, stream)


@dataclass(frozen=True)
class LinearIMED(ModelPolicy):
    r"""IMED on one Bayesian linear model per arm: the default with features.

    With x the features and 1, arm a's mean loss is estimated as :math:`\mu_a = \theta_a \cdot x`,
    with variance :math:`\sigma^2 q_a`; the arm of lowest estimate is the leader. With
    :math:`E_a = (\mu_a - \mu_{leader})^2 / (2 \sigma^2 q_a)`, the arm with the lowest

    .. math:: \ln(1 + \kappa (e^{E_a} - 1)) - \ln q_a

    is played, ties broken uniformly at random; arms never played come first, in random order.
    1 / q is the effective number of losses near these features; without features it is the number
    of losses, and the rule is a race as `MomentIMED` is.

    Each feature is standardised by its mean and standard deviation so far. The noise σ, the level
    of the average arm, and how much of the losses' variance features explain are estimated from all
    losses, when the number of steps has grown by a tenth: the rule has nothing to tune, and does
    not depend on any unit. A single loss or feature that is a gross error is clipped.

    Parameters
    ----------
    patience : float
        κ: how much longer than in IMED an arm waits.
    columns : int
        The number of columns of features; set by the bandit or the environment.
    low, high : float, optional
        The range of the losses, if it is known; then they are not clipped.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid import contextual
    >>> arms = lowbid.Gaussian([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(contextual.LinearIMED(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    22.9

    References
    ----------
    .. [1] J. Honda, A. Takemura (2015). Non-asymptotic analysis of a new bandit algorithm for
       semi-bounded rewards. JMLR 16.
    .. [2] J. Bian, V. Y. F. Tan (2024). Indexed minimum empirical divergence-based algorithms for
       linear bandits. arXiv:2405.15200.
    """

    patience: float = 8.0
    columns: int = 0
    low: float | None = None
    high: float | None = None

    about = About(
        family="index",
        needs="nothing",
        time="K d²",
        memory="K d²",
        guarantee="none",
        cite="honda2015non,bian2024indexed",
        pending="each counts as a play of its arm near its features, with the loss predicted",
    )
    kernels = Kernels(init, select, update)
    draws_for_ties_only = True

    @classmethod
    def variants(cls) -> list[Policy]:
        """Without features, with some, and with a known range."""
        return [cls(), cls(columns=2), cls(low=0.0, high=1.0)]
