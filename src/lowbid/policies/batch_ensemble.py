"""Batch Ensemble: every batch bids its favourite arm, and the lowest bid wins."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from lowbid import schedules
from lowbid._kernel import allocating_kernel, kernel
from lowbid._random import Stream, coin
from lowbid.policies._arms import Start
from lowbid.policies._base import (
    About,
    Floats,
    Ints,
    Kernels,
    Policy,
    require_choice,
    require_finite,
    require_whole,
)
from lowbid.policies._batch_states import (
    append_history,
    behind,
    keep_history,
    sums_above,
    widened,
)
from lowbid.policies._ranking import (
    Ranking,
    index_of,
    lowest_arm,
    place,
    place_unsorted,
    ranking_of,
    rebuild,
)

BIBTEX = r"""
@inproceedings{cassel2025batch,
  title = {Batch Ensemble for Variance Dependent Regret in Stochastic Bandits},
  author = {Cassel, Asaf and Levy, Orin and Mansour, Yishay},
  booktitle = {Proceedings of the AAAI Conference on Artificial Intelligence},
  volume = {39},
  number = {15},
  pages = {15678--15685},
  year = {2025},
}
"""


class Parameters(NamedTuple):
    """What the kernels read, with the schedule worked out."""

    growth_steps: Ints  # when the 1st, 2nd, ... batch comes into use; then a step never reached
    keep_history: bool  # to deal it again when the number of batches grows
    padding: float
    warmup: int
    bernoulli_scale: float  # 0: losses are taken as they are
    baseline: float  # infinite: the lowest loss seen
    random_ties: bool


class State(NamedTuple):
    """What is kept of each arm and batch. Sums and estimates are above the baseline.

    The history is empty unless batches are to be dealt again.
    """

    sums: Floats  # (arm, batch)
    counts: Ints  # (arm, batch)
    estimates: Floats  # (arm, batch)
    ranking: Ranking  # the lowest estimate of each arm
    next_batch: Ints  # (arm,); -1: whichever is smallest
    pending: Ints  # (arm,): decisions whose losses are not known yet
    batches: Ints  # (1,): how many are in use
    baseline: Floats  # (1,)
    history_arms: Ints  # (step,)
    history_losses: Floats  # (step,)
    history_length: Ints  # (1,)

    def renumber(self, before: State, arms: Sequence[int]) -> None:
        """Keep the history of these arms only, and call them 0, 1, 2, ..."""
        keep_history(self, arms)


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Start with empty batches: every arm's index is the same."""
    most = len(parameters.growth_steps) - 1
    in_use = np.searchsorted(parameters.growth_steps, 1, side="right")
    kept = capacity if parameters.keep_history else 0
    empty = estimate(parameters, 0.0, 0)
    state = State(
        sums=np.zeros((n_arms, most)),
        counts=np.zeros((n_arms, most), np.int64),
        estimates=np.full((n_arms, most), empty),
        ranking=ranking_of(n_arms),
        next_batch=np.zeros(n_arms, np.int64),
        pending=np.zeros(n_arms, np.int64),
        batches=np.full(1, in_use, np.int64),
        baseline=np.full(1, parameters.baseline),
        history_arms=np.zeros(kept, np.int64),
        history_losses=np.zeros(kept),
        history_length=np.zeros(1, np.int64),
    )
    rank_all(parameters, state)
    return state


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play the arm whose lowest batch estimate is lowest."""
    if step >= parameters.growth_steps[state.batches[0]]:
        grow(parameters, state, step)
    return lowest_arm(state.ranking, parameters.random_ties, stream)


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Deal the loss to one of the arm's batches."""
    if parameters.bernoulli_scale > 0.0:
        loss = parameters.bernoulli_scale * coin(stream, loss / parameters.bernoulli_scale)
    if loss < state.baseline[0] and parameters.baseline == math.inf:
        lower_baseline(parameters, state, loss)
    if len(state.history_losses) > 0:
        state.history_arms[state.history_length[0]] = arm
        state.history_losses[state.history_length[0]] = loss
        state.history_length[0] += 1
    batch = deal(state, arm, loss)
    before = state.estimates[arm, batch]
    now = estimate(parameters, state.sums[arm, batch], state.counts[arm, batch])
    state.estimates[arm, batch] = now
    index = index_of(state.ranking, arm)
    if now <= index:
        place(state.ranking, arm, now)
    elif before == index:
        place(state.ranking, arm, lowest_estimate(state, arm))


@kernel
def estimate(parameters: Parameters, total: float, count: int) -> float:
    """A batch's padded mean; 0 if it is empty, and lower than all while it warms up."""
    if count < parameters.warmup:
        return -math.inf
    if count == 0:
        return 0.0
    return total / (count + parameters.padding)


