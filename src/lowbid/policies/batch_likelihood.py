"""Batch likelihood: every batch gives evidence, and the evidence is added up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid.policies._arms import Start
from lowbid.policies._base import About, Kernels, Policy, require_finite, require_whole
from lowbid.policies._batches import (
    Batches,
    add_loss,
    batches_of,
    count_of,
    join_batches,
    merged_evenly,
    next_batch,
    sum_of,
    use_due,
)
from lowbid.policies._deviations import (
    Deviations,
    add_deviation,
    deviations_of,
    measured_deviations,
    merged_deviations,
)
from lowbid.policies._limits import Limits, Sizes, exactly, real
from lowbid.policies._race import (
    Race,
    RacePolicy,
    mean_of,
    measured_race,
    merged_race,
    plays_of,
    race_by,
    race_of,
)
from lowbid.policies._yardstick import (
    ROUNDING,
    Yardstick,
    are_alike,
    evidence_if_alike,
    measured,
    merged_yardstick,
    reach_below,
    translation,
    yardstick_of,
)
from lowbid.schedules import MOST_BATCHES

# There are at least this many batches times the logarithm of the step.
_GROWTH = 2.0
# The number of losses with the skewness of all arms that an arm's own is weighed against, where
# that would make it less careful.
_SKEW_POOLING = 400.0
# Forced exploration: each arm has at least a (log t)^1.1 plays.
_POWER = 1.1
# Newton's method ends when a step changes the stake by less than this part of it. The evidence is
# at its maximum there, so it is off by the square of that only.
_CLOSE = 1e-3
_MOST_STEPS = 50
_FACTORS = 4  # multiplied before a logarithm is taken: few logarithms, and no overflow
# Batches that are no deeper than this below the level, measured by the gap, or at all, are not
# below it: the evidence would be beyond all others anyway.
_NOTHING, _TINY = 1e-60, 1e-300
_MOST_EVIDENCE = 600.0


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    growth_steps: Ints  # when the 1st, 2nd, ... batch comes into use; then a step never reached
    batches: int
    pooling: float
    null_weight: float
    exploration: float
    patience: float
    recheck: float
    low: float
    high: float  # infinite if the range of the losses is not known


class State(NamedTuple):
    """The sums of the arms' batches and the moments of single losses, by a common yardstick."""

    race: Race
    yardstick: Yardstick
    batches: Batches
    deviations: Deviations
    stakes: Floats  # (arm,): the last one found, as a part of the largest possible one
    pool: Floats  # (2,): the variance and the third cumulant of a loss, over all arms

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "stakes", real(0.0, 1.0)
        yield "dealt", exactly(self.race.counts, "as many as the arm has losses")

    @property
    def dealt(self) -> Floats:
        """The number of losses in each arm's batches."""
        return self.batches.counts.sum(axis=1)


def growth_steps(least: int, capacity: int) -> Ints:
    """The steps at which the 1st, 2nd, ... batch comes into use: ceil(2 log t) are at step t."""
    most = max(least, math.ceil(_GROWTH * math.log(capacity)))
    later = [math.floor(math.exp((j - 1) / _GROWTH)) + 1 for j in range(least + 1, most + 1)]
    return np.array([*[1] * least, *later, np.iinfo(np.int64).max], dtype=np.int64)


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Before the first loss."""
    most = len(parameters.growth_steps) - 1
    return State(
        race=race_of(n_arms),
        yardstick=yardstick_of(parameters.low, parameters.high),
        batches=batches_of(n_arms, most, parameters.batches, 0.0, 0),
        deviations=deviations_of(n_arms),
        stakes=np.zeros(n_arms),
        pool=np.zeros(2),
    )


@kernel
def used_batches(state: State, arm: int) -> int:
    """How many of an arm's batches have losses, or are about to have some."""
    return min(int(state.race.counts[arm]), int(state.batches.in_use[0]))


@kernel
def above(state: State, arm: int, batch: int, level: float) -> float:
    """The sum of the losses in a batch, each above a level."""
    return sum_of(state.batches, arm, batch) - count_of(state.batches, arm, batch) * level


