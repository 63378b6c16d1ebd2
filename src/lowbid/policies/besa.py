"""BESA: a knockout tournament of duels between equal numbers of losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, coin
from lowbid._require import require_flag, require_whole
from lowbid.policies._base import About, Ints, Kernels, Policy
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
from lowbid.policies._limits import Limits, Sizes, permutation, whole
from lowbid.policies._rounds import shuffle


class State(NamedTuple):
    """All losses, and the arms in the order in which they meet."""

    history: History
    values: TwoValues
    order: Ints  # (arm,)

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "values.counts", whole(0, self.history.counts)
        yield "order", permutation(sizes.n_arms)

    def renumber(self, before: State, arms: Sequence[int]) -> None:
        """Continue with other arms; the order is shuffled at each step anyway."""
        self.order[:] = np.arange(len(arms))


@allocating_kernel
def init(parameters: BESA, n_arms: int, capacity: int) -> State:
    """Start with no losses."""
    return State(
        history=history_of(n_arms, capacity),
        values=two_values_of(n_arms),
        order=np.arange(n_arms),
    )


@kernel
def select(parameters: BESA, state: State, step: int, stream: Stream) -> int:
    """Play the winner of a tournament of all arms, or an arm with too few losses to take part."""
    order = state.order
    shuffle(order, len(order), stream)
    for i in range(len(order)):
        if state.history.counts[order[i]] < parameters.initial:
            return order[i]
    left = len(order)
    while left > 1:
        # Winners move to the front, in place; the odd arm out advances without a duel.
        for i in range(left // 2):
            if second_wins(parameters, state, order[2 * i], order[2 * i + 1], stream):
                order[2 * i], order[2 * i + 1] = order[2 * i + 1], order[2 * i]
            order[i], order[2 * i] = order[2 * i], order[i]
        if left % 2 == 1:
            order[left // 2], order[left - 1] = order[left - 1], order[left // 2]
        left = (left + 1) // 2
    return order[0]


@kernel
def second_wins(parameters: BESA, state: State, first: int, second: int, stream: Stream) -> bool:
    """Compare equally many losses of both arms."""
    history = state.history
    swap = history.counts[second] > history.counts[first]
    fewer, more = (first, second) if swap else (second, first)
    n = history.counts[fewer]
    own, other = history.totals[fewer], history.totals[more]
    size = size_of_sums(history, fewer, more)
    even = n == history.counts[more]
    if not even:
        other = sum_of_sample(history, state.values, more, n, stream)
    fewer_wins = at_most(own, other, size)
    if (even or parameters.random_ties) and fewer_wins and at_most(other, own, size):
        fewer_wins = coin(stream, 0.5) == 1.0
    return fewer_wins != swap


@kernel
def update(
    parameters: BESA, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Store the loss."""
    count_value(state.values, arm, append_loss(state.history, arm, loss))


@dataclass(frozen=True)
class BESA(Policy):
    r"""Best empirical sampled average, in loss form.

    Two arms, with n and N > n losses, are compared on equal terms: the n losses of one against n
    losses of the other, drawn without replacement. The lower mean wins; ties go to the arm with
    fewer losses, and then are broken at random. With more than two arms, all arms are put into
    random order at each step and play a knockout tournament; the odd arm of a round advances. The
    winner is played.

    Parameters
    ----------
    initial : int
        The number of losses that each arm must have before the tournaments begin: 1 in the paper;
        10 makes runs that never find the best arm rarer.
    random_ties : bool
        Decide between equal means by a coin flip, whatever the numbers of losses. The figures for
        BESA in the SDA paper [2]_ are for this variant.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.BESA(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    7.2

    References
    ----------
    .. [1] A. Baransi, O.-A. Maillard, S. Mannor (2014). Sub-sampling for multi-armed bandits.
       ECML PKDD.
    .. [2] D. Baudry, E. Kaufmann, O.-A. Maillard (2020). Sub-sampling for efficient
       non-parametric bandit exploration. NeurIPS 33.
    """

    initial: int = 1
    random_ties: bool = False

    about = About(
        family="sub-sampling duels",
        needs="nothing",
        time="t; K with two values",
        memory="t",
        guarantee="log T for two arms, under a condition on their distributions",
        cite="baransi2014sub",
    )
    kernels = Kernels(init, select, update)

    def __post_init__(self) -> None:
        require_whole("initial", self.initial)
        require_flag("random_ties", self.random_ties)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Both ways of breaking ties, and a longer start."""
        return [cls(), cls(initial=10), cls(random_ties=True)]

    @property
    def scale_free(self) -> bool:
        """Only means are compared."""
        return True

    @property
    def location_free(self) -> bool:
        """Only means of equally many losses are compared."""
        return True
