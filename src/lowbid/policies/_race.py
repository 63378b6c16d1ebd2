r"""A race: the arm with the lowest mean leads, and is played until another one is due.

The common part of rules that measure the *evidence* E that an arm is worse than the leader, in
natural logarithms. An arm with n plays and evidence E is due when the leader has

.. math:: n (1 + \kappa (e^E - 1))

plays, and that is its index; the leader's own is its number of plays. The arm with the lowest index
is played, ties broken uniformly at random. With κ = 1 this is IMED [1]_, whose index n D + log n is
the logarithm of n e^E for E = n D; a larger κ lets the arm wait longer by a constant factor.

Each arm is first played twice, in rounds of random order. Indices are computed for all arms when
the leader changes; for those that are nearly due when the leader's number of plays has grown by one
per cent (`recheck`); and for an arm that was played. So most plays of the leader cost next to
nothing, even with many arms.

Pending decisions count as plays whose loss is the arm's mean: a burst of decisions spreads as it
would if every loss were average. While an arm has pending decisions but fewer than two losses, it
has its turn after K - 1 plays of the leader, so that it gets no more than its fair share.

References
----------
.. [1] J. Honda, A. Takemura (2015). Non-asymptotic analysis of a new bandit algorithm for
   semi-bounded rewards. JMLR 16.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid.policies._base import Policy, copy_of, require_finite
from lowbid.policies._limits import Limits, Sizes, whole
from lowbid.policies._ranking import (
    Ranking,
    lowest_arm,
    place,
    place_unsorted,
    ranking_of,
    rebuild,
)
from lowbid.policies._yardstick import require_ends

# Indices of arms that still have their first plays to come lie this far below all others.
_FIRST = 1e15

_FIRST_PLAYS = 2
# An arm that is due when the leader has `_FAR` times its plays, or later, sleeps: it is looked at
# again when the leader has been played for another half of its plays.
_FAR, _SLEEP = 4.0, 1.5

# What the templates below are bound to: a policy's measure of the evidence against an arm, and what
# it computes of all arms before it weighs them.
evidence: Any = None
survey: Any = None


class Race(NamedTuple):
    """The state of a race.

    Attributes
    ----------
    counts, sums
        The number and the sum of each arm's losses.
    pending
        The number of pending decisions of each arm.
    ranking
        The arms by index.
    newcomers
        The number of arms whose first plays are still to come.
    leader
        The leading arm; -1 if there is none yet.
    until
        The leader is played until it has this many plays, without a look at the others.
    settled
        1 if all indices have been computed against this leader, else 0.
    asleep
        The number of plays that the leader must have before an arm is looked at again.
    """

    counts: Floats
    sums: Floats
    pending: Floats
    ranking: Ranking
    newcomers: Ints
    leader: Ints
    until: Floats
    settled: Ints
    asleep: Floats

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "counts", whole(0, sizes.steps)
        yield "pending", whole(0, sizes.steps)
        yield "newcomers", whole(0, sizes.n_arms)
        yield "leader", whole(-1, sizes.n_arms - 1)
        yield "settled", whole(0, 1)

    def renumber(self, before: Race, arms: Sequence[int]) -> None:
        """Continue with other arms; the first plays of new ones are still to come."""
        number = {old: new for new, old in enumerate(arms) if old >= 0}
        self.leader[0] = number.get(int(before.leader[0]), -1)
        self.newcomers[0] = int((self.ranking.indices[: len(arms)] < 0.0).sum())
        if self.leader[0] < 0 or min(arms) < 0:
            self.until[0] = 0.0
            self.settled[0] = 0
            self.asleep[:] = 0.0


@allocating_kernel
def race_of(n_arms: int) -> Race:
    """Before the first play."""
    ranking = ranking_of(n_arms)
    for arm in range(n_arms):
        place_unsorted(ranking, arm, -float(_FIRST_PLAYS))
    rebuild(ranking)
    return Race(
        counts=np.zeros(n_arms),
        sums=np.zeros(n_arms),
        pending=np.zeros(n_arms),
        ranking=ranking,
        newcomers=np.full(1, n_arms, np.int64),
        leader=np.full(1, -1, np.int64),
        until=np.zeros(1),
        settled=np.zeros(1, np.int64),
        asleep=np.zeros(n_arms),
    )


@kernel
def plays_of(race: Race, arm: int) -> float:
    """How often an arm was played, including pending decisions."""
    return race.counts[arm] + race.pending[arm]


@kernel
def mean_of(race: Race, arm: int) -> float:
    """The mean loss of an arm that has losses."""
    return race.sums[arm] / race.counts[arm]


@kernel
def select(parameters: Any, state: Any, step: int, stream: Stream) -> int:
    """Play the leader, unless another arm is due."""
    race = state.race
    leader = race.leader[0]
    if leader >= 0 and plays_of(race, leader) < race.until[0]:
        return leader
    if race.newcomers[0] == 0 and race.settled[0] == 0:
        settle(parameters, state)
    arm = lowest_arm(race.ranking, True, stream)
    if race.newcomers[0] == 0 and arm == race.leader[0]:
        plays = plays_of(race, arm)
        race.until[0] = stay(race, plays + 1.0 + math.floor(parameters.recheck * plays))
        race.settled[0] = 0
    return arm


@kernel
def stay(race: Race, until: float) -> float:
    """How long the leader is played: not beyond the turn of an arm that waits for its losses."""
    for arm in range(len(race.counts)):
        if race.counts[arm] < _FIRST_PLAYS and race.pending[arm] > 0.0:
            until = min(until, race.ranking.indices[arm])
    return until


@kernel
def settle(parameters: Any, state: Any) -> None:
    """Find the leader, and compute every arm's index against it."""
    race = state.race
    best = best_arm(race)
    changed = best != race.leader[0]
    if changed:
        race.leader[0] = best
        race.asleep[:] = 0.0
    race.until[0] = 0.0
    race.settled[0] = 1
    survey(parameters, state)
    plays = plays_of(race, race.leader[0]) if race.leader[0] >= 0 else 0.0
    for arm in range(len(race.counts)):
        has_turn = race.counts[arm] < _FIRST_PLAYS and not changed
        if not has_turn and (race.asleep[arm] <= plays or arm == race.leader[0]):
            value = index(parameters, state, arm)
            place_unsorted(race.ranking, arm, value)
            race.asleep[arm] = _SLEEP * plays if value > _FAR * plays else 0.0
    rebuild(race.ranking)


