"""What policies have in common that deal losses into batches, beside their rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from lowbid import schedules
from lowbid._compile import kernel, specialise
from lowbid.policies._arms import Start
from lowbid.policies._base import Floats, Policy
from lowbid.policies._batches import (
    Batches,
    add_pending,
    count_of,
    filled_in,
    join_batches,
    merged,
    pending_of,
    sum_of,
)
from lowbid.policies._ranking import place, place_unsorted, ranking_of, rebuild

# What the templates below are bound to: the index of an arm, and a batch's estimate of its mean.
index: Any = None
estimate: Any = None


@kernel
def rank_by_index(parameters: Any, state: Any) -> None:
    """Set every arm's index from its batches."""
    for arm in range(len(state.batches.rows)):
        place_unsorted(state.ranking, arm, index(parameters, state.batches, arm))
    rebuild(state.ranking)


@kernel
def hold_by_index(parameters: Any, state: Any, arm: int, change: int) -> None:
    """Count decisions of an arm whose losses are not known yet."""
    add_pending(state.batches, arm, change)
    place(state.ranking, arm, index(parameters, state.batches, arm))


@kernel
def _fill_estimates(parameters: Any, batches: Batches, table: Floats) -> None:
    """Write every batch's estimate of every arm, including pending losses, (arm, batch)."""
    for arm in range(table.shape[0]):
        pending, filled = pending_of(batches, arm), filled_in(batches, arm)
        for batch in range(table.shape[1]):
            total, count = sum_of(batches, arm, batch), count_of(batches, arm, batch)
            table[arm, batch] = estimate(parameters, total + filled, count + pending)


class Bid(NamedTuple):
    """One batch's choice on its own.

    Attributes
    ----------
    arm : int or str
        The arm with the lowest estimate, the first of several.
    estimate : float
        The batch's estimate of that arm's mean loss.
    """

    arm: int | str
    estimate: float


class EnsemblePolicy(Policy):
    """Base class of policies whose states have `batches`, and a `ranking` of the arms.

    It answers what their states know, and joins and merges them.
    """

    if TYPE_CHECKING:  # fields of the classes
        batches: int | Callable[[int], int]
        baseline: float | Literal["minimum"]

    # ``estimate(parameters, total, count)``: a batch's estimate of its arm's mean, above the
    # baseline.
    estimate: ClassVar[Callable[..., float]]
    # ``rank_all(parameters, state)`` sets every arm's index from its batches.
    rank_all: ClassVar[Callable[..., None]]
    draws_for_ties_only = True

    @property
    def stream_name(self) -> str:
        """The identity; with a parameter that has become `CoinFlips`, to keep seeded results."""
        return self.identity.replace(", ties=", ", bernoulli_scale=None, ties=")

    @property
    def scale_free(self) -> bool:
        """The rule has no scale, unless losses have an offset."""
        return self.location_free or self.baseline == 0.0

    @property
    def location_free(self) -> bool:
        """Only a baseline that follows the losses makes the rule independent of location."""
        return isinstance(self.baseline, str)

    @property
    def best_loss(self) -> float:
        """The baseline, if it is a number."""
        return 0.0 if isinstance(self.baseline, str) else float(self.baseline)

    def describe(self, horizon: int) -> str:
        """The parameters, with the steps at which a user's own schedule grows."""
        if not callable(self.batches) or isinstance(self.batches, schedules.Schedule):
            return self.identity
        steps = self.parameters(1, horizon, horizon).growth_steps[:-1].tolist()
        return f"{self.identity} with batches from steps {steps}"

    def bids(self, state: Any) -> list[Bid]:
        """Each batch's favourite arm, and its estimate of it: the lowest bid wins.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(arms=2, policy=lowbid.BatchEnsemble(batches=2), seed=0)
        >>> for arm, loss in [(0, 1.0), (0, 0.0), (1, 1.0), (1, 1.0), (1, 1.0)]:
        ...     bandit.update(arm, loss=loss)
        >>> bandit.policy.bids(bandit.state)
        [Bid(arm=0, estimate=0.333...), Bid(arm=0, estimate=0.0)]
        """
        estimates = self.estimates(state)
        arms = estimates.argmin(axis=0)
        return [Bid(int(arm), float(estimates[arm, j])) for j, arm in enumerate(arms)]

    def estimates(self, state: Any) -> Floats:
        """Every batch's estimate of every arm's mean loss, pending ones filled in, (arm, batch)."""
        table = np.zeros((len(state.batches.rows), state.batches.in_use[0]))
        fill = specialise(_fill_estimates, estimate=type(self).estimate)
        fill(self.parameters(len(table), 1, 1), state.batches, table)
        return table + state.batches.finite_baseline

    def indices(self, parameters: Any, state: Any, step: int) -> Floats:
        """Every arm's index, with pending losses filled in by its mean."""
        return super().indices(parameters, state, step) + state.batches.finite_baseline

    def join(self, first: Any, second: Any, sizes: tuple[int, int], start: Start) -> Any:
        """See `Policy.join`; arms with fewer batches get empty ones, or are dealt again."""
        target = super().join(first, second, sizes, start)
        join_batches(target.batches, first.batches, second.batches, sizes)
        type(self).rank_all(self.parameters(sum(sizes), 1, 1), target)
        return target

    def deal_alike(self, state: Any, leader: Any, arm: int) -> None:
        """Deal the arm's next loss into the batch into which the leading state deals it."""
        mine, theirs = state.batches, leader.batches
        in_use = mine.in_use[0] = min(theirs.in_use[0], mine.sums.shape[1])
        turn = theirs.next_batch[arm]
        mine.next_batch[arm] = theirs.counts[arm, :in_use].argmin() if turn < 0 else turn

    def merge(self, first: Any, second: Any) -> Any:
        """Merge two states that saw different losses of the same arms.

        Batch j of one is added to batch j of the other: counts and sums add up. A history is dealt
        again. Neither argument is changed.
        """
        n_arms = len(first.batches.rows)
        both = type(first)(merged(first.batches, second.batches), ranking_of(n_arms))
        type(self).rank_all(self.parameters(n_arms, 1, 1), both)
        return both
