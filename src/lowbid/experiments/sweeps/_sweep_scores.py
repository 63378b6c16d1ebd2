"""How far each policy is from the best, over the same places of a sweep, with intervals."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid.experiments.sweeps._cell import Place
from lowbid.experiments.sweeps._tidy import Row

_RESAMPLES, _SEED = 2_000, 0
_ENDS = (0.025, 0.975)
# Ratios to a regret of zero would be infinite.
_SMALLEST_REGRET = 1e-12

Ratios = dict[Place, dict[str, float]]


class Part(NamedTuple):
    """A figure with its 95% interval from resampling environments."""

    value: float
    low: float
    high: float


class SweepScore(NamedTuple):
    """The performance of a policy.

    Attributes
    ----------
    name : str
        The policy.
    mean : Part
        The geometric mean, over places, of its mean regret relative to the lowest.
    worst : Part
        The largest of these ratios.
    worst_at : Place
        The place of that ratio.
    stuck : Part
        The share of runs that settle on a suboptimal arm, where arms are fixed; NaN if there are
        none.
    places : int
        The number of places.
    """

    name: str
    mean: Part
    worst: Part
    worst_at: Place
    stuck: Part
    places: int


class Ranking(NamedTuple):
    """Policies compared at the same places.

    Attributes
    ----------
    limited : tuple of str
        The policies that play at these places only; empty if these are all places.
    table : Ratios
        The mean regrets of all policies at these places.
    scores : list of SweepScore
        The scores of those that play at all these places, best first.
    """

    limited: tuple[str, ...]
    table: Ratios
    scores: list[SweepScore]


def regrets(rows: Iterable[Row], wanted: Mapping[Place, Collection[str]]) -> Ratios:
    """The mean regret of every policy at the places where all are finished."""
    found: Ratios = {}
    for row in rows:
        if row.policy in wanted.get(row.place, ()):
            found.setdefault(row.place, {})[row.policy] = row.figures.mean
    return {place: row for place, row in found.items() if set(row) == set(wanted[place])}


def ratios_of(table: Ratios) -> Ratios:
    """Every regret relative to the lowest one at its place."""
    best = {place: min(row.values()) for place, row in table.items()}
    return {
        place: {name: ratio_to(value, best[place]) for name, value in row.items()}
        for place, row in table.items()
    }


def ratio_to(value: float, best: float) -> float:
    """A regret relative to the lowest one; 1 for the best, even if that is zero."""
    return max(value, _SMALLEST_REGRET) / max(best, _SMALLEST_REGRET)


def geometric_mean(ratios: Iterable[float]) -> float:
    """The geometric mean."""
    return math.exp(float(np.mean(np.log(list(ratios)))))


def rankings(rows: Sequence[Row], table: Ratios) -> list[Ranking]:
    """The policies that play everywhere, ranked over all places, and the others over fewer.

    A score over some of the places cannot be compared with one over all of them: ratios grow with
    the horizon, and differ between environments. So policies that are limited to the same places
    get a ranking over these, along with all others that play there.
    """
    where: dict[str, list[Place]] = {}
    for place, found in table.items():
        for name in found:
            where.setdefault(name, []).append(place)
    limited: dict[tuple[Place, ...], list[str]] = {tuple(table): []}
    for name, own in where.items():
        limited.setdefault(tuple(own), []).append(name)
    made = []
    for places, names in limited.items():
        there = {place: table[place] for place in places}
        playing = [name for name, own in where.items() if set(places) <= set(own)]
        few = len(places) < len(table)
        made.append(Ranking(tuple(names) if few else (), there, sweep_scores(rows, there, playing)))
    return [ranking for ranking in made if ranking.scores]


def sweep_scores(rows: Sequence[Row], table: Ratios, names: Collection[str]) -> list[SweepScore]:
    """The scores of some policies over the places of a table, best first.

    The intervals show how much the score depends on the choice of environments: these are resampled
    with replacement, each with all its steps and seeds.
    """
    own: dict[str, dict[Place, float]] = {}
    chosen = set(names)
    for place, found in ratios_of(table).items():
        for name, ratio in found.items():
            if name in chosen:
                own.setdefault(name, {})[place] = ratio
    rows_of: dict[str, list[Row]] = {name: [] for name in own}
    for row in rows:
        if row.policy in own and row.place in own[row.policy]:
            rows_of[row.policy].append(row)
    scores = [_score(name, rows_of[name], own[name]) for name in own]
    return sorted(scores, key=lambda score: score.mean.value)


def _score(name: str, rows: Sequence[Row], own: Mapping[Place, float]) -> SweepScore:
    """The score of a policy from its rows and its ratios, both at the places that count."""
    ratios: dict[str, list[float]] = {}
    for place, ratio in own.items():
        ratios.setdefault(place.environment, []).append(ratio)
    ended = dict.fromkeys(ratios, (0.0, 0.0))
    for row in rows:
        if row.figures.stuck is not None:
            stuck, runs = ended[row.place.environment]
            more = row.figures.runs
            ended[row.place.environment] = (stuck + row.figures.stuck * more, runs + more)
    worst_at = max(own, key=lambda place: own[place])
    return SweepScore(
        name, mean_over(ratios), worst_over(ratios), worst_at, share_over(ended), len(own)
    )


def mean_over(ratios: Mapping[str, Sequence[float]]) -> Part:
    """The geometric mean of ratios, given by environment."""
    sums = np.array([(np.log(each).sum(), len(each)) for each in ratios.values()])
    drawn = sums[_resamples(len(ratios))].sum(axis=1)
    every = [ratio for each in ratios.values() for ratio in each]
    return _part(geometric_mean(every), np.exp(drawn[:, 0] / drawn[:, 1]))


def worst_over(ratios: Mapping[str, Sequence[float]]) -> Part:
    """The largest of ratios, given by environment."""
    largest = np.array([max(each) for each in ratios.values()])
    return _part(float(largest.max()), largest[_resamples(len(ratios))].max(axis=1))


def share_over(ended: Mapping[str, tuple[float, float]]) -> Part:
    """The share of stuck runs, from their number and that of all runs, given by environment."""
    runs = np.array(list(ended.values()))
    drawn = runs[_resamples(len(ended))].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):  # no environment with given arms
        share = float(runs[:, 0].sum() / runs[:, 1].sum())
        return _part(share, drawn[:, 0] / drawn[:, 1])


@functools.lru_cache(maxsize=4)
def _resamples(number: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    if number < 2:  # one environment says nothing about how much others would differ
        return np.zeros((0, number), np.int64)
    rng = np.random.default_rng(_SEED)
    return rng.integers(number, size=(_RESAMPLES, number))


def _part(value: float, resampled: Floats) -> Part:
    known = resampled[np.isfinite(resampled)]
    if math.isnan(value) or not len(known):
        return Part(value, math.nan, math.nan)
    low, high = np.quantile(known, _ENDS).tolist()
    return Part(value, low, high)
