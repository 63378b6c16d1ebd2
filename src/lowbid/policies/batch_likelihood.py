"""Batch likelihood: every batch gives evidence, and the evidence is added up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid.policies._base import About, Kernels, Policy, require_finite, require_whole
from lowbid.policies._limits import Limits, Sizes, real
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
    measured,
    merged_yardstick,
    reach_below,
    translation,
    yardstick_of,
)
from lowbid.schedules import MOST_BATCHES

# Newton's method ends when a step changes the stake by less than this part of it. The evidence is
# at its maximum there, so it is off by the square of that only.
_CLOSE = 1e-3
_MOST_STEPS = 50
_FACTORS = 4  # multiplied before a logarithm is taken: few logarithms, and no overflow
# Batches that are no deeper than this below the level, measured by the gap, or at all, are not
# below it: the evidence would be beyond all others anyway.
_NOTHING, _TINY = 1e-60, 1e-300


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    batches: int
    pooling: float
    patience: float
    recheck: float
    low: float
    high: float  # infinite if the range of the losses is not known


class State(NamedTuple):
    """The sums of the arms' batches, by a common yardstick."""

    race: Race
    yardstick: Yardstick
    sums: Floats  # (arm, batch): loss number n of an arm goes to batch n mod l
    stakes: Floats  # (arm,): the last one found, as a part of the largest possible one
    squares: Floats  # (arm,): how the arm's batches scatter about its mean
    cubes: Floats  # (arm,)
    scattered: Floats  # (arm,): the number of losses for which these two were computed
    pool: Floats  # (2,): the variance and the third cumulant of a loss, over all arms

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "stakes", real(0.0, 1.0)


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Before the first loss."""
    return State(
        race=race_of(n_arms),
        yardstick=yardstick_of(parameters.low, parameters.high),
        sums=np.zeros((n_arms, parameters.batches)),
        stakes=np.zeros(n_arms),
        squares=np.zeros(n_arms),
        cubes=np.zeros(n_arms),
        scattered=np.zeros(n_arms),
        pool=np.zeros(2),
    )


@kernel
def used_batches(state: State, arm: int) -> int:
    """How many of an arm's batches have losses."""
    return min(int(state.race.counts[arm]), state.sums.shape[1])


@kernel
def above(state: State, arm: int, batch: int, level: float) -> float:
    """The sum of the losses in a batch, each above a level."""
    return state.sums[arm, batch] - size_of(state, arm, batch) * level


