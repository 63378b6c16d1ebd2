"""Thompson sampling with a Beta posterior, for losses in [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, beta, coin
from lowbid.policies._base import About, Floats, Kernels, Policy, require_finite
from lowbid.policies._limits import Limits, Sizes, real
from lowbid.policies._scan import argmin


class State(NamedTuple):
    """The posterior's two parameters of each arm, and room for the draws."""

    bad: Floats
    good: Floats
    draws: Floats

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "bad", real(0.0)
        yield "good", real(0.0)


@allocating_kernel
def init(parameters: BetaThompson, n_arms: int, capacity: int) -> State:
    """Start every arm at the prior."""
    return State(
        bad=np.full(n_arms, parameters.prior_bad),
        good=np.full(n_arms, parameters.prior_good),
        draws=np.zeros(n_arms),
    )


@kernel
def select(parameters: BetaThompson, state: State, step: int, stream: Stream) -> int:
    """Draw a mean loss for every arm, and play the lowest."""
    for arm in range(len(state.draws)):
        state.draws[arm] = beta(stream, state.bad[arm], state.good[arm])
    return argmin(state.draws, True, stream)


@kernel
def update(
    parameters: BetaThompson, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Count a loss of 0 or 1; flip a coin for anything between."""
    flip = loss
    if 0.0 < loss < 1.0:
        flip = coin(stream, loss)
    state.bad[arm] += flip
    state.good[arm] += 1.0 - flip


@dataclass(frozen=True)
class BetaThompson(Policy):
    r"""Thompson sampling for Bernoulli arms, in loss form.

    With n losses of arm a, of sum S, draw

    .. math:: \theta_a \sim \mathrm{Beta}(\alpha + S, \beta + n - S)

    and play the arm with the lowest draw. A loss strictly between 0 and 1 is replaced by a coin
    flip of that probability, which keeps its mean.

    Parameters
    ----------
    prior_bad, prior_good : float
        Alpha and beta: the imagined numbers of losses of 1 and of 0 before the first step.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.BetaThompson(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    6.0

    References
    ----------
    .. [1] W. R. Thompson (1933). On the likelihood that one unknown probability exceeds another
       in view of the evidence of two samples. Biometrika 25.
    .. [2] E. Kaufmann, N. Korda, R. Munos (2012). Thompson sampling: an asymptotically optimal
       finite-time analysis. ALT.
    .. [3] S. Agrawal, N. Goyal (2013). Further optimal regret bounds for Thompson sampling.
       AISTATS.
    """

    prior_bad: float = 1.0
    prior_good: float = 1.0

    about = About(
        family="posterior sampling",
        needs="losses in [0, 1]",
        time="K",
        memory="K",
        guarantee="asymptotically optimal for Bernoulli losses",
        cite="kaufmann2012thompson",
    )
    kernels = Kernels(init, select, update)
    select_keeps_state = True

    def __post_init__(self) -> None:
        require_finite("prior_bad", self.prior_bad, above=0.0)
        require_finite("prior_good", self.prior_good, above=0.0)

    @property
    def loss_range(self) -> tuple[float, float]:
        """Losses are probabilities of a coin."""
        return 0.0, 1.0

    def merge(self, first: State, second: State) -> State:
        """Losses of either kind add up; the prior counts once."""
        return State(
            bad=first.bad + second.bad - self.prior_bad,
            good=first.good + second.good - self.prior_good,
            draws=np.zeros(len(first.draws)),
        )