@kernel
def survey(parameters: Parameters, state: State) -> None:
    """Pool the moments of all arms: an arm weighs as much as its batches tell of its spread."""
    squares = cubes = total = 0.0
    for arm in range(len(state.race.counts)):
        weight = used_batches(state, arm) - 1.0
        if weight > 0.0:
            share = weight / (state.race.counts[arm] - 1.0)
            squares += share * state.deviations.squares[arm]
            cubes += share * state.deviations.cubes[arm]
            total += weight
    total = max(total, 1.0)
    state.pool[0] = squares / total
    state.pool[1] = cubes / total


@kernel
def skewness(parameters: Parameters, state: State, arm: int) -> float:
    """The third cumulant of an arm's losses over their variance; no larger than the pool's.

    A few losses far above the mean say nothing about how far below it losses may lie.
    """
    squares, cubes = state.deviations.squares[arm], state.deviations.cubes[arm]
    variance, cumulant = state.pool[0], state.pool[1]
    own = (cubes + parameters.pooling * cumulant) / (squares + parameters.pooling * variance)
    if variance <= ROUNDING:  # the pool's own skewness would be that of rounding errors
        return own
    if cumulant >= 0.0:
        return min(own, cumulant / variance)
    careful = min(cubes, 0.0) + _SKEW_POOLING * cumulant
    return min(own, careful / (squares + _SKEW_POOLING * variance))


@kernel
def depth(parameters: Parameters, state: State, arm: int, gap: float) -> float:
    """How far below the leader's mean another batch of the arm might be."""
    n = state.race.counts[arm]
    size = n / used_batches(state, arm)
    level = mean_of(state.race, arm) - gap
    lowest = size * reach_below(state.yardstick, level, 0.0)
    pooled = state.deviations.squares[arm] + parameters.pooling * state.pool[0]
    if pooled <= 0.0:
        return 0.0
    weight = parameters.null_weight
    variance = (pooled + weight * n * gap * gap) / (n - 1.0 + parameters.pooling + weight)
    skew = skewness(parameters, state, arm)
    return min(lowest, 0.5 * (math.sqrt(skew * skew + 4.0 * variance * size) - skew))


@kernel
def evidence(parameters: Parameters, state: State, arm: int, gap: float) -> float:
    """The evidence against an arm, as far as forced exploration lets it count."""
    plays, n = plays_of(state.race, arm), state.race.counts[arm]
    if are_alike(state.deviations.squares[arm], n, parameters.high):
        against = plays * evidence_if_alike(state.yardstick, mean_of(state.race, arm), gap)
    else:
        against = plays / n * largest_log_wealth(parameters, state, arm, gap)
    due = math.exp(min(math.exp(math.log(plays / parameters.exploration) / _POWER), 600.0))
    most = math.log1p(max(due / plays - 1.0, 0.0) / parameters.patience)
    return min(against, most)


@kernel
def largest_log_wealth(parameters: Parameters, state: State, arm: int, gap: float) -> float:
    """The largest log-wealth from bets that the arm's mean is above the leader's."""
    level = mean_of(state.race, arm) - gap
    bottom = depth(parameters, state, arm, gap)
    if state.race.counts[arm] * gap <= bottom:
        return 0.0
    deepest = bottom
    for batch in range(used_batches(state, arm)):
        deepest = max(deepest, -above(state, arm, batch, level))
    if deepest <= max(_NOTHING * gap, _TINY):
        return math.inf
    unit = 1.0 / deepest
    stake = best_stake(state, arm, level, bottom * unit, unit)
    state.stakes[arm] = stake
    return max(log_wealth(state, arm, level, bottom * unit, unit, stake), 0.0)


@kernel
def best_stake(state: State, arm: int, level: float, bottom: float, unit: float) -> float:
    """The stake of largest log-wealth, which is concave: Newton's method within brackets.

    Batches are measured in units of the deepest one, so that stakes lie between 0 and 1.
    """
    low, high = 0.0, 1.0
    x = state.stakes[arm] if state.stakes[arm] > 0.0 else 0.5
    for _ in range(_MOST_STEPS):
        ratio = -bottom / (1.0 - x * bottom)
        slope, curve = ratio, ratio * ratio
        for batch in range(used_batches(state, arm)):
            y = above(state, arm, batch, level) * unit
            ratio = y / (1.0 + x * y)
            slope += ratio
            curve += ratio * ratio
        low, high = (x, high) if slope > 0.0 else (low, x)
        before, x = x, x + slope / curve
        if not low < x < high:
            x = 0.5 * (low + high)
        if abs(x - before) <= _CLOSE * before:
            break
    return x


