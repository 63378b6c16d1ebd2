"""Losses dealt into batches: what Batch Ensemble keeps of each arm.

All data of an arm is in one row: with very many arms, fetching it from memory is most of the cost
of a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, fetch, kernel, use_huge_pages
from lowbid.policies._limits import Limits, Sizes, sums, whole

if TYPE_CHECKING:
    from lowbid.policies._base import Floats, Ints

# The columns of a row; from the last one on, the sum and the count of one batch after the other.
_NEXT, _PENDING, _BATCHES = 0, 1, 2


class Batches(NamedTuple):
    """The arms' losses, dealt round-robin.

    Attributes
    ----------
    rows
        For each arm: the batch that takes its next loss, or -1 for the smallest one; the number
        of its pending decisions; then each batch's sum, above the baseline, and count.
    in_use
        How many batches are in use; there is room for more.
    baseline
        What sums are measured from.
    history_arms, history_losses, history_length
        All losses so far, with their arms, if they may have to be dealt again; else empty.
    """

    rows: Floats  # (arm, 2 + 2 batches)
    in_use: Ints  # (1,)
    baseline: Floats  # (1,)
    history_arms: Ints  # (step,)
    history_losses: Floats  # (step,)
    history_length: Ints  # (1,)

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "in_use", whole(1, self.sums.shape[1])
        yield "next_batch", whole(-1, self.in_use[0] - 1)
        yield "pending", whole(0, sizes.steps)
        yield "counts", whole(0, sizes.steps)
        yield "sums", sums()
        yield "history_arms", whole(0, sizes.n_arms - 1)
        yield "history_length", whole(0, min(len(self.history_losses), sizes.steps))

    @property
    def next_batch(self) -> Floats:
        """The batch that takes an arm's next loss, or -1, (arm,)."""
        return self.rows[:, _NEXT]

    @property
    def pending(self) -> Floats:
        """The number of pending decisions of each arm, (arm,)."""
        return self.rows[:, _PENDING]

    @property
    def sums(self) -> Floats:
        """The sum of the losses in each batch, above the baseline, (arm, batch)."""
        return self.rows[:, _BATCHES::2]

    @property
    def counts(self) -> Floats:
        """The number of losses in each batch, (arm, batch)."""
        return self.rows[:, _BATCHES + 1 :: 2]

    def renumber(self, before: Batches, arms: Sequence[int]) -> None:
        """Keep the history of these arms only, and number them 0, 1, 2, ..."""
        length = self.history_length[0]
        if length == 0:
            return
        number = np.full(1 + max(*arms, *self.history_arms[:length]), -1)
        for new, old in enumerate(arms):
            if old >= 0:
                number[old] = new
        renamed = number[self.history_arms[:length]]
        kept = renamed >= 0
        self.write_history(renamed[kept], self.history_losses[:length][kept])

    def append_history(self, other: Batches, shift: int) -> None:
        """Add the losses of another history; its arms are numbered `shift`, `shift` + 1, ..."""
        mine, theirs = self.history_length[0], other.history_length[0]
        arms = np.append(self.history_arms[:mine], other.history_arms[:theirs] + shift)
        losses = np.append(self.history_losses[:mine], other.history_losses[:theirs])
        self.write_history(arms, losses)

    def write_history(self, arms: Ints, losses: Floats) -> None:
        """Make these losses the whole history."""
        self.history_arms[:] = 0
        self.history_losses[:] = 0.0
        self.history_arms[: len(arms)] = arms
        self.history_losses[: len(losses)] = losses
        self.history_length[0] = len(losses)

    @property
    def finite_baseline(self) -> float:
        """The baseline, or 0 before the first loss sets it."""
        return float(self.baseline[0]) if np.isfinite(self.baseline[0]) else 0.0

    def sums_above(self, baseline: float) -> Floats:
        """The sums above another baseline."""
        drop = self.baseline[0] - baseline if np.isfinite(self.baseline[0]) else 0.0
        return self.sums + drop * self.counts

    def next_among(self, batches: int) -> Floats:
        """The arms' next batches for this number of batches: smaller ones catch up first."""
        behind = (self.in_use[0] < batches) & (self.counts[:, 0] > 0)
        return np.where(behind, -1.0, self.next_batch)


