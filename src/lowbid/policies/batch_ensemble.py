"""Batch Ensemble: every batch bids for its favourite arm, and the lowest bid wins."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from lowbid import schedules
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, coin
from lowbid.errors import InvalidValueError
from lowbid.policies._arms import Start
from lowbid.policies._base import (
    LATER,
    About,
    Floats,
    Ints,
    Kernels,
    Policy,
    require,
    require_choice,
    require_finite,
    require_whole,
)
from lowbid.policies._batches import (
    Batches,
    add_loss,
    add_pending,
    batches_of,
    count_of,
    deal_again,
    fetch_row,
    filled_in,
    measure_from,
    merged,
    next_batch,
    pending_of,
    remember,
    sum_of,
    use_more,
)
from lowbid.policies._forgetting import merge_refused
from lowbid.policies._lifetimes import forget, forget_while_away, is_due, lifetimes_of
from lowbid.policies._ranking import (
    Ranking,
    has_tree,
    index_of,
    lowest_arm,
    place,
    place_unsorted,
    ranking_of,
    rebuild,
)
from lowbid.policies._yardstick import Yardstick, clipped, merged_yardstick, yardstick_of


class Parameters(NamedTuple):
    """The parameters that the kernels read, with the schedule evaluated."""

    growth_steps: Ints  # when the 1st, 2nd, ... batch comes into use; then a step never reached
    keep_history: bool  # to deal it again when the number of batches grows
    padding: float
    is_unpadded: bool  # padding is 0, and an empty batch has nothing to be divided by
    warmup: int
    bernoulli_scale: float  # 0: losses are taken as they are
    baseline: float  # infinite: the lowest loss seen
    random_ties: bool
    quantile: float  # 0: the lowest estimate
    clip: bool
    part: int  # steps after which the oldest batch is emptied; 0: never


class State(NamedTuple):
    """The arms' batches, and the arms ranked by their lowest estimates above the baseline."""

    batches: Batches
    ranking: Ranking
    yardstick: Yardstick  # by which losses are clipped, if they are
    lifetimes: Ints  # when batches are emptied, and when each started


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Start with empty batches: every arm's index is the same."""
    most = len(parameters.growth_steps) - 1
    in_use = int(np.searchsorted(parameters.growth_steps, 1, side="right"))
    kept = capacity if parameters.keep_history else 0
    batches = batches_of(n_arms, most, in_use, parameters.baseline, kept)
    lifetimes = lifetimes_of(most, parameters.part)
    state = State(batches, ranking_of(n_arms), yardstick_of(-math.inf, math.inf), lifetimes)
    rank_all(parameters, state)
    return state


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play the arm whose lowest batch estimate is lowest."""
    if step >= parameters.growth_steps[state.batches.in_use[0]]:
        grow(parameters, state, step)
    if parameters.part > 0 and is_due(state.lifetimes, step):
        forget(state.lifetimes, state.batches, parameters.part, step)
        rank_all(parameters, state)
    arm = lowest_arm(state.ranking, parameters.random_ties, stream)
    if has_tree(state.ranking):
        fetch_row(state.batches, arm)
    return arm


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Deal the loss to one of the arm's batches."""
    batches = state.batches
    if parameters.bernoulli_scale > 0.0:
        loss = parameters.bernoulli_scale * coin(stream, loss / parameters.bernoulli_scale)
    if parameters.clip:
        loss = clipped(state.yardstick, loss)
    if parameters.baseline == math.inf and loss < batches.baseline[0]:
        measure_from(batches, loss)
        rank_all(parameters, state)
    if parameters.keep_history:
        remember(batches, arm, loss)
    batch = next_batch(batches, arm)
    before = estimate(parameters, sum_of(batches, arm, batch), count_of(batches, arm, batch))
    add_loss(batches, arm, batch, loss)
    now = estimate(parameters, sum_of(batches, arm, batch), count_of(batches, arm, batch))
    index = index_of(state.ranking, arm)
    if pending_of(batches, arm) > 0.0 or parameters.quantile > 0.0:
        place(state.ranking, arm, low_estimate(parameters, batches, arm))
    elif now < index:
        place(state.ranking, arm, now)
    elif before == index and now != index:
        place(state.ranking, arm, low_estimate(parameters, batches, arm))


@kernel
def estimate(parameters: Parameters, total: float, count: float) -> float:
    """A batch's padded mean; 0 if it is empty, and below all others while it warms up."""
    if parameters.warmup > 0 and count < parameters.warmup:
        return -math.inf
    if parameters.is_unpadded and count == 0.0:
        return 0.0
    return total / (count + parameters.padding)