@kernel
def best_arm(race: Race) -> int:
    """The arm with the lowest mean, then the most losses; -1 if none has enough losses."""
    best = -1
    for arm in range(len(race.counts)):
        if race.counts[arm] >= _FIRST_PLAYS and (best < 0 or leads(race, arm, best)):
            best = arm
    return best


@kernel
def leads(race: Race, arm: int, other: int) -> bool:
    """Whether an arm has a lower mean, or an equal one from more losses."""
    mean, best = mean_of(race, arm), mean_of(race, other)
    return mean < best or (mean == best and race.counts[arm] > race.counts[other])


@kernel
def index(parameters: Any, state: Any, arm: int) -> float:
    """The leader's number of plays at which an arm is due; negative before its first plays."""
    race = state.race
    plays = plays_of(race, arm)
    if plays < _FIRST_PLAYS:
        return plays - _FIRST_PLAYS
    leader = race.leader[0]
    if leader < 0 or arm == leader:
        return plays
    if race.counts[arm] < _FIRST_PLAYS:
        return plays_of(race, leader) + len(race.counts) - 1.0
    gap = mean_of(race, arm) - mean_of(race, leader)
    if gap <= 0.0:
        return plays
    against = evidence(parameters, state, arm, gap)
    return plays * (1.0 + parameters.patience * math.expm1(min(against, 600.0)))


@kernel
def count_loss(parameters: Any, state: Any, arm: int, x: float) -> None:
    """Count a loss of an arm, after the rest of the state was updated."""
    race = state.race
    before = plays_of(race, arm)
    race.counts[arm] += 1.0
    race.sums[arm] += x
    look_again(parameters, state, arm, before)