@allocating_kernel
def batches_of(n_arms: int, most: int, in_use: int, baseline: float, kept: int) -> Batches:
    """Create empty batches, with room for a history of this many losses."""
    rows = np.empty((n_arms, _BATCHES + 2 * most))
    use_huge_pages(rows)
    rows[:] = 0.0
    return Batches(
        rows=rows,
        in_use=np.full(1, in_use, np.int64),
        baseline=np.full(1, baseline),
        history_arms=np.zeros(kept, np.int64),
        history_losses=np.zeros(kept),
        history_length=np.zeros(1, np.int64),
    )


@allocating_kernel
def batches_for(parameters: Any, n_arms: int, capacity: int) -> Batches:
    """Create the empty batches of a policy, and room for a history if it keeps one."""
    most = len(parameters.growth_steps) - 1
    in_use = int(np.searchsorted(parameters.growth_steps, 1, side="right"))
    kept = capacity if parameters.keep_history else 0
    return batches_of(n_arms, most, in_use, parameters.baseline, kept)


@kernel
def sum_of(batches: Batches, arm: int, batch: int) -> float:
    """The sum of a batch, above the baseline."""
    return batches.rows[arm, _BATCHES + 2 * batch]


@kernel
def count_of(batches: Batches, arm: int, batch: int) -> float:
    """How many losses are in a batch."""
    return batches.rows[arm, _BATCHES + 2 * batch + 1]


@kernel
def pending_of(batches: Batches, arm: int) -> float:
    """The number of pending decisions of an arm."""
    return batches.rows[arm, _PENDING]


@kernel
def add_pending(batches: Batches, arm: int, change: int) -> None:
    """Change the number of pending decisions of an arm."""
    batches.rows[arm, _PENDING] += change


@kernel
def fetch_row(batches: Batches, arm: int) -> None:
    """Prefetch an arm's row into the processor's cache, line by line."""
    width = batches.rows.shape[1]
    for column in range(0, width, 8):
        fetch(batches.rows, arm * width + column)


@kernel
def remember(batches: Batches, arm: int, loss: float) -> None:
    """Add a loss to the history, if one is kept."""
    if len(batches.history_losses) > 0:
        length = batches.history_length[0]
        batches.history_arms[length] = arm
        batches.history_losses[length] = loss
        batches.history_length[0] = length + 1


@kernel
def next_batch(batches: Batches, arm: int) -> int:
    """The batch whose turn it is; the turn then passes to the next one."""
    turn = batches.rows[arm, _NEXT]
    if turn < 0.0:
        return smallest_batch(batches, arm)
    # As floats: the next step of this arm waits for this number.
    batches.rows[arm, _NEXT] = turn + 1.0 if turn + 1.0 < batches.in_use[0] else 0.0
    return int(turn)


@kernel
def smallest_batch(batches: Batches, arm: int) -> int:
    """The arm's smallest batch, or the first of several; round-robin once all are equally large."""
    smallest = 0
    largest = 0.0
    behind = 0.0
    for batch in range(batches.in_use[0]):
        if count_of(batches, arm, batch) < count_of(batches, arm, smallest):
            smallest = batch
        largest = max(largest, count_of(batches, arm, batch))
    for batch in range(batches.in_use[0]):
        behind += largest - count_of(batches, arm, batch)
    if behind == 1.0:
        batches.rows[arm, _NEXT] = 0.0
    return smallest


@kernel
def add_loss(batches: Batches, arm: int, batch: int, loss: float) -> None:
    """Put a loss into a batch."""
    batches.rows[arm, _BATCHES + 2 * batch] += loss - batches.baseline[0]
    batches.rows[arm, _BATCHES + 2 * batch + 1] += 1.0


@kernel
def empty_batch(batches: Batches, batch: int) -> None:
    """Empty a batch of all arms."""
    for arm in range(len(batches.rows)):
        batches.rows[arm, _BATCHES + 2 * batch] = 0.0
        batches.rows[arm, _BATCHES + 2 * batch + 1] = 0.0


@kernel
def mean_of(batches: Batches, arm: int) -> float:
    """The mean loss of an arm, above the baseline; that of all arms before its first loss."""
    total, count = all_of(batches, arm, arm + 1)
    if count == 0.0:
        total, count = all_of(batches, 0, len(batches.rows))
    return total / count if count > 0.0 else 0.0


@kernel
def all_of(batches: Batches, first: int, last: int) -> tuple[float, float]:
    """The sum and the number of all losses of a range of arms."""
    total = 0.0
    count = 0.0
    for arm in range(first, last):
        for batch in range(batches.in_use[0]):
            total += sum_of(batches, arm, batch)
            count += count_of(batches, arm, batch)
    return total, count


