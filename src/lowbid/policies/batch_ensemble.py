"""Batch Ensemble: every batch bids for its favourite arm, and the lowest bid wins."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from lowbid import schedules
from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_choice, require_finite, require_whole
from lowbid.policies._base import About, Ints, Kernels, Policy
from lowbid.policies._batches import (
    Batches,
    add_loss,
    batches_for,
    count_of,
    fetch_row,
    filled_in,
    measure_from,
    next_batch,
    pending_of,
    remember,
    sum_of,
    use_due,
)
from lowbid.policies._ensemble import EnsemblePolicy, hold_by_index, rank_by_index
from lowbid.policies._ranking import (
    Ranking,
    has_tree,
    index_of,
    lowest_arm,
    place,
    ranking_of,
)

DEFAULT_SCHEDULE = schedules.Logarithmic(0.6, least=2)


class Parameters(NamedTuple):
    """The parameters that the kernels read, with the schedule evaluated."""

    growth_steps: Ints  # when the 1st, 2nd, ... batch comes into use; then a step never reached
    keep_history: bool  # to deal it again when the number of batches grows
    padding: float
    is_unpadded: bool  # padding is 0, and an empty batch has nothing to be divided by
    warmup: int
    baseline: float  # infinite: the lowest loss seen
    random_ties: bool


class State(NamedTuple):
    """The arms' batches, and the arms ranked by their indices above the baseline."""

    batches: Batches
    ranking: Ranking


@kernel
def estimate(parameters: Parameters, total: float, count: float) -> float:
    """A batch's padded mean; 0 if it is empty, and below all others while it warms up."""
    if parameters.warmup > 0 and count < parameters.warmup:
        return -math.inf
    if parameters.is_unpadded and count == 0.0:
        return 0.0
    return total / (count + parameters.padding)


@kernel
def index(parameters: Parameters, batches: Batches, arm: int) -> float:
    """The lowest of an arm's estimates; pending losses count in each as if they were its mean."""
    pending, filled = pending_of(batches, arm), filled_in(batches, arm)
    lowest = math.inf
    for batch in range(batches.in_use[0]):
        total, count = sum_of(batches, arm, batch), count_of(batches, arm, batch)
        value = estimate(parameters, total + filled, count + pending)
        if value < lowest:
            lowest = value
    return lowest


rank_all = specialise(rank_by_index, index=index)


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Start with empty batches: every arm's index is the same."""
    state = State(batches_for(parameters, n_arms, capacity), ranking_of(n_arms))
    rank_all(parameters, state)
    return state


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play the arm with the lowest index."""
    if step >= parameters.growth_steps[state.batches.in_use[0]]:
        use_due(state.batches, parameters.growth_steps, step)
        rank_all(parameters, state)
    arm = lowest_arm(state.ranking, parameters.random_ties, stream)
    if has_tree(state.ranking):
        fetch_row(state.batches, arm)
    return arm


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Deal the loss to one of the arm's batches; the index changes only if that batch has it."""
    batches = state.batches
    prepare(parameters, state, arm, loss)
    batch = next_batch(batches, arm)
    before = estimate(parameters, sum_of(batches, arm, batch), count_of(batches, arm, batch))
    add_loss(batches, arm, batch, loss)
    now = estimate(parameters, sum_of(batches, arm, batch), count_of(batches, arm, batch))
    lowest = index_of(state.ranking, arm)
    if pending_of(batches, arm) > 0.0:
        place(state.ranking, arm, index(parameters, batches, arm))
    elif now < lowest:
        place(state.ranking, arm, now)
    elif before == lowest and now != lowest:
        place(state.ranking, arm, index(parameters, batches, arm))


@kernel
def prepare(parameters: Parameters, state: State, arm: int, loss: float) -> None:
    """Lower the baseline to a loss below it, and remember the loss, if the parameters say so."""
    if parameters.baseline == math.inf and loss < state.batches.baseline[0]:
        measure_from(state.batches, loss)
        rank_all(parameters, state)
    if parameters.keep_history:
        remember(state.batches, arm, loss)


