"""Semi-bounded KL-UCB: KL-UCB for losses with a known lower bound."""

from __future__ import annotations

import dataclasses
from typing import Any

from lowbid._compile import kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._kinf import lowest_mean
from lowbid.policies._tangents import indices_at, lowest_arm_lazily
from lowbid.policies.kl_ucb import log_loglog
from lowbid.policies.semi_bounded_imed import SemiBoundedPolicy, State, init, update


@kernel
def index_at(parameters: SemiBoundedKLUCB, state: State, arm: int, x: float) -> tuple[float, float]:
    """The index of an arm when f(t) = x, and its derivative in x."""
    count, mean = state.sample.moments.counts[arm], state.sample.moments.means[arm]
    index, tilt = lowest_mean(state.sample, arm, x / count)
    if index >= mean:  # the mean is the lowest possible loss, and so is the index for every x
        return mean, 0.0
    return index, -index / (count * tilt)


lowest_arm = specialise(lowest_arm_lazily, index_at=index_at)


@kernel
def select(parameters: SemiBoundedKLUCB, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest index."""
    return lowest_arm(parameters, state, log_loglog(parameters, step), stream)


@dataclasses.dataclass(frozen=True)
class SemiBoundedKLUCB(SemiBoundedPolicy):
    r"""KL-UCB for semi-bounded losses (empirical KL-UCB), in loss form.

    With n losses X of arm a, of mean m, its index at step t is

    .. math:: \min \{ q \le m : n \, K_{\inf}(q) \le f(t) \}, \qquad f(t) = \log t + c \log \log t,

    with Kinf as in `SemiBoundedIMED`. The arm with the lowest index is played; arms not yet played
    come first. Ties are broken uniformly at random.

    Parameters
    ----------
    c : float
        The weight of log log t.
    lowest : float
        The lowest possible loss.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.ExponentialByMean([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.SemiBoundedKLUCB(), arms, horizon=1000, runs=20, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    6.4

    References
    ----------
    .. [1] O. Cappé, A. Garivier, O.-A. Maillard, R. Munos, G. Stoltz (2013). Kullback-Leibler
       upper confidence bounds for optimal sequential allocation. Annals of Statistics 41(3).
    .. [2] A. Garivier, H. Hadiji, P. Ménard, G. Stoltz (2022). KL-UCB-switch: optimal regret
       bounds for stochastic bandits from both a distribution-dependent and a distribution-free
       viewpoints. JMLR 23(179).
    """

    c: float = 0.0
    lowest: float = 0.0

    about = About(
        family="index",
        needs="the lowest possible loss",
        time="K, and n for the few arms computed",
        memory="t",
        guarantee="asymptotically optimal for bounded losses",
        cite="cappe2013kullback,garivier2022klucbswitch",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        require_finite("c", self.c, above=0.0, or_equal=True)
        super().__post_init__()

    def indices(self, parameters: Any, state: State, step: int) -> Floats:
        """Every arm's index at this step."""
        x = log_loglog(parameters, step)
        return indices_at(index_at, parameters, state, state.sample.moments, x)
