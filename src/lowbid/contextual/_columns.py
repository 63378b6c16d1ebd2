"""The features of the decision at hand, and what is known of each of their columns.

A kernel finds the features of its decision in the state: whoever calls it has written them there.
The first number of `x` is 1; the others are measured from the first features ever seen.

A value may lie beyond the range seen so far by no more than five standard deviations of its column:
a single absurd one must not make all later ones look alike.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import allocating_kernel, kernel
from lowbid.policies import Limits, Sizes, sums, whole

_FAR = 5.0
# The first few decisions say little about a column's deviation.
_FEW, _FAR_FROM_FEW = 10.0, 50.0


class Columns(NamedTuple):
    """The features at hand, and the moments of each column over all decisions.

    Attributes
    ----------
    given
        The features as given. When they are read, the column's mean replaces one that is missing
        (NaN), and one that is absurd is clipped.
    x
        1, and the features measured from `origin`.
    seen
        The number of decisions, including outcomes of arms that were not decided here.
    origin
        The first features.
    mean, squares
        Of each entry of `x`: its mean, and the sum of its squared deviations from that.
    lowest, highest
        The range of each column, measured from `origin`.
    """

    given: Floats
    x: Floats
    seen: Floats
    origin: Floats
    mean: Floats
    squares: Floats
    lowest: Floats
    highest: Floats

    def limits(self, sizes: Sizes) -> Limits:
        """See `policies._limits`."""
        yield "given", sums()
        yield "x", sums()
        yield "seen", whole(0)
        yield "origin", sums()
        yield "mean", sums()


@allocating_kernel
def columns_of(columns: int) -> Columns:
    """Before the first decision."""
    return Columns(
        given=np.zeros(columns),
        x=np.ones(columns + 1),
        seen=np.zeros(1),
        origin=np.zeros(columns),
        mean=np.zeros(columns + 1),
        squares=np.zeros(columns + 1),
        lowest=np.zeros(columns),
        highest=np.zeros(columns),
    )


@kernel
def read(columns: Columns) -> None:
    """Fill in `x`."""
    given, x, seen = columns.given, columns.x, columns.seen[0]
    x[0] = 1.0
    for j in range(len(given)):
        if math.isnan(given[j]):  # missing
            given[j] = columns.origin[j] + columns.mean[j + 1]
        if seen == 0.0:
            columns.origin[j] = given[j]
        value = given[j] - columns.origin[j]
        sd = deviation(columns, j + 1)
        if seen >= 2.0 and sd > 0.0:
            margin = sd * (_FAR if seen >= _FEW else _FAR_FROM_FEW)
            low = min(columns.lowest[j], columns.mean[j + 1] - margin)
            high = max(columns.highest[j], columns.mean[j + 1] + margin)
            if value < low or value > high:
                value = min(max(value, low), high)
                given[j] = value + columns.origin[j]
        x[j + 1] = value


@kernel
def count(columns: Columns) -> None:
    """Add the features at hand, which have been read, to the moments."""
    columns.seen[0] += 1.0
    n = columns.seen[0]
    for j in range(len(columns.given)):
        value = columns.x[j + 1]
        off = value - columns.mean[j + 1]
        columns.mean[j + 1] += off / n
        columns.squares[j + 1] += off * (value - columns.mean[j + 1])
        columns.lowest[j] = min(columns.lowest[j], value)
        columns.highest[j] = max(columns.highest[j], value)


@kernel
def deviation(columns: Columns, j: int) -> float:
    """The standard deviation of an entry of `x`, 0 before two decisions."""
    n = columns.seen[0]
    return math.sqrt(max(columns.squares[j], 0.0) / n) if n > 0.0 else 0.0


def merged_columns(first: Columns, second: Columns) -> Columns:
    """The columns of all decisions of two, measured from the origin of the first."""
    if first.seen[0] == 0.0 or second.seen[0] == 0.0:
        part = first if second.seen[0] == 0.0 else second
        return Columns(*(values.copy() for values in part))
    both = Columns(*(values.copy() for values in first))
    moved = np.concatenate([[0.0], second.origin - first.origin])
    n_1, n_2 = first.seen[0], second.seen[0]
    apart = second.mean + moved - first.mean
    both.seen[0] = n_1 + n_2
    both.mean[:] += apart * n_2 / (n_1 + n_2)
    both.squares[:] += second.squares + apart**2 * n_1 * n_2 / (n_1 + n_2)
    both.lowest[:] = np.minimum(first.lowest, second.lowest + moved[1:])
    both.highest[:] = np.maximum(first.highest, second.highest + moved[1:])
    return both
