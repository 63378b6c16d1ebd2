"""The lowest of many indices, with ties broken uniformly at random or by the first arm.

With few arms a plain scan is fastest. With many, a tournament tree keeps for each group the lowest
index below it and how many arms share it, so that a change costs O(log K), and so does picking one
of the tied arms uniformly: the same arm that the scan would pick. Most of the cost of such a tree
is fetching memory, so a leaf is eight arms, whose indices fill one line of the processor's cache,
and a group above them has four children, with two numbers for each; lines are fetched a level
ahead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, fetch, kernel, use_huge_pages
from lowbid._random import Stream, integer
from lowbid.policies._limits import Limit, Limits, Sizes, exactly, one_of
from lowbid.policies._scan import first_lowest, lower, next_lowest

# Measured: below this many arms the scan wins, above it the tree.
_SCAN_AT_MOST = 96
_LEAF = 8  # arms


class Ranking(NamedTuple):
    """The indices of all arms, organised to find the lowest.

    Attributes
    ----------
    indices
        The arms' indices; with a tree, filled up to whole leaves with NaN, which is neither lower
        than an index nor equal to one.
    groups
        The tree, from the groups just above the leaves to the top one, (group, 8): the lowest
        indices of four children, then how many arms below each share it. Empty with a scan.
    levels
        Where each level of the tree begins in `groups`, and where the last one ends.
    winner
        The only arm of lowest index, if it is known, or -1: most losses change no index.
    """

    indices: Floats
    groups: Floats
    levels: Ints
    winner: Ints

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        fresh = ranking_of(sizes.n_arms)
        yield "levels", exactly(fresh.levels, "where the levels of a tree of this size begin")
        beyond = np.arange(len(self.indices)) >= sizes.n_arms
        yield "indices", Limit("NaN behind the last arm only", lambda x: np.isnan(x) == beyond)
        fresh.indices[:] = self.indices
        rebuild(fresh)
        yield "groups", exactly(fresh.groups, "the lowest indices below each group of the tree")
        lowest = np.flatnonzero(self.indices == np.nanmin(self.indices))
        yield "winner", one_of(-1, lowest[0] if len(lowest) == 1 else -1)


@allocating_kernel
def ranking_of(n_arms: int) -> Ranking:
    """Make a ranking in which every arm has index 0."""
    if n_arms <= _SCAN_AT_MOST:
        scan = np.zeros((0, 8))
        return Ranking(np.zeros(n_arms), scan, np.zeros(1, np.int64), np.full(1, -1, np.int64))
    padded = _LEAF * ((n_arms + _LEAF - 1) // _LEAF)
    levels = np.zeros(32, np.int64)
    height = 0
    children = padded // _LEAF
    while children > 1:
        height += 1
        levels[height] = levels[height - 1] + _quarter(children)
        children = _quarter(children)
    groups = np.full((levels[height], 8), math.inf)
    groups[:, 4:] = 0.0
    indices = np.empty(padded)
    use_huge_pages(indices)
    indices[:n_arms] = 0.0
    indices[n_arms:] = math.nan
    ranking = Ranking(indices, groups, levels[: height + 1].copy(), np.full(1, -1, np.int64))
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
    """The number of groups of four that hold this many children."""
    return (children + 3) // 4


@kernel
def _leaf(ranking: Ranking, leaf: int) -> tuple[float, float]:
    """The lowest index of a leaf, and how many arms share it."""
    indices, first = ranking.indices, _LEAF * leaf
    left = lower(
        lower(lower(math.inf, indices[first]), indices[first + 1]),
        lower(lower(math.inf, indices[first + 2]), indices[first + 3]),
    )
    right = lower(
        lower(lower(math.inf, indices[first + 4]), indices[first + 5]),
        lower(lower(math.inf, indices[first + 6]), indices[first + 7]),
    )
    lowest = lower(left, right)
    tied = 0
    for arm in range(first, first + _LEAF):
        tied += int(indices[arm] == lowest)
    return lowest, float(tied)


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
    """Update the tree after indices were written with `place_unsorted`."""
    groups, levels = ranking.groups, ranking.levels
    ranking.winner[0] = -1
    if not has_tree(ranking):
        return
    for child in range(len(ranking.indices) // _LEAF):
        lowest, tied = _leaf(ranking, child)
        groups[child // 4, child % 4] = lowest
        groups[child // 4, 4 + child % 4] = tied
    for level in range(1, len(levels) - 1):
        for child in range(levels[level] - levels[level - 1]):
            lowest, tied = _tree_group(ranking, levels[level - 1] + child)
            groups[levels[level] + child // 4, child % 4] = lowest
            groups[levels[level] + child // 4, 4 + child % 4] = tied


@kernel
def has_tree(ranking: Ranking) -> bool:
    """Whether there are too many arms for a quick scan."""
    return len(ranking.groups) > 0


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
    ranking.winner[0] = -1
    if has_tree(ranking):
        _climb(ranking, arm)


@kernel
def _climb(ranking: Ranking, arm: int) -> None:
    """Update the tree above an arm."""
    groups, levels = ranking.groups, ranking.levels
    child = arm // _LEAF
    lowest, tied = _leaf(ranking, child)
    level = 0
    while level < len(levels) - 1 and groups[levels[level] + child // 4, child % 4] != lowest:
        group, slot = levels[level] + child // 4, child % 4
        groups[group, slot] = lowest
        groups[group, 4 + slot] = tied
        lowest, tied = _tree_group(ranking, group)
        child //= 4
        level += 1
    if level == len(levels) - 1:
        return
    # From here on no lowest index changes, only how many arms share it.
    more = tied - groups[levels[level] + child // 4, 4 + child % 4]
    while level < len(levels) - 1 and groups[levels[level] + child // 4, child % 4] == lowest:
        groups[levels[level] + child // 4, 4 + child % 4] += more
        child //= 4
        level += 1


@kernel
def lowest_arm(ranking: Ranking, random_ties: bool, stream: Stream) -> int:
    """The arm with the lowest index."""
    if ranking.winner[0] >= 0:
        return ranking.winner[0]
    if has_tree(ranking):
        return _descend(ranking, random_ties, stream)
    arm, tied = first_lowest(ranking.indices)
    if tied == 1:
        ranking.winner[0] = arm
    elif random_ties and tied > 1:
        arm = next_lowest(ranking.indices, arm, integer(stream, tied))
    return arm


@kernel
def _descend(ranking: Ranking, random_ties: bool, stream: Stream) -> int:
    """The arm with the lowest index, found from the top of the tree.

    It has no branches that depend on the indices: processors mispredict those, and with many tied
    arms that would cost more than everything else.
    """
    groups, levels = ranking.groups, ranking.levels
    lowest, tied = _tree_group(ranking, len(groups) - 1)
    if tied == 0.0:  # no index is a number
        return 0
    rank = 0.0
    if random_ties and tied > 1.0:
        rank = float(integer(stream, int(tied)))
    child = 0
    for level in range(len(levels) - 2, -1, -1):
        _fetch_below(ranking, level, child)
        group = levels[level] + child
        first = groups[group, 4] if groups[group, 0] == lowest else 0.0
        second = first + (groups[group, 5] if groups[group, 1] == lowest else 0.0)
        third = second + (groups[group, 6] if groups[group, 2] == lowest else 0.0)
        slot, before = _slot(rank, first, second, third)
        rank -= before
        child = 4 * child + slot
    arm = first_arm = _LEAF * child
    seen = 0
    for other in range(first_arm, first_arm + _LEAF - 1):
        seen += int(ranking.indices[other] == lowest)
        arm += int(seen <= int(rank))
    if tied == 1.0:
        ranking.winner[0] = arm
    return arm


@kernel
def _fetch_below(ranking: Ranking, level: int, group: int) -> None:
    """Prefetch the four children of a group while the group itself is examined."""
    for child in range(4 * group, 4 * group + 4):
        if level > 0:
            fetch(ranking.groups, 8 * (ranking.levels[level - 1] + child))
        else:
            fetch(ranking.indices, _LEAF * child)


@kernel
def _slot(rank: float, first: float, second: float, third: float) -> tuple[int, float]:
    """Which of four children holds the arm of this rank, and how many ranks come before it.

    The first child holds ranks below `first`, the first two those below `second`, and so on.
    """
    slot = int(rank >= first) + int(rank >= second) + int(rank >= third)
    before = first if rank >= first else 0.0
    before = second if rank >= second else before
    before = third if rank >= third else before
    return slot, before
