"""Moment IMED: evidence from the mean, the variance and the skewness of an arm's losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid.policies._base import About, Kernels, Policy, require_finite
from lowbid.policies._deviations import (
    Deviations,
    add_deviation,
    deviations_of,
    measured_deviations,
    merged_deviations,
)
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
    SEEN,
    Yardstick,
    are_alike,
    evidence_if_alike,
    measured,
    merged_yardstick,
    reach_below,
    translation,
    yardstick_of,
)

# Below this part of the way down, the divergence is computed by its first two terms.
_SMALL = 1e-4
# The variance may fall at most nearly as steeply towards the lower end as the square does.
_STEEPEST = -0.95


class Parameters(NamedTuple):
    """The parameters that the kernels read."""

    pooling: float
    freedom: float
    margin: float
    patience: float
    recheck: float
    low: float
    high: float  # infinite if the range of the losses is not known


class State(NamedTuple):
    """The moments of each arm's losses, by a common yardstick."""

    race: Race
    yardstick: Yardstick
    deviations: Deviations
    pool: Floats  # (2,): the mean squared and the mean cubed deviation of all arms


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> State:
    """Before the first loss."""
    return State(
        race=race_of(n_arms),
        yardstick=yardstick_of(parameters.low, parameters.high),
        deviations=deviations_of(n_arms),
        pool=np.zeros(2),
    )


@kernel
def survey(parameters: Parameters, state: State) -> None:
    """Pool the deviations of all arms, each from its own mean."""
    squares = cubes = weight = 0.0
    for arm in range(len(state.race.counts)):
        squares += state.deviations.squares[arm]
        cubes += state.deviations.cubes[arm]
        weight += max(state.race.counts[arm] - 1.0, 0.0)
    weight = max(weight, 1.0)
    state.pool[0] = squares / weight
    state.pool[1] = cubes / weight


@kernel
def evidence(parameters: Parameters, state: State, arm: int, gap: float) -> float:
    """The evidence against an arm whose mean lies by `gap` above the leader's."""
    n, plays = state.race.counts[arm], plays_of(state.race, arm)
    mean = mean_of(state.race, arm)
    if are_alike(state.deviations.squares[arm], n, parameters.high):
        return plays * evidence_if_alike(state.yardstick, mean, gap)
    w = max(reach_below(state.yardstick, mean, parameters.margin), gap)
    x = min(gap / w, 1.0 - 1.0 / (state.yardstick[SEEN] + 2.0))
    squares = state.deviations.squares[arm] + parameters.pooling * state.pool[0]
    if squares <= 0.0:
        return math.inf
    cubes = state.deviations.cubes[arm] + parameters.pooling * state.pool[1]
    variance = squares / (n - 1.0 + parameters.pooling)
    slope = cubes / squares * n / (n - 1.5)
    r = max(min(1.0 - slope * w / variance, w * w / variance), _STEEPEST)
    information = plays * w * w / variance * divergence(x, r)
    freedom = n - 1.0 + parameters.freedom
    return 0.5 * freedom * math.log1p(2.0 * information / freedom)


@kernel
def divergence(x: float, r: float) -> float:
    """The integral of u / ((1 - u)(1 + r u)) over u from 0 to x."""
    if x < _SMALL:
        return x * x * (0.5 + x * (1.0 - r) / 3.0)
    rest = math.log1p(r * x) / r if abs(r) > _SMALL * _SMALL else x - 0.5 * r * x * x
    return (-math.log1p(-x) - rest) / (1.0 + r)


race = race_by(evidence, survey)
count_loss = race.count_loss


