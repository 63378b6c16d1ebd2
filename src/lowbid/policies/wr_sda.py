"""WR-SDA: duels with a random sub-sample of the leader's losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, coin
from lowbid.policies._base import About, Kernels
from lowbid.policies._duels import DuelPolicy
from lowbid.policies._history import (
    History,
    TwoValues,
    append_loss,
    at_most,
    count_value,
    history_of,
    size_of_sums,
    sum_of_sample,
    two_values_of,
)
from lowbid.policies._limits import Limits, Sizes, whole
from lowbid.policies._rounds import Rounds, duels, leave_queue, rounds_of


class State(NamedTuple):
    """All losses, and the current round."""

    history: History
    values: TwoValues
    rounds: Rounds

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "values.counts", whole(0, self.history.counts)


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Start with no losses."""
    return State(
        history=history_of(n_arms, capacity),
        values=two_values_of(n_arms),
        rounds=rounds_of(n_arms),
    )


@kernel
def duel(parameters: Any, state: State, challenger: int, leader: int, stream: Stream) -> bool:
    """Whether the challenger's mean is below that of equally many losses of the leader.

    A coin decides ties.
    """
    history = state.history
    own = history.totals[challenger]
    other = sum_of_sample(history, state.values, leader, history.counts[challenger], stream)
    size = size_of_sums(history, challenger, leader)
    return at_most(own, other, size) and (not at_most(other, own, size) or coin(stream, 0.5) == 1.0)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Store the loss."""
    count_value(state.values, arm, append_loss(state.history, arm, loss))
    leave_queue(state.rounds, arm)


@dataclass(frozen=True)
class WRSDA(DuelPolicy):
    r"""Sub-sampling duels without replacement, in loss form.

    Rounds are as in `RBSDA`, but a challenger with n losses is compared with n losses of the
    leader, drawn uniformly without replacement: it wins if its mean is below theirs, and a coin
    decides ties, as in the authors' experiments. (With ties going to the challenger, as in `RBSDA`,
    it would explore a little more.) With two arms it differs from `BESA` only where means tie:
    there `BESA` plays the arm with fewer losses, and flips a coin if both have equally many.

    A duel takes as many draws as the challenger has losses, or one if all losses have one of two
    values.

    Parameters
    ----------
    forced_exploration : bool
        Play an arm without a duel while it has fewer than sqrt(log r) losses in round r. Needed
        for losses such as exponential ones, where one unlucky first loss can rule out a good arm.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.WRSDA(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    6.7

    References
    ----------
    .. [1] D. Baudry, E. Kaufmann, O.-A. Maillard (2020). Sub-sampling for efficient
       non-parametric bandit exploration. NeurIPS 33.
    """

    about = About(
        family="sub-sampling duels",
        needs="nothing",
        time="K log t; K with two values",
        memory="t",
        guarantee="none; as good as RB-SDA in experiments",
        cite="baudry2020subsampling",
    )
    kernels = Kernels(init, duels(duel=duel), update)