@kernel
def lowest_estimate(state: State, arm: int) -> float:
    """The index of an arm."""
    lowest = state.estimates[arm, 0]
    for batch in range(1, state.batches[0]):
        lowest = min(lowest, state.estimates[arm, batch])
    return lowest


@kernel
def hold(parameters: Parameters, state: State, arm: int, change: int) -> None:
    """Count decisions of an arm whose losses are not known yet."""
    state.pending[arm] += change
    if state.pending[arm] == 0:
        place(state.ranking, arm, lowest_estimate(state, arm))
    else:
        place(state.ranking, arm, index_while_pending(parameters, state, arm))


@kernel
def index_while_pending(parameters: Parameters, state: State, arm: int) -> float:
    """The index of an arm if its pending losses all were its mean, in every batch."""
    pending = state.pending[arm]
    filled = pending * mean_above_baseline(state, arm)
    lowest = math.inf
    for batch in range(state.batches[0]):
        total, count = state.sums[arm, batch] + filled, state.counts[arm, batch] + pending
        lowest = min(lowest, estimate(parameters, total, count))
    return lowest


@kernel
def mean_above_baseline(state: State, arm: int) -> float:
    """The mean loss of an arm; before its first loss, that of all arms."""
    first, last = arm, arm + 1
    if state.counts[arm, 0] == 0:
        first, last = 0, len(state.next_batch)
    total = 0.0
    count = 0
    for other in range(first, last):
        for batch in range(state.batches[0]):
            total += state.sums[other, batch]
            count += state.counts[other, batch]
    return total / count if count > 0 else 0.0


@kernel
def rank_all(parameters: Parameters, state: State) -> None:
    """Set every arm's index from its batches."""
    for arm in range(len(state.next_batch)):
        if state.pending[arm] == 0:
            place_unsorted(state.ranking, arm, lowest_estimate(state, arm))
        else:
            place_unsorted(state.ranking, arm, index_while_pending(parameters, state, arm))
    rebuild(state.ranking)


@kernel
def deal(state: State, arm: int, loss: float) -> int:
    """Add a loss to the arm's next batch, and say which that was."""
    batch = state.next_batch[arm]
    if batch < 0:
        batch = smallest_batch(state, arm)
    else:
        state.next_batch[arm] = batch + 1 if batch + 1 < state.batches[0] else 0
    state.sums[arm, batch] += loss - state.baseline[0]
    state.counts[arm, batch] += 1
    return batch


@kernel
def smallest_batch(state: State, arm: int) -> int:
    """The arm's smallest batch, the first of several; round-robin once all will be level."""
    smallest = 0
    largest = 0
    behind = 0
    for batch in range(state.batches[0]):
        if state.counts[arm, batch] < state.counts[arm, smallest]:
            smallest = batch
        largest = max(largest, state.counts[arm, batch])
    for batch in range(state.batches[0]):
        behind += largest - state.counts[arm, batch]
    if behind == 1:
        state.next_batch[arm] = 0
    return smallest


@kernel
def lower_baseline(parameters: Parameters, state: State, loss: float) -> None:
    """Measure all sums from a new lowest loss."""
    drop = state.baseline[0] - loss
    state.baseline[0] = loss
    for arm in range(len(state.next_batch)):
        for batch in range(state.batches[0]):
            count = state.counts[arm, batch]
            if count > 0:  # before the first loss the drop is infinite
                state.sums[arm, batch] += drop * count
                state.estimates[arm, batch] = estimate(parameters, state.sums[arm, batch], count)
    rank_all(parameters, state)


@kernel
def grow(parameters: Parameters, state: State, step: int) -> None:
    """Bring all batches that are due by this step into use."""
    while step >= parameters.growth_steps[state.batches[0]]:
        state.batches[0] += 1
    if len(state.history_losses) > 0:
        deal_again(parameters, state)
    else:
        for arm in range(len(state.next_batch)):
            if state.counts[arm, 0] > 0:
                state.next_batch[arm] = -1
    rank_all(parameters, state)


@kernel
def deal_again(parameters: Parameters, state: State) -> None:
    """Deal the whole history round-robin over the batches in use."""
    state.sums[:] = 0.0
    state.counts[:] = 0
    state.next_batch[:] = 0
    for i in range(state.history_length[0]):
        deal(state, state.history_arms[i], state.history_losses[i])
    estimate_all(parameters, state)


@kernel
def estimate_all(parameters: Parameters, state: State) -> None:
    """Set every batch's estimate from its count and sum."""
    for arm in range(len(state.next_batch)):
        for batch in range(state.batches[0]):
            state.estimates[arm, batch] = estimate(
                parameters, state.sums[arm, batch], state.counts[arm, batch]
            )


