"""Thompson sampling with a Beta posterior of the last losses."""

from __future__ import annotations

from dataclasses import dataclass

from lowbid._compile import kernel
from lowbid._random import Stream, beta, coin
from lowbid.policies._base import About, Kernels, require_finite
from lowbid.policies._scan import argmin
from lowbid.policies._window import WindowPolicy, WindowState, init, slide


@kernel
def select(
    parameters: SlidingWindowBetaThompson, state: WindowState, step: int, stream: Stream
) -> int:
    """Draw a mean loss for every arm, and play the lowest."""
    window = state.window
    for arm in range(len(state.indices)):
        bad, good = window.sums[arm], window.counts[arm] - window.sums[arm]
        state.indices[arm] = beta(stream, parameters.prior_bad + bad, parameters.prior_good + good)
    return argmin(state.indices, True, stream)


@kernel
def update(
    parameters: SlidingWindowBetaThompson,
    state: WindowState,
    arm: int,
    loss: float,
    step: int,
    stream: Stream,
) -> None:
    """Count a loss of 0 or 1; flip a coin for anything between."""
    flip = coin(stream, loss) if 0.0 < loss < 1.0 else loss
    slide(state.window, parameters.window, arm, flip)


@dataclass(frozen=True)
class SlidingWindowBetaThompson(WindowPolicy):
    r"""Thompson sampling from the last losses of Bernoulli arms that change, in loss form.

    Of the last τ losses of all arms, n are of arm a and have the sum S. Draw

    .. math:: \theta_a \sim \mathrm{Beta}(\alpha + S, \beta + n - S)

    and play the arm with the lowest draw. A loss strictly between 0 and 1 is replaced by a coin
    flip of that probability, which keeps its mean.

    Parameters
    ----------
    window : int
        τ: how many losses are remembered.
    prior_bad, prior_good : float
        Alpha and beta: the imagined numbers of losses of 1 and of 0 of each arm.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Switching([lowbid.Bernoulli([0.1, 0.5]), lowbid.Bernoulli([0.5, 0.1])],
    ...                         after=[1000])
    >>> policy = lowbid.SlidingWindowBetaThompson(window=300)
    >>> result = lowbid.simulate(policy, arms, horizon=2000, runs=100, seed=0)
    >>> print(f"{result.measure} {result.regret[0, :, -1].mean():.0f}")
    dynamic regret 50

    References
    ----------
    .. [1] F. Trovò, S. Paladino, M. Restelli, N. Gatti (2020). Sliding-window Thompson sampling
       for non-stationary settings. Journal of Artificial Intelligence Research 68.
    """

    prior_bad: float = 1.0
    prior_good: float = 1.0

    about = About(
        family="forgetting",
        needs="losses in [0, 1], and how often the arms change",
        time="K",
        memory="K + τ",
        guarantee="of order sqrt(Υ T) dynamic regret, up to logarithms, for Bernoulli losses",
        cite="trovo2020sliding",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite("prior_bad", self.prior_bad, above=0.0)
        require_finite("prior_good", self.prior_good, above=0.0)

    @property
    def loss_range(self) -> tuple[float, float]:
        """Losses are probabilities of a coin."""
        return 0.0, 1.0