@kernel
def hold(parameters: Any, state: Any, arm: int, change: int) -> None:
    """Count decisions of an arm whose losses are not known yet."""
    race = state.race
    before = plays_of(race, arm)
    race.pending[arm] += change
    look_again(parameters, state, arm, before)


@kernel
def look_again(parameters: Any, state: Any, arm: int, before: float) -> None:
    """Bring the race up to date after an arm's plays or losses have changed."""
    race = state.race
    plays = plays_of(race, arm)
    race.newcomers[0] += int(plays < _FIRST_PLAYS) - int(before < _FIRST_PLAYS)
    leader = race.leader[0]
    if arm == leader and plays < race.until[0]:
        return
    place(race.ranking, arm, index(parameters, state, arm))
    enough = race.counts[arm] >= _FIRST_PLAYS
    if enough and (leader < 0 or arm == leader or leads(race, arm, leader)):
        race.until[0] = 0.0
        race.settled[0] = 0
    elif leader >= 0 and race.ranking.indices[arm] < plays_of(race, leader):
        race.until[0] = 0.0


def merged_race(first: Race, second: Race) -> Race:
    """Merge two races that measure losses alike; the result has no leader yet."""
    counts = first.counts + second.counts
    both: Race = race_of(len(counts))
    both.counts[:] = counts
    both.sums[:] = first.sums + second.sums
    both.pending[:] = first.pending + second.pending
    plays = both.counts + both.pending
    both.ranking.indices[: len(plays)] = np.where(plays < _FIRST_PLAYS, plays - _FIRST_PLAYS, plays)
    rebuild(both.ranking)
    both.newcomers[0] = int((plays < _FIRST_PLAYS).sum())
    return both


def measured_race(race: Race, shift: float, factor: float) -> Race:
    """A race in which a loss x is measured as shift + factor x."""
    return race._replace(sums=shift * race.counts + factor * race.sums)


class RaceKernels(NamedTuple):
    """The parts of a race that a policy's own kernels call, bound to its measure of evidence."""

    select: Any
    count_loss: Any
    hold: Any


def race_by(evidence: Any, survey: Any) -> RaceKernels:
    """A race by ``evidence(parameters, state, arm, gap)``, after ``survey(parameters, state)``."""
    weigh = specialise(index, evidence=evidence)
    look = specialise(look_again, index=weigh)
    return RaceKernels(
        select=specialise(select, settle=specialise(settle, index=weigh, survey=survey)),
        count_loss=specialise(count_loss, look_again=look),
        hold=specialise(hold, look_again=look),
    )


class RacePolicy(Policy):
    """Base class of policies that run a race on losses measured by a yardstick."""

    low: float | None
    high: float | None
    patience: float
    recheck: float

    index_unit: ClassVar[str] = "evidence"
    draws_for_ties_only: ClassVar[bool] = True

    def check_race(self) -> None:
        """Raise an error for invalid parameters of the race."""
        require_finite("patience", self.patience, above=0.0)
        require_finite("recheck", self.recheck, above=0.0, or_equal=True)
        require_ends(self.low, self.high)

    @property
    def scale_free(self) -> bool:
        """Losses are measured by what was seen, unless their range is declared."""
        return self.low is None

    @property
    def location_free(self) -> bool:
        """Losses are measured by what was seen, unless their range is declared."""
        return self.low is None

    @property
    def loss_range(self) -> tuple[float, float]:
        """The declared range."""
        if self.low is None or self.high is None:
            return -math.inf, math.inf
        return float(self.low), float(self.high)

    def for_range(self, low: float, high: float) -> Policy:
        """The rule with a known lowest loss."""
        known = self.low is not None
        return self if known else cast(Policy, replace(cast(Any, self), low=low, high=high))

    def indices(self, parameters: Any, state: Any, step: int) -> Floats:
        """For each arm, the number of plays of the leader at which it is due."""
        copy = copy_of(state)
        self.kernels.select(parameters, copy, step, np.zeros(1, np.uint64))
        return copy.race.ranking.indices[: len(copy.race.counts)]