@kernel
def settle(parameters: Parameters, state: State, again: bool) -> None:
    """Work out what follows from counts, sums and, if it is to be dealt again, history."""
    if again and len(state.history_losses) > 0:
        deal_again(parameters, state)
    else:
        estimate_all(parameters, state)
    rank_all(parameters, state)


DEFAULT_SCHEDULE = schedules.Logarithmic(0.4)


class Bid(NamedTuple):
    """What one batch would do on its own.

    Attributes
    ----------
    arm : int or str
        The arm of lowest estimate, the first of several.
    estimate : float
        The batch's estimate of that arm's mean loss.
    """

    arm: int | str
    estimate: float


@dataclass(frozen=True)
class BatchEnsemble(Policy):
    r"""Batch Ensemble, the library's namesake.

    The losses of each arm are dealt round-robin into l batches. Batch j, with c losses of sum s,
    estimates the arm's mean loss by

    .. math:: \hat\mu_{a,j} = s / (c + 2),

    an empty batch by 0. The arm's index is the lowest of its batches' estimates,
    :math:`\hat\mu_a = \min_j \hat\mu_{a,j}`, and the arm of lowest index is played. The minimum
    of l noisy estimates, each pulled towards 0, lies below the mean with high probability: it
    plays the part of a confidence bound, without knowing the losses' scale or variance.

    While p decisions of an arm wait for their losses, each of its batches counts them as if they
    were the arm's mean m: :math:`\hat\mu_{a,j} = (s + p m) / (c + p + 2)`. (Before the arm's first
    loss m is the mean of all arms, as it was when its index was last worked out.) So a burst of
    decisions does not herd on one arm; with none pending it is the paper's rule.

    Losses must be such that 0 is the best possible one, or a mean loss at least is not negative:
    an empty batch counts as 0 and the padding pulls towards it. If that is not so, set
    `baseline`.

    Parameters
    ----------
    batches : int, Schedule or function
        l, or a function that gives l at step t = 1, 2, ...; see `lowbid.schedules`.
    growth : {"append", "redistribute"}
        What happens when l grows. "redistribute" is the paper's EnsembleAdaptive: the whole
        history of every arm is dealt again, exactly as if l had been so from the start; memory
        grows with the steps. "append" is its EnsembleAdaptiveEfficient: each arm's new batch
        starts empty and takes the arm's losses until it is as large as the others; nothing but
        counts and sums is kept.
    padding : float
        What is added to a batch's count, 2 in the paper.
    warmup : int
        Losses that each batch of each arm must have before its estimate counts; arms that lack
        some are played first. The paper's remedy for skewed losses.
    baseline : float or "minimum"
        The best possible loss: estimates are pulled towards it, not towards 0. With "minimum" it
        is the lowest loss seen so far, which frees the policy of location as well as scale.
    bernoulli_scale : float or None
        b: replace each loss x in [0, b] by a coin flip, b with probability x / b and else 0. It
        brings the paper's guarantee for Bernoulli arms to all losses in [0, b], at the price of
        a larger variance.
    ties : {"random", "first"}
        Which arm of several with the same index.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> policy = lowbid.BatchEnsemble(batches=4)
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    9.4

    References
    ----------
    .. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
       stochastic bandits. AAAI 39(15).
    """

    batches: int | Callable[[int], int] = DEFAULT_SCHEDULE
    growth: Literal["append", "redistribute"] = "append"
    padding: float = 2.0
    warmup: int = 0
    baseline: float | Literal["minimum"] = 0.0
    bernoulli_scale: float | None = None
    ties: Literal["random", "first"] = "random"

    about = About(
        family="ensemble",
        needs="losses of mean 0 or more, or nothing with baseline='minimum'",
        time="log K + l",
        memory="K l; with growth='redistribute' also t",
        guarantee="sum over arms of (variance / gap + b) log^2 T",
        bibtex=BIBTEX,
        pending="each counts in every batch of its arm, as if its loss were the arm's mean",
    )
    kernels = Kernels(init, select, update)
    hold = hold

    def __post_init__(self) -> None:
        if not callable(self.batches):
            schedules.Fixed(self.batches)
        require_choice("growth", self.growth, ("append", "redistribute"))
        require_choice("ties", self.ties, ("random", "first"))
        require_finite("padding", self.padding, above=0.0, or_equal=True)
        require_whole("warmup", self.warmup, at_least=0)
        if self.baseline != "minimum":
            require_finite("baseline", self.baseline, above=-math.inf)
        if self.bernoulli_scale is not None:
            require_finite("bernoulli_scale", self.bernoulli_scale, above=0.0)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Both growths, both baselines, coins and a warm-up."""
        return [
            cls(),
            cls(growth="redistribute"),
            cls(batches=3, ties="first"),
            cls(baseline="minimum"),
            cls(batches=3, bernoulli_scale=1.0),
            cls(batches=3, warmup=2),
        ]

    @property
    def scale_free(self) -> bool:
        """No scale enters the rule, unless losses are turned into coins or have an offset."""
        return self.bernoulli_scale is None and self.baseline in (0.0, "minimum")

    @property
    def location_free(self) -> bool:
        """Only a baseline that follows the losses frees the rule of location."""
        return self.bernoulli_scale is None and self.baseline == "minimum"

    @property
    def loss_range(self) -> tuple[float, float]:
        """Coins need losses in [0, b]."""
        return (
            (-math.inf, math.inf) if self.bernoulli_scale is None else (0.0, self.bernoulli_scale)
        )

    @property
    def best_loss(self) -> float:
        """The baseline, if it is a number."""
        return 0.0 if self.baseline == "minimum" else float(self.baseline)

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """Work the schedule out for `capacity` steps."""
        schedule = self.batches if callable(self.batches) else schedules.Fixed(self.batches)
        grows = True
        if isinstance(schedule, schedules.Schedule):
            schedule, grows = schedule.at_horizon(horizon), schedule.grows
        return Parameters(
            growth_steps=schedules.growth_steps(schedule, capacity),
            keep_history=grows and self.growth == "redistribute",
            padding=float(self.padding),
            warmup=int(self.warmup),
            bernoulli_scale=float(self.bernoulli_scale or 0.0),
            baseline=math.inf if self.baseline == "minimum" else float(self.baseline),
            random_ties=self.ties == "random",
        )

    def bids(self, state: State) -> list[Bid]:
        """What each batch would play on its own, and at which estimate: the lowest bid wins.

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

    def estimates(self, state: State) -> Floats:
        """Every batch's estimate of every arm's mean loss, pending ones filled in, (arm, batch)."""
        baseline = state.baseline[0] if np.isfinite(state.baseline[0]) else 0.0
        parameters = self.parameters(len(state.pending), 1, 1)
        table = state.estimates[:, : state.batches[0]].copy()
        for arm in np.flatnonzero(state.pending).tolist():
            pending = state.pending[arm]
            sums = state.sums[arm] + pending * mean_above_baseline(state, arm)
            for batch in range(table.shape[1]):
                count = state.counts[arm, batch] + pending
                table[arm, batch] = estimate(parameters, sums[batch], count)
        return table + baseline

    def indices(self, parameters: Parameters, state: State, step: int) -> Floats:
        """Every arm's index: its lowest estimate, with pending losses filled in by its mean."""
        baseline = state.baseline[0] if np.isfinite(state.baseline[0]) else 0.0
        return super().indices(parameters, state, step) + baseline

    def join(self, first: State, second: State, sizes: tuple[int, int], start: Start) -> State:
        """See `Policy.join`; arms that have fewer batches get empty ones, or are dealt again."""
        target: State = super().join(first, second, sizes, start)
        batches = max(first.batches[0], second.batches[0])
        target.batches[0] = batches
        target.baseline[0] = lowest = min(first.baseline[0], second.baseline[0])
        most = target.sums.shape[1]
        target.sums[:] = np.concatenate([sums_above(s, lowest, most) for s in (first, second)])
        target.next_batch[:] = np.concatenate([behind(s, batches) for s in (first, second)])
        append_history(target, second, shift=sizes[0])
        again = first.batches[0] != second.batches[0]
        settle(self.parameters(sum(sizes), 1, 1), target, again)
        return target

    def merge(self, first: State, second: State) -> State:
        """One state of two that saw different losses of the same arms.

        Batch j of the one joins batch j of the other: counts and sums add up. A history is dealt
        again. Neither argument is changed.
        """
        n_arms, most = max(first.sums.shape, second.sums.shape)
        lowest = min(first.baseline[0], second.baseline[0])
        counts = widened(first.counts, most) + widened(second.counts, most)
        merged = State(
            sums=sums_above(first, lowest, most) + sums_above(second, lowest, most),
            counts=counts,
            estimates=np.zeros((n_arms, most)),
            ranking=ranking_of(n_arms),
            next_batch=np.where(counts[:, 0] > 0, -1, 0),
            pending=first.pending + second.pending,
            batches=np.maximum(first.batches, second.batches),
            baseline=np.array([lowest]),
            history_arms=np.zeros(len(first.history_arms) + len(second.history_arms), np.int64),
            history_losses=np.zeros(len(first.history_losses) + len(second.history_losses)),
            history_length=np.zeros(1, np.int64),
        )
        for state in (first, second):
            append_history(merged, state, shift=0)
        settle(self.parameters(n_arms, 1, 1), merged, True)
        return merged
