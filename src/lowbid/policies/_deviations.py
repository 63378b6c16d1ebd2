"""How the losses of each arm deviate from their mean: sums of squares and of cubes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import allocating_kernel, kernel
from lowbid.policies._limits import Limits, Sizes, real
from lowbid.policies._race import Race


class Deviations(NamedTuple):
    """Sums of powers of the deviations of an arm's losses from the arm's mean."""

    squares: Floats  # (arm,)
    cubes: Floats  # (arm,)

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "squares", real(0.0)


@allocating_kernel
def deviations_of(n_arms: int) -> Deviations:
    """Before the first loss."""
    return Deviations(squares=np.zeros(n_arms), cubes=np.zeros(n_arms))


@kernel
def add_deviation(
    deviations: Deviations, arm: int, count: float, total: float, loss: float
) -> None:
    """Take a loss in, given the number and the sum of the arm's losses before it."""
    if count > 0.0:
        n = count + 1.0
        off = loss - total / count
        share = off / n
        more = off * share * (n - 1.0)
        deviations.cubes[arm] += more * share * (n - 2.0) - 3.0 * share * deviations.squares[arm]
        deviations.squares[arm] += more


def merged_deviations(races: tuple[Race, Race], parts: tuple[Deviations, Deviations]) -> Deviations:
    """The deviations of all losses of two races, from the means of them all."""
    one, two = parts
    n_1, n_2 = (race.counts for race in races)
    n = np.maximum(n_1 + n_2, 1.0)
    means = [race.sums / np.maximum(race.counts, 1.0) for race in races]
    apart = means[1] - means[0]
    squares = one.squares + two.squares + apart**2 * n_1 * n_2 / n
    cubes = one.cubes + two.cubes + apart**3 * n_1 * n_2 * (n_1 - n_2) / n**2
    cubes += 3.0 * apart * (n_1 * two.squares - n_2 * one.squares) / n
    return Deviations(squares, cubes)


def measured_deviations(deviations: Deviations, factor: float) -> Deviations:
    """The deviations in another unit."""
    return Deviations(factor**2 * deviations.squares, factor**3 * deviations.cubes)
