"""The lowest of many indices, with ties broken uniformly at random or by the first arm.

With few arms a plain scan is fastest. With many, a tournament tree keeps for each group of four
the lowest index below it and how many arms share it, so that a change costs O(log K), and so does
picking one of the tied arms uniformly: the same arm that the scan would pick. The eight numbers of
a group fill one line of the processor's cache; fetching those lines is what such a tree costs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lowbid._kernel import allocating_kernel, kernel
from lowbid._random import Stream, integer

if TYPE_CHECKING:  # _base imports _arms, and that imports this module
    from lowbid.policies._base import Floats, Ints

# Measured: below this many arms the scan wins, above it the tree.
_SCAN_AT_MOST = 96


class Ranking(NamedTuple):
    """Indices of all arms, ready to give the lowest.

    Attributes
    ----------
    indices
        The arms' indices; with a tree, filled up to whole groups of four with NaN, which is
        neither lower than an index nor equal to one.
    groups
        The tree, from the groups just above the arms to the top one, (group, 8): for four children
        their lowest indices, then how many arms below each share it. Empty with a scan.
    levels
        Where each level of the tree begins in `groups`, and where the last one ends.
    """

    indices: Floats
    groups: Floats
    levels: Ints


@allocating_kernel
def ranking_of(n_arms: int) -> Ranking:
    """Make a ranking in which every arm has index 0."""
    if n_arms <= _SCAN_AT_MOST:
        return Ranking(np.zeros(n_arms), np.zeros((0, 8)), np.zeros(1, np.int64))
    padded = 4 * _quarter(n_arms)
    levels = np.zeros(32, np.int64)
    height = 0
    children = padded // 4
    while children > 1:
        height += 1
        levels[height] = levels[height - 1] + _quarter(children)
        children = _quarter(children)
    groups = np.full((levels[height], 8), math.inf)
    groups[:, 4:] = 0.0
    ranking = Ranking(np.full(padded, math.nan), groups, levels[: height + 1].copy())
    ranking.indices[:n_arms] = 0.0
    rebuild(ranking)
    return ranking


@allocating_kernel
def unplayed_ranking_of(n_arms: int) -> Ranking:
    """Make a ranking in which every arm has index minus infinity."""
    ranking = ranking_of(n_arms)
    for arm in range(n_arms):
        place_unsorted(ranking, arm, -math.inf)
    rebuild(ranking)
    return ranking


@kernel
def _quarter(children: int) -> int:
    """How many groups of four hold so many children."""
    return (children + 3) // 4


@kernel
def _arms_group(ranking: Ranking, group: int) -> tuple[float, float]:
    """The lowest index of four neighbouring arms, and how many share it."""
    first = 4 * group
    lowest = math.inf
    for arm in range(first, first + 4):
        lowest = ranking.indices[arm] if ranking.indices[arm] < lowest else lowest
    tied = 0.0
    for arm in range(first, first + 4):
        tied += 1.0 if ranking.indices[arm] == lowest else 0.0
    return lowest, tied


@kernel
def _tree_group(ranking: Ranking, group: int) -> tuple[float, float]:
    """The lowest index below a group of the tree, and how many arms share it."""
    groups = ranking.groups
    lowest = min(min(groups[group, 0], groups[group, 1]), min(groups[group, 2], groups[group, 3]))
    tied = 0.0
    for child in range(4):
        tied += groups[group, 4 + child] if groups[group, child] == lowest else 0.0
    return lowest, tied


@kernel
def rebuild(ranking: Ranking) -> None:
    """Bring the tree up to date after indices were written with `place_unsorted`."""
    groups, levels = ranking.groups, ranking.levels
    if len(groups) == 0:
        return
    for child in range(len(ranking.indices) // 4):
        lowest, tied = _arms_group(ranking, child)
        groups[child // 4, child % 4] = lowest
        groups[child // 4, 4 + child % 4] = tied
    for level in range(1, len(levels) - 1):
        for child in range(levels[level] - levels[level - 1]):
            lowest, tied = _tree_group(ranking, levels[level - 1] + child)
            groups[levels[level] + child // 4, child % 4] = lowest
            groups[levels[level] + child // 4, 4 + child % 4] = tied


@kernel
def index_of(ranking: Ranking, arm: int) -> float:
    """The index of an arm."""
    return ranking.indices[arm]


@kernel
def place_unsorted(ranking: Ranking, arm: int, index: float) -> None:
    """Write an arm's index; call `rebuild` when all are written."""
    ranking.indices[arm] = index


@kernel
def place(ranking: Ranking, arm: int, index: float) -> None:
    """Set the index of one arm."""
    ranking.indices[arm] = index
    if len(ranking.groups) == 0:
        return
    child = arm // 4
    lowest, tied = _arms_group(ranking, child)
    for level in range(len(ranking.levels) - 1):
        group, slot = ranking.levels[level] + child // 4, child % 4
        if ranking.groups[group, slot] == lowest and ranking.groups[group, 4 + slot] == tied:
            return
        ranking.groups[group, slot] = lowest
        ranking.groups[group, 4 + slot] = tied
        lowest, tied = _tree_group(ranking, group)
        child //= 4


@kernel
def lowest_arm(ranking: Ranking, random_ties: bool, stream: Stream) -> int:
    """The arm of lowest index."""
    if len(ranking.groups) == 0:
        return argmin(ranking.indices, random_ties, stream)
    groups, levels = ranking.groups, ranking.levels
    lowest, tied = _tree_group(ranking, len(groups) - 1)
    rank = 0.0
    if random_ties and tied > 1.0:
        rank = float(integer(stream, int(tied)))
    child = 0
    for level in range(len(levels) - 2, -1, -1):
        group = levels[level] + child
        slot = 0
        while groups[group, slot] != lowest or rank >= groups[group, 4 + slot]:
            rank -= groups[group, 4 + slot] if groups[group, slot] == lowest else 0.0
            slot += 1
        child = 4 * child + slot
    arm = 4 * child
    while ranking.indices[arm] != lowest or rank > 0.0:
        rank -= 1.0 if ranking.indices[arm] == lowest else 0.0
        arm += 1
    return arm


@kernel
def argmin(index: Floats, random_ties: bool, stream: Stream) -> int:
    """The place of the lowest number in an array."""
    lowest = index[0]
    arm = 0
    tied = 1
    for other in range(1, len(index)):
        if index[other] < lowest:
            lowest = index[other]
            arm = other
            tied = 1
        elif index[other] == lowest:
            tied += 1
    if tied == 1 or not random_ties:
        return arm
    rank = integer(stream, tied)
    while rank > 0:
        arm += 1
        if index[arm] == lowest:
            rank -= 1
    return arm
