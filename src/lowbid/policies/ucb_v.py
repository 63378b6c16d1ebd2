"""UCB-V: a confidence width that adapts to each arm's variance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._logs import log_of
from lowbid.policies._moments import Moments, add_loss, moments_of, variance_of
from lowbid.policies._scan import arm_of_lowest_index
from lowbid.policies._ucb import UCBPolicy


class State(NamedTuple):
    """The statistics of each arm, and room for the indices."""

    moments: Moments
    widths: Floats  # sqrt(2 V / n), infinite before the first loss
    offsets: Floats  # 1 / n
    indices: Floats

    def merged(self, other: State) -> State:
        """The state after the losses of both."""
        moments = self.moments.merged(other.moments)
        with np.errstate(divide="ignore"):
            offsets = 1.0 / moments.counts
        widths = np.full(len(offsets), math.inf)
        for arm in np.flatnonzero(moments.counts):
            widths[arm] = math.sqrt(2.0 * variance_of(moments, int(arm)) * offsets[arm])
        return State(
            moments=moments, widths=widths, offsets=offsets, indices=np.zeros(len(offsets))
        )


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Before the first step every arm's width is infinite, so each is played once."""
    return State(
        moments=moments_of(n_arms),
        widths=np.full(n_arms, math.inf),
        offsets=np.full(n_arms, math.inf),
        indices=np.zeros(n_arms),
    )


@kernel
def index(state: State, arm: int, factors: tuple[float, float]) -> float:
    """An arm's confidence bound."""
    root, offset = factors
    return state.moments.means[arm] - (root * state.widths[arm] + offset * state.offsets[arm])


lowest_arm = specialise(arm_of_lowest_index, index=index)


@kernel
def select(parameters: Any, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest confidence bound."""
    # At t = 1 nothing has been played, and 0 times infinity must not come up.
    exploration = parameters.zeta * log_of(max(step, 2))
    offset = 3.0 * parameters.c * parameters.scale * exploration
    return lowest_arm(state, (math.sqrt(exploration), offset), stream)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Update the arm's mean and variance, and with them its width."""
    add_loss(state.moments, arm, loss)
    state.offsets[arm] = 1.0 / state.moments.counts[arm]
    state.widths[arm] = math.sqrt(2.0 * variance_of(state.moments, arm) * state.offsets[arm])


@dataclass(frozen=True)
class UCBV(UCBPolicy):
    r"""UCB-V, in loss form.

    With n losses of arm a, of mean m and (biased) variance V, its index at step t is

    .. math:: m - \sqrt{2 V \zeta \log t / n} - 3 c b \zeta \log t / n

    and the arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random.

    Parameters
    ----------
    zeta : float
        How fast exploration grows. The paper's regret bound needs more than 1, such as 1.2.
    c : float
        The weight of the term that compensates for the error of V. The bound needs 1; smaller
        values explore less.
    scale : float, optional
        b: the width of the losses' range; by default that of the declared range, or 1 without one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.UCBV(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    58.2

    References
    ----------
    .. [1] J.-Y. Audibert, R. Munos, C. Szepesvári (2009). Exploration-exploitation tradeoff using
       variance estimates in multi-armed bandits. Theoretical Computer Science 410(19).
    """

    zeta: float = 1.0
    c: float = 1.0
    scale: float | None = None

    about = About(
        family="index",
        needs="the width of the losses' range",
        time="K",
        memory="K",
        guarantee="sum over arms of (variance / gap + b) log T, for zeta > 1 and c = 1",
        cite="audibert2009exploration",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        require_finite("zeta", self.zeta, above=0.0)
        require_finite("c", self.c, above=0.0)
        super().__post_init__()