@kernel
def filled_in(batches: Batches, arm: int) -> float:
    """The sum of an arm's pending losses, if each were the mean."""
    pending = pending_of(batches, arm)
    return pending * mean_of(batches, arm) if pending > 0.0 else 0.0


@kernel
def measure_from(batches: Batches, baseline: float) -> None:
    """Measure all sums from another baseline."""
    drop = batches.baseline[0] - baseline
    batches.baseline[0] = baseline
    for arm in range(len(batches.rows)):
        for batch in range(batches.in_use[0]):
            count = count_of(batches, arm, batch)
            if count > 0.0:  # before the first loss the drop may be infinite
                batches.rows[arm, _BATCHES + 2 * batch] += drop * count


@kernel
def use_due(batches: Batches, growth_steps: Ints, step: int) -> None:
    """Use the batches that are due: deal the history again, or let each arm's new ones catch up."""
    while step >= growth_steps[batches.in_use[0]]:
        batches.in_use[0] += 1
    if len(batches.history_losses) > 0:
        deal_again(batches)
        return
    for arm in range(len(batches.rows)):
        if count_of(batches, arm, 0) > 0.0:
            batches.rows[arm, _NEXT] = -1.0


@kernel
def deal_again(batches: Batches) -> None:
    """Deal the whole history round-robin over the batches in use."""
    batches.rows[:, _BATCHES:] = 0.0
    batches.rows[:, _NEXT] = 0.0
    for i in range(batches.history_length[0]):
        arm = batches.history_arms[i]
        add_loss(batches, arm, next_batch(batches, arm), batches.history_losses[i])


def merged(first: Batches, second: Batches) -> Batches:
    """The losses of both: batch j of one is added to batch j of the other; histories are joined."""
    most = max(batches.sums.shape[1] for batches in (first, second))
    lowest = min(first.baseline[0], second.baseline[0])
    in_use = max(first.in_use[0], second.in_use[0])
    kept = len(first.history_losses) + len(second.history_losses)
    both: Batches = batches_of(len(first.rows), most, in_use, lowest, kept)
    for part in (first, second):
        batches = part.sums.shape[1]
        both.sums[:, :batches] += part.sums_above(lowest)
        both.counts[:, :batches] += part.counts
        both.pending[:] += part.pending
        both.append_history(part, shift=0)
    both.next_batch[:] = np.where(both.counts[:, 0] > 0, -1.0, 0.0)
    if kept > 0:
        deal_again(both)
    return both


def merged_evenly(first: Batches, second: Batches) -> Batches:
    """The losses of both, of one baseline: large batches of one are added to small ones."""
    most = max(part.sums.shape[1] for part in (first, second))
    in_use = max(first.in_use[0], second.in_use[0])
    both: Batches = batches_of(len(first.rows), most, in_use, first.baseline[0], 0)
    counts_1, sums_1 = _largest_first(first.counts, first.sums, in_use)
    counts_2, sums_2 = _largest_first(second.counts, second.sums, in_use)
    counts, sums = counts_1 + counts_2[:, ::-1], sums_1 + sums_2[:, ::-1]
    both.counts[:, :in_use], both.sums[:, :in_use] = _largest_first(counts, sums, in_use)
    both.next_batch[:] = np.where(both.counts[:, 0] > 0, -1.0, 0.0)
    return both


def _largest_first(counts: Floats, sums: Floats, in_use: int) -> tuple[Floats, Floats]:
    """Each arm's batches, by size; as many as are in use, which may be more than there are."""
    lacking = max(in_use - counts.shape[1], 0)
    order = np.argsort(-np.pad(counts, ((0, 0), (0, lacking)))[:, :in_use], kind="stable")
    first, second = (
        np.take_along_axis(np.pad(table, ((0, 0), (0, lacking))), order, axis=1)
        for table in (counts, sums)
    )
    return first, second


def join_batches(target: Batches, first: Batches, second: Batches, sizes: tuple[int, int]) -> None:
    """Complete a state into which the arms of two were copied: all have the same batches."""
    target.in_use[0] = in_use = max(first.in_use[0], second.in_use[0])
    target.baseline[0] = lowest = min(first.baseline[0], second.baseline[0])
    for part, begin in ((first, 0), (second, sizes[0])):
        arms = slice(begin, begin + len(part.rows))
        target.sums[arms, : part.sums.shape[1]] = part.sums_above(lowest)
        target.next_batch[arms] = part.next_among(in_use)
    target.append_history(second, shift=sizes[0])
    if len(target.history_losses) > 0 and first.in_use[0] != second.in_use[0]:
        deal_again(target)
