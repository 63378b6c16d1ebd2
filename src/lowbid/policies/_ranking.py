"""The lowest of many indices, with ties broken uniformly at random or by the first arm.

With few arms a plain scan is fastest. With many, a tournament tree keeps at each node the
lowest index below it and how many arms share it, so that a change costs O(log K), and so does
picking one of the tied arms uniformly: the same arm that the scan would pick.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._kernel import allocating_kernel, kernel
from lowbid._random import Stream, integer
from lowbid.policies._base import Floats, Ints

# Measured: below this many arms the scan wins, above it the tree.
_SCAN_AT_MOST = 96


class Ranking(NamedTuple):
    """Indices of all arms, ready to give the lowest.

    Attributes
    ----------
    lowest
        With a scan, the arms' indices; with a tree, node i has the children 2i and 2i + 1, and
        the arms' indices are the leaves, in the second half.
    tied
        How many leaves below each node share its lowest index; empty with a scan.
    """

    lowest: Floats
    tied: Ints


@allocating_kernel
def ranking_of(n_arms: int) -> Ranking:
    """Make a ranking in which every arm has index 0."""
    if n_arms <= _SCAN_AT_MOST:
        return Ranking(lowest=np.zeros(n_arms), tied=np.zeros(0, np.int64))
    leaves = 1
    while leaves < n_arms:
        leaves *= 2
    ranking = Ranking(lowest=np.full(2 * leaves, math.inf), tied=np.ones(2 * leaves, np.int64))
    ranking.lowest[leaves : leaves + n_arms] = 0.0
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
def _refresh(ranking: Ranking, node: int) -> bool:
    """Work out a node from its children; say whether it changed."""
    left, right = ranking.lowest[2 * node], ranking.lowest[2 * node + 1]
    lowest = left if left <= right else right
    tied = 0
    if left == lowest:
        tied += ranking.tied[2 * node]
    if right == lowest:
        tied += ranking.tied[2 * node + 1]
    if lowest == ranking.lowest[node] and tied == ranking.tied[node]:
        return False
    ranking.lowest[node] = lowest
    ranking.tied[node] = tied
    return True


@kernel
def rebuild(ranking: Ranking) -> None:
    """Bring the tree up to date after indices were written with `place_unsorted`."""
    for node in range(len(ranking.tied) // 2 - 1, 0, -1):
        _refresh(ranking, node)


@kernel
def index_of(ranking: Ranking, arm: int) -> float:
    """The index of an arm."""
    return ranking.lowest[len(ranking.tied) // 2 + arm]


@kernel
def place_unsorted(ranking: Ranking, arm: int, index: float) -> None:
    """Write an arm's index; call `rebuild` when all are written."""
    ranking.lowest[len(ranking.tied) // 2 + arm] = index


@kernel
def place(ranking: Ranking, arm: int, index: float) -> None:
    """Set the index of one arm."""
    node = len(ranking.tied) // 2 + arm
    ranking.lowest[node] = index
    if len(ranking.tied) > 0:
        node //= 2
        while node > 0 and _refresh(ranking, node):
            node //= 2


@kernel
def lowest_arm(ranking: Ranking, random_ties: bool, stream: Stream) -> int:
    """The arm of lowest index."""
    if len(ranking.tied) == 0:
        return argmin(ranking.lowest, random_ties, stream)
    rank = 0
    if random_ties and ranking.tied[1] > 1:
        rank = integer(stream, ranking.tied[1])
    lowest = ranking.lowest[1]
    node = 1
    leaves = len(ranking.tied) // 2
    while node < leaves:
        node *= 2
        here = ranking.tied[node] if ranking.lowest[node] == lowest else 0
        if rank >= here:
            rank -= here
            node += 1
    return node - leaves


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
