"""Thompson sampling with a Gaussian posterior of the last losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from lowbid._compile import kernel
from lowbid._random import Stream, normal
from lowbid.policies._base import About, Kernels
from lowbid.policies._scan import argmin
from lowbid.policies._spread import DeviationPolicy
from lowbid.policies._window import WindowPolicy, WindowState, init, slide


@kernel
def select(parameters: Any, state: WindowState, step: int, stream: Stream) -> int:
    """Draw a mean loss for every arm, and play the lowest."""
    window = state.window
    for arm in range(len(state.indices)):
        count = window.counts[arm]
        if count > 0.0:
            error = parameters.sd / math.sqrt(count)
            state.indices[arm] = window.sums[arm] / count + error * normal(stream)
        else:
            state.indices[arm] = -math.inf
    return argmin(state.indices, True, stream)


@kernel
def update(
    parameters: Any,
    state: WindowState,
    arm: int,
    loss: float,
    step: int,
    stream: Stream,
) -> None:
    """Add the loss to the window."""
    slide(state.window, parameters.window, arm, loss)


@dataclass(frozen=True)
class SlidingWindowGaussianThompson(WindowPolicy, DeviationPolicy):
    r"""Thompson sampling from the last losses of Gaussian arms that change, in loss form.

    Of the last τ losses of all arms, n are of arm a and have the mean m. With no prior knowledge
    draw

    .. math:: \theta_a \sim N(m, \sigma^2 / n)

    and play the arm with the lowest draw; arms without a loss in the window come first. This is the
    rule of [1]_, with the posterior of Gaussian losses in place of that of Bernoulli losses.

    Parameters
    ----------
    window : int
        τ: how many losses are remembered.
    sd : float, optional
        Sigma: the losses' standard deviation; by default half the width of the declared range,
        which is the largest possible one there, or 1 without one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Switching([lowbid.Gaussian([0.0, 0.5]), lowbid.Gaussian([0.5, 0.0])],
    ...                         after=[1000])
    >>> policy = lowbid.SlidingWindowGaussianThompson(window=500)
    >>> result = lowbid.simulate(policy, arms, horizon=2000, runs=100, seed=0)
    >>> print(f"{result.measure} {result.regret[0, :, -1].mean():.0f}")
    dynamic regret 130

    References
    ----------
    .. [1] F. Trovò, S. Paladino, M. Restelli, N. Gatti (2020). Sliding-window Thompson sampling
       for non-stationary settings. Journal of Artificial Intelligence Research 68.
    """

    sd: float | None = None

    about = About(
        family="forgetting",
        needs="the losses' standard deviation, and how often the arms change",
        time="K",
        memory="K + τ",
        guarantee="none known to us",
        cite="trovo2020sliding",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        super().__post_init__()
        DeviationPolicy.__post_init__(self)

    @property
    def location_free(self) -> bool:
        """Adding a number to every loss moves all draws alike."""
        return True