@kernel
def size_of(state: State, arm: int, batch: int) -> float:
    """How many losses are in a batch."""
    n, batches = int(state.race.counts[arm]), state.sums.shape[1]
    return float(n // batches + int(batch < n % batches))


@kernel
def scatter(state: State, arm: int) -> None:
    """Compute how an arm's batches scatter: sums of squares and of cubes, per loss in a batch."""
    if state.scattered[arm] == state.race.counts[arm]:
        return
    mean = mean_of(state.race, arm)
    squares = cubes = 0.0
    for batch in range(used_batches(state, arm)):
        off = above(state, arm, batch, mean)
        square = off * off / size_of(state, arm, batch)
        squares += square
        cubes += off * square
    state.squares[arm] = squares
    state.cubes[arm] = cubes
    state.scattered[arm] = state.race.counts[arm]


@kernel
def survey(parameters: Parameters, state: State) -> None:
    """Pool the scatter of all arms."""
    squares = cubes = weight = 0.0
    for arm in range(len(state.sums)):
        scatter(state, arm)
        squares += state.squares[arm]
        cubes += state.cubes[arm]
        weight += max(used_batches(state, arm) - 1.0, 0.0)
    weight = max(weight, 1.0)
    state.pool[0] = squares / weight
    state.pool[1] = cubes / weight


@kernel
def depth(parameters: Parameters, state: State, arm: int, level: float) -> float:
    """How far below the level another batch of the arm might be."""
    used = float(used_batches(state, arm))
    size = state.race.counts[arm] / used
    lowest = size * reach_below(state.yardstick, level, 0.0)
    scatter(state, arm)
    if state.squares[arm] <= used * ROUNDING and parameters.high < math.inf:
        return lowest
    squares = state.squares[arm] + parameters.pooling * state.pool[0]
    cubes = state.cubes[arm] + parameters.pooling * state.pool[1]
    if squares <= 0.0:
        return 0.0
    variance, skew = squares / (used - 1.0 + parameters.pooling), cubes / squares
    return min(lowest, 0.5 * (math.sqrt(skew * skew + 4.0 * variance * size) - skew))


@kernel
def evidence(parameters: Parameters, state: State, arm: int, gap: float) -> float:
    """The largest log-wealth from bets that the arm's mean is above the leader's."""
    level = mean_of(state.race, arm) - gap
    bottom = depth(parameters, state, arm, level)
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
    wealth = log_wealth(state, arm, level, bottom * unit, unit, stake)
    return max(wealth, 0.0) * plays_of(state.race, arm) / state.race.counts[arm]


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
count_loss = race.count_loss


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Deal the loss to one of the arm's batches."""
    x = measured(state.yardstick, loss)
    state.sums[arm, int(state.race.counts[arm]) % state.sums.shape[1]] += x
    count_loss(parameters, state, arm, x)


@dataclass(frozen=True)
class BatchLikelihood(RacePolicy):
    r"""Batch likelihood, a descendant of `BatchEnsemble` and the default policy of a `Bandit`.

    It needs to know nothing about the losses: no family, scale, location, range or horizon. It was
    found by experiment; nothing is proved about it.

    The losses of each arm are dealt round-robin into l batches. The leader is the arm with the
    lowest mean, u. Take an arm with a higher mean, with n losses in batches of sums S_j and sizes
    C_j. Someone who bets on each batch, with stake x, that the arm's mean is above u ends with the
    log-wealth

    .. math:: \sum_j \log(1 + x (S_j - C_j u)) + \log(1 - x B),

    where the last term is one more, lost bet: on a batch that is B below u, as low as a batch might
    be. The evidence E against the arm is the largest log-wealth over all stakes x. It is IMED's
    empirical divergence [1]_ of the batches' sums instead of single losses, so only l sums are
    kept per arm. Batch Ensemble [2]_ lets the lowest of them decide alone.

    The arm's index is :math:`n (1 + \kappa (e^E - 1))`: the number of plays of the leader at which
    the arm is due. The arm with the lowest index is played; the leader's index is its own number of
    plays. Every arm is played twice first.

    With b batches in use, B is the distance to the lower value of the two-valued distribution with
    the variance and the third cumulant of a batch of size n / b,

    .. math:: B = \tfrac12 \bigl(\sqrt{\rho^2 + 4 v n / b} - \rho\bigr).

    Here v is the variance of a single loss, and ρ its third cumulant over the variance; both are
    estimated from the arm's batches together with c batches that scatter like those of all arms.
    B is at most n / b times the distance of u from the lowest loss seen. Losses are clipped as in
    `MomentIMED`. If the range of the losses is declared, its lower end replaces the lowest loss
    seen, and B is that distance for an arm whose losses were all alike.

    Parameters
    ----------
    batches : int
        l. Fewer batches need less memory and have somewhat more regret.
    pooling : float
        c. A larger one is safer while an arm has few losses, and worse where arms differ in spread.
    patience : float
        κ. A larger one explores less: lower regret in most runs, but more runs that end on a wrong
        arm.
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
    """

    batches: int = 32
    pooling: float = 5.0
    patience: float = 8.0
    recheck: float = 0.01
    low: float | None = None
    high: float | None = None

    about = About(
        family="index",
        needs="nothing",
        time="l + log K, and K l now and then",
        memory="K l",
        guarantee="none published",
        cite="honda2015non,cassel2025batch",
        pending="each counts as a play of its arm, with the arm's mean as its loss",
    )
    kernels = Kernels(init, race.select, update)
    hold = race.hold

    def __post_init__(self) -> None:
        require_whole("batches", self.batches, at_least=2, at_most=MOST_BATCHES)
        require_finite("pooling", self.pooling, above=0.0)
        self.check_race()

    @classmethod
    def variants(cls) -> list[Policy]:
        """The default, a few batches, and with a known range."""
        return [cls(), cls(batches=5), cls(low=0.0, high=1.0)]

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        low, high = self.loss_range
        return Parameters(
            batches=int(self.batches),
            pooling=float(self.pooling),
            patience=float(self.patience),
            recheck=float(self.recheck),
            low=low,
            high=high,
        )

    def merge(self, first: State, second: State) -> State:
        """Batches are joined so that their sizes are as if all losses had been dealt together."""
        yardstick = merged_yardstick(first.yardstick, second.yardstick)
        one, two = (measured_by(yardstick, state) for state in (first, second))
        sums = one.sums.copy()
        for arm, n in enumerate(one.race.counts.astype(int)):
            sums[arm] += np.roll(two.sums[arm], n % sums.shape[1])
        empty = np.zeros(len(sums))
        return State(
            race=merged_race(one.race, two.race),
            yardstick=yardstick,
            sums=sums,
            stakes=empty.copy(),
            squares=empty.copy(),
            cubes=empty.copy(),
            scattered=empty.copy(),
            pool=np.zeros(2),
        )


def measured_by(yardstick: Yardstick, state: State) -> State:
    """The sums of a state, measured by another yardstick."""
    shift, factor = translation(yardstick, state.yardstick)
    arms, batches = state.sums.shape
    sizes = np.array([[size_of(state, arm, j) for j in range(batches)] for arm in range(arms)])
    return state._replace(
        race=measured_race(state.race, shift, factor),
        yardstick=yardstick,
        sums=shift * sizes + factor * state.sums,
    )
