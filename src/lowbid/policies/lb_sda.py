"""LB-SDA: duels with the leader's last losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lowbid._compile import kernel
from lowbid._random import Stream
from lowbid.policies._base import About, Kernels
from lowbid.policies._duels import DuelPolicy
from lowbid.policies._history import at_most, size_of_sums, sum_of_first
from lowbid.policies._rounds import State, duels, init, update


@kernel
def duel(parameters: Any, state: State, challenger: int, leader: int, stream: Stream) -> bool:
    """Whether the challenger's mean is not above that of equally many last losses of the leader."""
    history = state.history
    before = sum_of_first(history, leader, history.counts[leader] - history.counts[challenger])
    block = history.totals[leader] - before
    size = size_of_sums(history, challenger, leader)
    return at_most(history.totals[challenger], block, size)


@dataclass(frozen=True)
class LBSDA(DuelPolicy):
    r"""Last-block sub-sampling duels, in loss form.

    Rounds are as in `RBSDA`, but a challenger with n losses is compared with the leader's last n:
    it wins if its mean is not above theirs. The duels use no randomness.

    Parameters
    ----------
    forced_exploration : bool
        Play an arm without a duel while it has fewer than sqrt(log r) losses in round r. Needed
        for losses such as exponential ones, where one unlucky first loss can rule out a good arm.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.LBSDA(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    7.5

    References
    ----------
    .. [1] D. Baudry, E. Kaufmann, O.-A. Maillard (2020). Sub-sampling for efficient
       non-parametric bandit exploration. NeurIPS 33.
    .. [2] D. Baudry, Y. Russac, O. Cappé (2021). On limited-memory subsampling strategies for
       bandits. ICML.
    """

    about = About(
        family="sub-sampling duels",
        needs="nothing",
        time="K",
        memory="t",
        guarantee="asymptotically optimal for one-parameter exponential families",
        cite="baudry2021limited",
    )
    kernels = Kernels(init, duels(duel=duel), update)
