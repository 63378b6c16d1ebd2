"""RB-SDA: duels with a random block of the leader's losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lowbid._compile import kernel
from lowbid._random import Stream, integer
from lowbid.policies._base import About, Kernels
from lowbid.policies._duels import DuelPolicy
from lowbid.policies._history import at_most, size_of_sums, sum_of_first
from lowbid.policies._rounds import State, duels, init, update


@kernel
def duel(parameters: Any, state: State, challenger: int, leader: int, stream: Stream) -> bool:
    """Whether the challenger's mean is not above that of a random block of the leader's losses."""
    history = state.history
    n = history.counts[challenger]
    first = integer(stream, history.counts[leader] - n + 1)
    block = sum_of_first(history, leader, first + n) - sum_of_first(history, leader, first)
    size = size_of_sums(history, challenger, leader)
    return at_most(history.totals[challenger], block, size)


@dataclass(frozen=True)
class RBSDA(DuelPolicy):
    r"""Random-block sub-sampling duels, in loss form.

    In each round every arm k duels with the leader l, the arm with the most losses. With n
    losses of arm k and N of the leader, draw a start i uniformly from 0, ..., N - n. The arm wins
    if its mean is not above that of the leader's losses i + 1, ..., i + n. All winners are played
    once, in random order; if there is none, the leader is played once. An arm with as many losses
    as the leader does not duel. In the first round every arm is played once.

    The rule does not depend on the losses' family, scale or location, and yet matches the lower
    bound on regret for Bernoulli losses, Gaussian losses of any common variance, and Poisson
    losses.

    Parameters
    ----------
    forced_exploration : bool
        Play an arm without a duel while it has fewer than sqrt(log r) losses in round r. Needed
        for losses such as exponential ones, where one unlucky first loss can rule out a good arm.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.RBSDA(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    7.0

    References
    ----------
    .. [1] D. Baudry, E. Kaufmann, O.-A. Maillard (2020). Sub-sampling for efficient
       non-parametric bandit exploration. NeurIPS 33.
    """

    about = About(
        family="sub-sampling duels",
        needs="nothing",
        time="K",
        memory="t",
        guarantee="asymptotically optimal for Bernoulli, Gaussian and Poisson losses",
        cite="baudry2020subsampling",
    )
    kernels = Kernels(init, duels(duel=duel), update)