@kernel
def log_wealth(
    state: State, arm: int, level: float, bottom: float, unit: float, stake: float
) -> float:
    """The log-wealth from bets of one stake on every batch, and on one as low as possible."""
    total = 0.0
    product = 1.0 - stake * bottom
    for batch in range(used_batches(state, arm)):
        product *= 1.0 + stake * above(state, arm, batch, level) * unit
        if batch % _FACTORS == _FACTORS - 1:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)


race = race_by(evidence, survey)
choose, count_loss = race.select, race.count_loss


@kernel
def select(parameters: Parameters, state: State, step: int, stream: Stream) -> int:
    """Play the leader, unless another arm is due; new batches come into use occasionally."""
    if step >= parameters.growth_steps[state.batches.in_use[0]]:
        use_due(state.batches, parameters.growth_steps, step)
    return choose(parameters, state, step, stream)


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Deal the loss to one of the arm's batches, and update the arm's moments."""
    x = measured(state.yardstick, loss)
    add_loss(state.batches, arm, next_batch(state.batches, arm), x)
    add_deviation(state.deviations, arm, state.race.counts[arm], state.race.sums[arm], x)
    count_loss(parameters, state, arm, x)


@dataclass(frozen=True)
class BatchLikelihood(RacePolicy):
    r"""Batch likelihood, a descendant of `BatchEnsemble` and the default policy of a `Bandit`.

    It needs no prior knowledge of the losses: no family, scale, location, range or horizon. Where
    they are bounded its regret is of order :math:`(\log T)^{1.1}`, and no rule that is not told the
    range has :math:`\log T` [3]_. It is consistent where they have a finite variance.

    The losses of each arm are dealt round-robin into l batches. The leader is the arm with the
    lowest mean, u. Take an arm with a higher mean, with n losses in batches of sums S_j and sizes
    C_j. Someone who bets on each batch, with stake x, that the arm's mean is above u ends with the
    log-wealth

    .. math:: \sum_j \log(1 + x (S_j - C_j u)) + \log(1 - x B),

    where the last term is one more, lost bet: on a batch that is B below u, as low as a batch might
    be. The evidence E against the arm is the largest log-wealth over all stakes x. It is IMED's
    empirical divergence [1]_ of the batches' sums instead of single losses, so only l sums are
    kept per arm. Batch Ensemble [2]_ lets the lowest of them decide alone.

    The arm's index is the number of plays of the leader at which the arm is due,

    .. math:: \min\bigl\{n (1 + \kappa (e^E - 1)), \max\{n, \exp((n / a)^{1/1.1})\}\bigr\}.

    The arm with the lowest index is played; the leader's index is its own number of plays. Every
    arm is played twice first. The second term is forced exploration: without it, an arm that was
    unlucky at first could be given up for good. There are l = max(`batches`, ⌈2 log t⌉) batches at
    step t; each arm's new batch starts empty and takes the arm's losses until it is as large as the
    others.

    With b batches in use, B is the distance to the lower value of the two-valued distribution with
    the variance and the third cumulant of a batch of size n / b,

    .. math:: B = \tfrac12 \bigl(\sqrt{\rho^2 + 4 v n / b} - \rho\bigr).

    Let M_2 and M_3 be the sums of the squared and the cubed deviations of the arm's losses from
    their mean, and v' and k' the variance and the third cumulant of all arms' losses, each arm with
    the weight b - 1. Then v is, with the gap g from u to the arm's mean,

    .. math:: v = \frac{M_2 + c v' + \theta n g^2}{n - 1 + c + \theta}:

    a small part of the variance is taken about u, because losses that are all alike would otherwise
    seem to be sure. ρ is :math:`(M_3 + c k') / (M_2 + c v')`, but at most k' / v' or, if k' < 0, at
    most :math:`(\min(M_3, 0) + 400 k') / (M_2 + 400 v')`: a few large losses do not tell how low
    others may be.

    B is at most n / b times the distance of u from the lowest loss seen. Losses are clipped as in
    `MomentIMED`. If the range of the losses is declared, its lower end replaces the lowest loss
    seen, and an arm whose losses were all alike could have two, as in `MomentIMED`.

    Parameters
    ----------
    batches : int
        The smallest number of batches (l above). Fewer save memory but cost some regret.
    pooling : float
        c. A larger one is safer while an arm has few losses, and worse where arms differ in spread.
    null_weight : float
        θ. A larger one is safer where arms differ in spread, and worse where gaps are wide.
    exploration : float
        a. Each arm has about :math:`a (\log t)^{1.1}` plays at least: 5 at a million steps.
    patience : float
        κ. A larger one explores less: lower regret in most runs, but more runs that settle on a
        suboptimal arm.
    recheck : float
        Indices are recomputed when the leader has been played for this part of its plays and
        one more; 0 stands for every play. Arms that are far from due are looked at less often.
    low, high : float or None
        The lowest and the highest loss that can occur, if they are known. `Bandit` fills them in
        from a declared range.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.BatchLikelihood(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    5.8

    References
    ----------
    .. [1] J. Honda, A. Takemura (2015). Non-asymptotic analysis of a new bandit algorithm for
       semi-bounded rewards. JMLR 16.
    .. [2] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
       stochastic bandits. AAAI 39(15).
    .. [3] H. Hadiji, G. Stoltz (2023). Adaptation to the range in K-armed bandits. JMLR 24.
    """

    batches: int = 32
    pooling: float = 5.0
    null_weight: float = 0.3
    exploration: float = 0.2
    patience: float = 8.0
    recheck: float = 0.01
    low: float | None = None
    high: float | None = None

    about = About(
        family="index",
        needs="nothing",
        time="l + log K, occasionally K l",
        memory="K l",
        guarantee="of order (log T)^1.1 for bounded losses of unknown range, o(T) for losses of "
        "finite variance",
        cite="hadiji2023adaptation,honda2015non,cassel2025batch",
        pending="each counts as a play of its arm, with the arm's mean as its loss; an arm without "
        "losses gets its fair share",
    )
    kernels = Kernels(init, select, update)
    hold = race.hold

    def __post_init__(self) -> None:
        require_whole("batches", self.batches, at_least=2, at_most=MOST_BATCHES)
        require_finite("pooling", self.pooling, above=0.0)
        require_finite("null_weight", self.null_weight, above=0.0, or_equal=True)
        require_finite("exploration", self.exploration, above=0.0)
        self.check_race()

    @classmethod
    def variants(cls) -> list[Policy]:
        """The default, a few batches, and with a known range."""
        return [cls(), cls(batches=5), cls(low=0.0, high=1.0)]

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        low, high = self.loss_range
        return Parameters(
            growth_steps=growth_steps(int(self.batches), capacity),
            batches=int(self.batches),
            pooling=float(self.pooling),
            null_weight=float(self.null_weight),
            exploration=float(self.exploration),
            patience=float(self.patience),
            recheck=float(self.recheck),
            low=low,
            high=high,
        )

    def join(self, first: State, second: State, sizes: tuple[int, int], start: Start) -> Any:
        """See `Policy.join`; arms with fewer batches get empty ones."""
        target = super().join(first, second, sizes, start)
        join_batches(target.batches, first.batches, second.batches, sizes)
        return target

    def merge(self, first: State, second: State) -> State:
        """Batches are joined, large ones with small ones; moments add up."""
        yardstick = merged_yardstick(first.yardstick, second.yardstick)
        one, two = (measured_by(yardstick, state) for state in (first, second))
        n_arms = len(one.stakes)
        return State(
            race=merged_race(one.race, two.race),
            yardstick=yardstick,
            batches=merged_evenly(one.batches, two.batches),
            deviations=merged_deviations((one.race, two.race), (one.deviations, two.deviations)),
            stakes=np.zeros(n_arms),
            pool=np.zeros(2),
        )


def measured_by(yardstick: Yardstick, state: State) -> State:
    """The sums of a state, measured by another yardstick."""
    shift, factor = translation(yardstick, state.yardstick)
    batches = state.batches._replace(rows=state.batches.rows.copy())
    batches.sums[:] = shift * batches.counts + factor * batches.sums
    return state._replace(
        race=measured_race(state.race, shift, factor),
        yardstick=yardstick,
        batches=batches,
        deviations=measured_deviations(state.deviations, factor),
    )