@kernel
def low_estimate(parameters: Parameters, batches: Batches, arm: int) -> float:
    """The index of an arm: its lowest estimate, or a low quantile of its estimates."""
    low, shared = next_estimate(parameters, batches, arm, math.nan)
    if parameters.quantile > 0.0 and low > -math.inf:  # that of a batch that still warms up
        rank = math.ceil(parameters.quantile * batches.in_use[0] - _ROUNDING)
        while shared < rank:
            low, more = next_estimate(parameters, batches, arm, low)
            shared += more
    return low


@kernel
def next_estimate(
    parameters: Parameters, batches: Batches, arm: int, above: float
) -> tuple[float, int]:
    """The lowest of an arm's estimates above a number, and how many batches share it.

    Pending losses count in every batch as if they were the arm's mean.
    """
    pending, filled = pending_of(batches, arm), filled_in(batches, arm)
    lowest, shared = math.inf, 0
    for batch in range(batches.in_use[0]):
        total, count = sum_of(batches, arm, batch), count_of(batches, arm, batch)
        value = estimate(parameters, total + filled, count + pending)
        if value <= above:
            continue
        if value < lowest:
            lowest, shared = value, 1
        elif value == lowest:
            shared += 1
    return lowest, shared


@kernel
def rank_all(parameters: Parameters, state: State) -> None:
    """Set every arm's index from its batches."""
    for arm in range(len(state.batches.rows)):
        place_unsorted(state.ranking, arm, low_estimate(parameters, state.batches, arm))
    rebuild(state.ranking)


@kernel
def grow(parameters: Parameters, state: State, step: int) -> None:
    """Start using all batches that are due by this step."""
    in_use = state.batches.in_use[0]
    while step >= parameters.growth_steps[in_use]:
        in_use += 1
    use_more(state.batches, in_use)
    rank_all(parameters, state)


@kernel
def hold(parameters: Parameters, state: State, arm: int, change: int) -> None:
    """Count decisions of an arm whose losses are not known yet."""
    add_pending(state.batches, arm, change)
    place(state.ranking, arm, low_estimate(parameters, state.batches, arm))


@kernel
def fill_estimates(parameters: Parameters, batches: Batches, table: Floats) -> None:
    """Write every batch's estimate of every arm, including pending losses, (arm, batch)."""
    for arm in range(table.shape[0]):
        pending, filled = pending_of(batches, arm), filled_in(batches, arm)
        for batch in range(table.shape[1]):
            total, count = sum_of(batches, arm, batch), count_of(batches, arm, batch)
            table[arm, batch] = estimate(parameters, total + filled, count + pending)


# A quantile times a number of batches may be off by rounding.
_ROUNDING = 1e-9

DEFAULT_SCHEDULE = schedules.Logarithmic(0.6, least=2)


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


