"""SW-UCB: a confidence bound from the last losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from lowbid._compile import kernel, specialise
from lowbid._random import Stream
from lowbid.policies._base import About, Kernels, require_finite
from lowbid.policies._logs import log_of
from lowbid.policies._scan import arm_of_lowest_index
from lowbid.policies._ucb import UCBPolicy
from lowbid.policies._window import WindowPolicy, WindowState, init, slide


@kernel
def index(state: WindowState, arm: int, factor: float) -> float:
    """An arm's confidence bound; lower than all if none of its losses is in the window."""
    count = state.window.counts[arm]
    if count == 0.0:
        return -math.inf
    return state.window.sums[arm] / count - factor / math.sqrt(count)


lowest_arm = specialise(arm_of_lowest_index, index=index)


@kernel
def select(parameters: Any, state: WindowState, step: int, stream: Stream) -> int:
    """Play the arm with the lowest confidence bound."""
    exploration = parameters.xi * log_of(min(step, parameters.window))
    return lowest_arm(state, parameters.scale * math.sqrt(exploration), stream)


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
class SlidingWindowUCB(WindowPolicy, UCBPolicy):
    r"""SW-UCB, for arms that change, in loss form.

    Of the last τ losses of all arms, n are of arm a and have the mean m. Its index at step t is

    .. math:: m - B \sqrt{\xi \log(\min(t, \tau)) / n}

    and the arm with the lowest index is played; arms without a loss in the window come first. Ties
    are broken uniformly at random.

    Parameters
    ----------
    window : int
        τ: how many losses are remembered. For T steps with Υ changes the paper uses
        2 B sqrt(T log T / Υ): see `lowbid.policies.tuned_window`.
    xi : float
        ξ: how much to explore. The paper's bound is for more than 1/2.
    scale : float, optional
        B: the width of the losses' range; by default the width of the declared range, or 1 without
        one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Switching([lowbid.Bernoulli([0.1, 0.5]), lowbid.Bernoulli([0.5, 0.1])],
    ...                         after=[1000])
    >>> policy = lowbid.SlidingWindowUCB(window=300)
    >>> result = lowbid.simulate(policy, arms, horizon=2000, runs=100, seed=0)
    >>> print(f"{result.measure} {result.regret[0, :, -1].mean():.0f}")
    dynamic regret 48

    References
    ----------
    .. [1] A. Garivier, E. Moulines (2011). On upper-confidence bound policies for switching bandit
       problems. ALT.
    """

    xi: float = 0.6
    scale: float | None = None

    about = About(
        family="forgetting",
        needs="the width of the losses' range, and how often the arms change",
        time="K",
        memory="K + τ",
        guarantee="sqrt(Υ T log T) dynamic regret, up to factors of the gaps",
        cite="garivier2011upper",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        super().__post_init__()
        UCBPolicy.__post_init__(self)
        require_finite("xi", self.xi, above=0.0)