@kernel
def update(
    parameters: Parameters, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Update the arm's moments."""
    x = measured(state.yardstick, loss)
    add_deviation(state.deviations, arm, state.race.counts[arm], state.race.sums[arm], x)
    count_loss(parameters, state, arm, x)


@dataclass(frozen=True)
class MomentIMED(RacePolicy):
    r"""IMED with a divergence that is fitted to the first three moments of an arm's losses.

    It needs no prior knowledge of the losses: no family, scale, location, range or horizon. It was
    found by experiment; nothing is proved about it.

    The leader is the arm with the lowest mean. Take an arm with n losses of mean m, d above the
    leader's mean. If its losses came from a family of distributions with one parameter, the mean,
    such as Bernoulli, Poisson, gamma or Gaussian distributions, with variance V(s) at the mean m -
    s, then the divergence of the arm's distribution from the one with the leader's mean would be

    .. math:: D = \int_0^d \frac{s}{V(s)} ds, \qquad
       V(s) = \Bigl(1 - \frac{s}{w}\Bigr) \Bigl(v + r \frac{v}{w} s\Bigr).

    Here v is the variance of the arm's losses; w is the distance from m to the lowest possible
    loss, at which the variance vanishes; and r gives V the slope at m that it has in such a family,
    the third cumulant over the variance, g: :math:`r = 1 - g w / v`. The families whose variance is
    quadratic in the mean are the six of Morris [2]_. With x = d / w the integral is

    .. math:: D = \frac{w^2}{v} \cdot \frac{-\log(1 - x) - \log(1 + r x) / r}{1 + r}.

    Since v is an estimate, the evidence against the arm is not n D but its form for an unknown
    variance [3]_ with f = n - 1 + e degrees of freedom,

    .. math:: E = \frac f2 \log\Bigl(1 + \frac{2 n D}{f}\Bigr),

    and the arm's index is :math:`n (1 + \kappa (e^E - 1))`: the number of plays of the leader at
    which the arm is due. The arm with the lowest index is played; the leader's index is its own
    number of plays. With κ = 1 and E = n D this is IMED [1]_. Every arm is played twice first.

    Estimates: v and g are those of the arm's losses together with c losses that spread like those
    of all arms, each around its arm's mean. The lower end is the lowest loss of all arms, less M
    times its distance from the second lowest; if the range of the losses is declared, it is the
    declared one. Losses are clipped: from the third on, a single loss may not widen the range of
    the losses seen by more than its width, so that one gross error does little harm.

    With a declared range, an arm whose losses were all alike is not given up: its losses could have
    two values, that one and the best possible loss, so the evidence against it is
    :math:`-n \log(1 - x)`.

    Parameters
    ----------
    pooling : float
        c. A larger one is safer while an arm has few losses, and worse where arms differ in spread.
    freedom : float
        e. A smaller one is safer against a variance that is too small by chance, and explores more.
    margin : float
        M. A larger one is safer where losses below all previous ones are to be expected.
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
    >>> result = lowbid.simulate(lowbid.MomentIMED(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    4.7

    References
    ----------
    .. [1] J. Honda, A. Takemura (2015). Non-asymptotic analysis of a new bandit algorithm for
       semi-bounded rewards. JMLR 16.
    .. [2] C. N. Morris (1982). Natural exponential families with quadratic variance functions.
       Annals of Statistics 10(1).
    .. [3] W. Cowan, J. Honda, M. N. Katehakis (2018). Normal bandits of unknown means and
       variances. JMLR 18.
    """

    pooling: float = 6.0
    freedom: float = 2.0
    margin: float = 5.0
    patience: float = 4.0
    recheck: float = 0.01
    low: float | None = None
    high: float | None = None

    about = About(
        family="index",
        needs="nothing",
        time="log K, occasionally K",
        memory="K",
        guarantee="none published",
        cite="honda2015non,morris1982natural,cowan2018normal",
        pending="each counts as a play of its arm, with the arm's mean as its loss",
    )
    kernels = Kernels(init, race.select, update)
    hold = race.hold

    def __post_init__(self) -> None:
        require_finite("pooling", self.pooling, above=0.0)
        require_finite("freedom", self.freedom, above=0.0)
        require_finite("margin", self.margin, above=0.0, or_equal=True)
        self.check_race()

    @classmethod
    def variants(cls) -> list[Policy]:
        """The default, the rule without shortcuts, and with a known range."""
        return [cls(), cls(recheck=0.0), cls(low=0.0, high=1.0)]

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        low, high = self.loss_range
        return Parameters(
            pooling=float(self.pooling),
            freedom=float(self.freedom),
            margin=float(self.margin),
            patience=float(self.patience),
            recheck=float(self.recheck),
            low=low,
            high=high,
        )

    def merge(self, first: State, second: State) -> State:
        """Moments add up, with a term for the difference of the means."""
        yardstick = merged_yardstick(first.yardstick, second.yardstick)
        one, two = (measured_by(yardstick, state) for state in (first, second))
        return State(
            race=merged_race(one.race, two.race),
            yardstick=yardstick,
            deviations=merged_deviations((one.race, two.race), (one.deviations, two.deviations)),
            pool=np.zeros(2),
        )


def measured_by(yardstick: Yardstick, state: State) -> State:
    """The moments of a state, measured by another yardstick."""
    shift, factor = translation(yardstick, state.yardstick)
    return state._replace(
        race=measured_race(state.race, shift, factor),
        yardstick=yardstick,
        deviations=measured_deviations(state.deviations, factor),
    )