@dataclass(frozen=True)
class BatchEnsemble(Policy):
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
    loss, m is the mean of all arms at the time when its index was last computed.) So a burst of
    decisions does not herd on one arm; with none pending, it is the paper's rule.

    0 should be the best possible loss, or at least no mean loss may be negative: an empty batch
    counts as 0 and the padding pulls towards it. Otherwise, set `baseline`.

    For arms that change, give a `window`: then whole batches are forgotten, oldest first.

    Parameters
    ----------
    batches : int, Schedule or function
        l, or a function that returns l at step t = 1, 2, ...; see `lowbid.schedules`. With a
        window, l is its value at step t = `window`, from the start.
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
    baseline : float, "minimum" or "robust"
        The best possible loss: estimates are pulled towards it, not towards 0. With "minimum" it is
        the lowest loss seen so far, which makes the policy independent of location as well as
        scale. With "robust" losses are clipped first: from the third on, a single loss may not
        widen the range of the losses seen by more than its width, so that one absurd value does
        little harm.
    bernoulli_scale : float or None
        b: replace each loss x in [0, b] by a coin flip, b with probability x / b and 0 otherwise.
        This extends the paper's guarantee for Bernoulli arms to all losses in [0, b], at the price
        of a larger variance.
    ties : {"random", "first"}
        Which arm is played if several have the same index.
    quantile : float or None
        α: the index is the ⌈α l⌉-th lowest of the estimates, as in Quantile of Means [2]_, instead
        of the lowest. `BatchEnsemble.quantile_of_means` also uses their padding of 1.
    window : int or None
        The number of steps for which each batch lives: every ``window / l`` steps the oldest batch
        of every arm is emptied and starts again. Losses are still dealt round-robin, and the rule
        is the same; no loss is stored. A baseline that follows the losses is not forgotten.

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
    .. [2] A. Cassel, A. Rosenberg (2026). Quantile of Means. arXiv 2606.20107.
    """

    batches: int | Callable[[int], int] = DEFAULT_SCHEDULE
    growth: Literal["append", "redistribute"] = "append"
    padding: float = 2.0
    warmup: int = 0
    baseline: float | Literal["minimum", "robust"] = 0.0
    bernoulli_scale: float | None = None
    ties: Literal["random", "first"] = "random"
    quantile: float | None = field(default=None, metadata=LATER)
    window: int | None = field(default=None, metadata=LATER)

    about = About(
        family="ensemble",
        needs="losses of mean 0 or more, or nothing with baseline='minimum'",
        time="log K + l",
        memory="K l; with growth='redistribute' also t",
        guarantee="sum over arms of (variance / gap + b) log^2 T with batches=Anytime() and "
        "growth='redistribute', for losses of 0 or b; none is known otherwise",
        cite="cassel2026quantile,cassel2025batch",
        pending="each counts in every batch of its arm, as if its loss were the arm's mean",
    )
    kernels = Kernels(init, select, update)
    draws_for_ties_only = True
    hold = hold

    def __post_init__(self) -> None:
        if isinstance(self.batches, type):
            raise InvalidValueError(
                f"batches is the class {self.batches.__name__}; give an object of it: "
                f"{self.batches.__name__}(...)."
            )
        schedules.require_schedule(self.batches)
        require_choice("growth", self.growth, ("append", "redistribute"))
        require_choice("ties", self.ties, ("random", "first"))
        require_finite("padding", self.padding, above=0.0, or_equal=True)
        require_whole("warmup", self.warmup, at_least=0)
        if not isinstance(self.baseline, str):
            require_finite("baseline", self.baseline, above=-math.inf)
        else:
            require_choice("baseline", self.baseline, ("minimum", "robust"))
        if self.quantile is not None:
            require_finite("quantile", self.quantile, above=0.0)
            require(self.quantile <= 1.0, f"quantile is {self.quantile!r}; give at most 1.")
        if self.bernoulli_scale is not None:
            require_finite("bernoulli_scale", self.bernoulli_scale, above=0.0)
        if self.window is not None:
            self._check_window(require_whole("window", self.window))

    def _check_window(self, window: int) -> None:
        require(
            self.growth == "append",
            "growth is 'redistribute', which deals the whole history again, and a window forgets "
            "it; leave out one of them.",
        )
        schedule = self._schedule(None)
        if not (isinstance(schedule, schedules.HighProbability) and schedule.horizon is None):
            self._part(schedule, window)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Both growths, all baselines, a quantile, coins and a warm-up."""
        return [
            cls(),
            cls(growth="redistribute"),
            cls(batches=3, ties="first"),
            cls(baseline="minimum"),
            cls(baseline="robust"),
            cls.quantile_of_means(0.3, batches=8),
            cls(batches=3, bernoulli_scale=1.0),
            cls(batches=3, warmup=2),
            cls(batches=2, window=100),
        ]

    @classmethod
    def quantile_of_means(
        cls, quantile: float, batches: int | Callable[[int], int] = DEFAULT_SCHEDULE
    ) -> BatchEnsemble:
        """Quantile of Means: a low quantile of the batches' estimates, with a padding of 1."""
        return cls(batches=batches, padding=1.0, quantile=quantile)

    @property
    def follows_losses(self) -> bool:
        """Whether the baseline is the lowest loss seen so far."""
        return isinstance(self.baseline, str)

    @property
    def scale_free(self) -> bool:
        """The rule has no scale, unless losses are turned into coins or have an offset."""
        return self.bernoulli_scale is None and (self.follows_losses or self.baseline == 0.0)

    @property
    def location_free(self) -> bool:
        """Only a baseline that follows the losses makes the rule independent of location."""
        return self.bernoulli_scale is None and self.follows_losses

    @property
    def loss_range(self) -> tuple[float, float]:
        """Coins need losses in [0, b]."""
        return (
            (-math.inf, math.inf) if self.bernoulli_scale is None else (0.0, self.bernoulli_scale)
        )

    @property
    def best_loss(self) -> float:
        """The baseline, if it is a number."""
        return 0.0 if isinstance(self.baseline, str) else float(self.baseline)

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters, with the schedule evaluated for `capacity` steps."""
        schedule, part = self._schedule(horizon), 0
        if self.window is not None:
            part = self._part(schedule, self.window)
            schedule = schedules.Fixed(schedule(self.window))
        grows = not isinstance(schedule, schedules.Schedule) or schedule.grows
        return Parameters(
            growth_steps=schedules.growth_steps(schedule, capacity),
            keep_history=grows and self.growth == "redistribute",
            padding=float(self.padding),
            is_unpadded=self.padding == 0,
            warmup=int(self.warmup),
            bernoulli_scale=float(self.bernoulli_scale or 0.0),
            baseline=math.inf if isinstance(self.baseline, str) else float(self.baseline),
            random_ties=self.ties == "random",
            quantile=float(self.quantile or 0.0),
            clip=self.baseline == "robust",
            part=part,
        )

    def _schedule(self, horizon: int | None) -> Callable[[int], int]:
        """The number of batches at each step, for the horizon if it is known."""
        schedule = self.batches if callable(self.batches) else schedules.Fixed(self.batches)
        if isinstance(schedule, schedules.Schedule):
            return schedule.at_horizon(horizon)
        return schedule

    def _part(self, schedule: Callable[[int], int], window: int) -> int:
        """The steps after which a batch is emptied."""
        batches = schedules.batches_at(schedule, window)
        require(
            window >= batches,
            f"window is {window}, for {batches} batches; give at least one step for each.",
        )
        return window // batches

    def describe(self, horizon: int) -> str:
        """The parameters, with the steps at which a user's own schedule grows."""
        if not callable(self.batches) or isinstance(self.batches, schedules.Schedule):
            return self.identity
        steps = self.parameters(1, horizon, horizon).growth_steps[:-1].tolist()
        return f"{self.identity} with batches from steps {steps}"

    def bids(self, state: State) -> list[Bid]:
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

    def estimates(self, state: State) -> Floats:
        """Every batch's estimate of every arm's mean loss, pending ones filled in, (arm, batch)."""
        table = np.zeros((len(state.batches.rows), state.batches.in_use[0]))
        fill_estimates(self.parameters(len(table), 1, 1), state.batches, table)
        return table + _finite_baseline(state)

    def indices(self, parameters: Parameters, state: State, step: int) -> Floats:
        """Every arm's index: its lowest estimate, with pending losses filled in by its mean."""
        return super().indices(parameters, state, step) + _finite_baseline(state)

    def join(self, first: State, second: State, sizes: tuple[int, int], start: Start) -> State:
        """See `Policy.join`; arms with fewer batches get empty ones, or are dealt again."""
        target: State = super().join(first, second, sizes, start)
        batches, parts = target.batches, (first.batches, second.batches)
        batches.in_use[0] = in_use = max(part.in_use[0] for part in parts)
        batches.baseline[0] = lowest = min(part.baseline[0] for part in parts)
        for part, begin in zip(parts, (0, sizes[0]), strict=True):
            arms = slice(begin, begin + len(part.rows))
            batches.sums[arms, : part.sums.shape[1]] = part.sums_above(lowest)
            batches.next_batch[arms] = part.next_among(in_use)
        if self.window is not None:
            forget_while_away(target.lifetimes, second.lifetimes, batches, first_arm=sizes[0])
        batches.append_history(second.batches, shift=sizes[0])
        if len(batches.history_losses) > 0 and parts[0].in_use[0] != parts[1].in_use[0]:
            deal_again(batches)
        rank_all(self.parameters(sum(sizes), 1, 1), target)
        return target

    def merge(self, first: State, second: State) -> State:
        """Merge two states that saw different losses of the same arms.

        Batch j of one is added to batch j of the other: counts and sums add up. A history is dealt
        again. Neither argument is changed.
        """
        if self.window is not None:
            raise merge_refused(self.name)
        batches = merged(first.batches, second.batches)
        yardstick = merged_yardstick(first.yardstick, second.yardstick)
        lifetimes = lifetimes_of(batches.sums.shape[1], 0)
        both = State(batches, ranking_of(len(batches.rows)), yardstick, lifetimes)
        rank_all(self.parameters(len(batches.rows), 1, 1), both)
        return both


def _finite_baseline(state: State) -> float:
    """The baseline, or 0 before the first loss sets it."""
    baseline = float(state.batches.baseline[0])
    return baseline if math.isfinite(baseline) else 0.0