@dataclass(frozen=True)
class BatchEnsemble(EnsemblePolicy):
    r"""Batch Ensemble: every batch bids for its favourite arm, and the lowest bid wins.

    The losses of each arm are dealt round-robin into l batches. Batch j, with c losses of sum s,
    estimates the arm's mean loss by

    .. math:: \hat\mu_{a,j} = s / (c + 2),

    an empty batch by 0. The arm's index is the lowest of its batches' estimates, :math:`\hat\mu_a =
    \min_j \hat\mu_{a,j}`, and the arm with the lowest index is played. The minimum of l noisy
    estimates, each pulled towards 0, lies below the mean with high probability: it acts as a
    confidence bound, without knowing the losses' scale or variance.

    While p decisions of an arm are pending, each of its batches counts them as if their losses were
    the arm's mean m: :math:`\hat\mu_{a,j} = (s + p m) / (c + p + 2)`. (Before the arm's first
    loss, m is the mean of all arms.) So a burst of decisions does not herd on one arm.

    0 should be the best possible loss, or at least no mean loss may be negative: an empty batch
    counts as 0 and the padding pulls towards it. Otherwise, set `baseline`.

    `WindowedBatchEnsemble` is for arms that change, `Clipped` for losses with gross errors, and
    `CoinFlips` extends the paper's guarantee for Bernoulli arms to all bounded losses.

    Parameters
    ----------
    batches : int, Schedule or function
        l, or a function that returns l at step t = 1, 2, ...; see `lowbid.schedules`.
    growth : {"append", "redistribute"}
        What happens when l grows. "redistribute" is the paper's EnsembleAdaptive: the whole
        history of every arm is dealt again, exactly as if there had been l batches from the start;
        memory grows with the steps. "append" is its EnsembleAdaptiveEfficient: each arm's new batch
        starts empty and takes the arm's losses until it is as large as the others; only counts and
        sums are kept.
    padding : float
        The number added to a batch's count, 2 in the paper.
    warmup : int
        The number of losses that each batch of each arm must have before its estimate counts; arms
        that lack some are played first. The paper's remedy for skewed losses.
    baseline : float or "minimum"
        The best possible loss: estimates are pulled towards it, not towards 0. With "minimum" it is
        the lowest loss seen so far, which makes the policy independent of location as well as
        scale.
    ties : {"random", "first"}
        Which arm is played if several have the same index.

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
    ties: Literal["random", "first"] = "random"

    below_best = 'give it baseline="minimum"'
    about = About(
        family="ensemble",
        needs="losses of mean 0 or more, or nothing with baseline='minimum'",
        time="log K + l",
        memory="K l; with growth='redistribute' also t",
        guarantee="sum over arms of (variance / gap + b) log^2 T with batches=Anytime() and "
        "growth='redistribute', for losses of 0 or b; none is known otherwise",
        cite="cassel2025batch",
        pending="each counts in every batch of its arm, as if its loss were the arm's mean",
    )
    kernels = Kernels(init, select, update)
    hold = specialise(hold_by_index, index=index)
    estimate = estimate
    rank_all = rank_all

    def __post_init__(self) -> None:
        schedules.require_schedule(self.batches)
        require_choice("growth", self.growth, ("append", "redistribute"))
        require_choice("ties", self.ties, ("random", "first"))
        require_finite("padding", self.padding, above=0.0, or_equal=True)
        require_whole("warmup", self.warmup, at_least=0)
        if isinstance(self.baseline, str):
            require_choice("baseline", self.baseline, ("minimum",))
        else:
            require_finite("baseline", self.baseline, above=-math.inf)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Both growths, both baselines, and a warm-up."""
        others = [cls(growth="redistribute"), cls(baseline="minimum"), cls(batches=3, warmup=2)]
        return [cls(), cls(batches=3, ties="first"), *others]

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters, with the schedule evaluated for `capacity` steps."""
        schedule = schedules.schedule_of(self.batches, horizon)
        grows = not isinstance(schedule, schedules.Schedule) or schedule.grows
        return Parameters(
            growth_steps=schedules.growth_steps(schedule, capacity),
            keep_history=grows and self.growth == "redistribute",
            padding=float(self.padding),
            is_unpadded=self.padding == 0,
            warmup=int(self.warmup),
            baseline=math.inf if isinstance(self.baseline, str) else float(self.baseline),
            random_ties=self.ties == "random",
        )
