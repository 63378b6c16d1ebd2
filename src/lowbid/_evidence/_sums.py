"""What is kept of an arm's outcomes: a row of sums that two processes can add up."""

from __future__ import annotations

import math

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel

# SQUARES is the sum of squared deviations from the mean; ABOVE and BELOW are the sums of cubed
# ones, by side. SURPRISE is the sum of squared differences from a guess made before each value, for
# values scaled into [0, 1]; it is 0 if no range was declared.
COUNT, MEAN, SQUARES, ABOVE, BELOW, SURPRISE = range(6)
COLUMNS = 6


@kernel
def add_value(row: Floats, value: float, low: float, width: float) -> None:
    """Add a value to a row; `width` is 0 if no range was declared."""
    before, old_mean = row[COUNT], row[MEAN]
    count = before + 1.0
    row[COUNT] = count
    row[MEAN] += (value - old_mean) / count
    square = max((value - old_mean) * (value - row[MEAN]), 0.0)
    row[SQUARES] += square
    row[ABOVE if value > old_mean else BELOW] += square * math.sqrt(square)
    if width > 0.0:
        guess = (0.5 + before * (old_mean - low) / width) / count
        off = (value - low) / width - guess
        row[SURPRISE] += off * off


def merged_sums(first: Floats, second: Floats) -> Floats:
    """The combined rows of two tables with the same arms that saw different values.

    Cubes around the common mean can only be bounded, by Minkowski's inequality: evidence gets
    smaller, never larger.
    """
    merged: Floats = first + second
    count = np.maximum(merged[:, COUNT], 1.0)
    apart = second[:, MEAN] - first[:, MEAN]
    merged[:, MEAN] = first[:, MEAN] + apart * second[:, COUNT] / count
    merged[:, SQUARES] += apart**2 * first[:, COUNT] * second[:, COUNT] / count
    for side in (ABOVE, BELOW):
        merged[:, side] = sum(
            (np.cbrt(part[:, side]) + np.cbrt(part[:, COUNT]) * moved) ** 3
            for part in (first, second)
            for moved in [np.where(part[:, COUNT] > 0, abs(part[:, MEAN] - merged[:, MEAN]), 0.0)]
        )
    return merged


def mirrored(sums: Floats, low: float, width: float, *, rewards: bool) -> Floats:
    """Rows of values as rows of gains: losses change their sign, a declared range becomes [0, 1].

    Parameters
    ----------
    sums : array (arm, column)
        In the unit of the values.
    low, width : float
        The declared range; `width` is 0 if none was declared.
    rewards : bool
        Whether the values are rewards.
    """
    gains = sums[:, :COLUMNS].copy()
    unit = width if width > 0.0 else 1.0
    gains[:, MEAN] = (gains[:, MEAN] - (low if width > 0.0 else 0.0)) / unit
    gains[:, SQUARES] /= unit**2
    gains[:, [ABOVE, BELOW]] /= unit**3
    if not rewards:
        gains[:, MEAN] = (1.0 if width > 0.0 else 0.0) - gains[:, MEAN]
        gains[:, [ABOVE, BELOW]] = gains[:, [BELOW, ABOVE]]
    return gains
