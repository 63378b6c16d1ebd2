"""Batch Ensemble: every batch bids its favourite arm, and the lowest bid wins."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from lowbid import schedules
from lowbid._kernel import allocating_kernel, kernel
from lowbid._random import Stream, coin
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
    batches: Ints  # (1,): how many are in use
    baseline: Floats  # (1,)
    history_arms: Ints  # (step,)
    history_losses: Floats  # (step,)
    history_length: Ints  # (1,)


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
        batches=np.full(1, in_use, np.int64),
        baseline=np.full(1, parameters.baseline),
        history_arms=np.zeros(kept, np.int64),
        history_losses=np.zeros(kept),
        history_length=np.zeros(1, np.int64),
    )
    rank_all(state)
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
def rank_all(state: State) -> None:
    """Set every arm's index from its batches."""
    for arm in range(len(state.next_batch)):
        place_unsorted(state.ranking, arm, lowest_estimate(state, arm))
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
    rank_all(state)


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
    rank_all(state)


@kernel
def deal_again(parameters: Parameters, state: State) -> None:
    """Deal the whole history round-robin over the batches in use."""
    state.sums[:] = 0.0
    state.counts[:] = 0
    state.next_batch[:] = 0
    for i in range(state.history_length[0]):
        deal(state, state.history_arms[i], state.history_losses[i])
    for arm in range(len(state.next_batch)):
        for batch in range(state.batches[0]):
            state.estimates[arm, batch] = estimate(
                parameters, state.sums[arm, batch], state.counts[arm, batch]
            )


DEFAULT_SCHEDULE = schedules.Logarithmic(0.4)


class Bid(NamedTuple):
    """What one batch would do on its own.

    Attributes
    ----------
    arm : int
        The arm of lowest estimate, the first of several.
    estimate : float
        The batch's estimate of that arm's mean loss.
    """

    arm: int
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
    )
    kernels = Kernels(init, select, update)

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
        """Every batch's estimate of every arm's mean loss, (arm, batch)."""
        baseline = state.baseline[0] if np.isfinite(state.baseline[0]) else 0.0
        return state.estimates[:, : state.batches[0]] + baseline

    def merge(self, first: State, second: State) -> State:
        """One state of two that saw different losses of the same arms.

        Batch j of the one joins batch j of the other: counts and sums add up. Neither argument is
        changed.
        """
        raise NotImplementedError
