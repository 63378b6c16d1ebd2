"""Minimum empirical divergence on linear models: random choices with known probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lowbid._compile import kernel
from lowbid._random import Stream, uniform
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
    """Draw an arm; `indices` are minus the logarithms of the probabilities."""
    if not weigh(state, step):
        new_first(state)
        return argmin(state.indices, True, stream)
    total = 0.0
    for arm in range(len(state.indices)):
        state.indices[arm] = patient(parameters.patience, state.evidence[arm])
        total += math.exp(-state.indices[arm])
    for arm in range(len(state.indices)):
        state.indices[arm] += math.log(total)
    return drawn(state, uniform(stream))


@kernel
def drawn(state: State, u: float) -> int:
    """The arm at which the probabilities add up to more than `u`."""
    last = 0
    for arm in range(len(state.indices)):
        share = math.exp(-state.indices[arm])
        if share > 0.0:
            last = arm
            u -= share
            if u < 0.0:
                return arm
    return last


@dataclass(frozen=True)
class LinearMED(ModelPolicy):
    r"""Minimum empirical divergence on one Bayesian linear model per arm: random choices.

    The models and the evidence :math:`E_a` are those of `LinearIMED`. An arm is drawn with a
    probability proportional to

    .. math:: \frac{1}{1 + \kappa (e^{E_a} - 1)};

    arms never played come first, in random order. The probabilities are exact, and known: logs of
    its decisions can be used to evaluate other policies.

    Parameters
    ----------
    patience : float
        κ: larger values explore less.
    columns : int
        The number of columns of features; set by the bandit or the environment.
    low, high : float, optional
        The range of the losses, if it is known; then they are not clipped.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid import contextual
    >>> arms = lowbid.Gaussian([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(contextual.LinearMED(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    29.6

    References
    ----------
    .. [1] J. Honda, A. Takemura (2011). An asymptotically optimal policy for finite support models
       in the multiarmed bandit problem. Machine Learning 85.
    .. [2] K. Balagopalan, K.-S. Jun (2025). Minimum empirical divergence for sub-Gaussian linear
       bandits. AISTATS.
    """

    patience: float = 20.0
    columns: int = 0
    low: float | None = None
    high: float | None = None

    about = About(
        family="randomised",
        needs="nothing",
        time="K d²",
        memory="K d²",
        guarantee="none",
        cite="honda2011asymptotically,balagopalan2025minimum",
        pending="each counts as a play of its arm near its features, with the loss predicted",
    )
    kernels = Kernels(init, select, update)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Without features, with some, and with a known range."""
        return [cls(), cls(columns=2), cls(low=0.0, high=1.0)]

    def chance(self, state: State, step: int, arm: int) -> float:
        """The probability that was drawn from."""
        shares = [math.inf if x == -math.inf else math.exp(-x) for x in state.indices.tolist()]
        if math.inf in shares:
            return 1.0 / shares.count(math.inf)
        return shares[arm] / sum(shares)
