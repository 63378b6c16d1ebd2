"""What was measured of each arm, in the caller's units, whatever the policy makes of it.

It gives each arm's count and mean, and intervals that hold at all times at once, however the arms
were chosen and whenever one looks:

- with a declared range, the empirical Bernstein confidence sequence with predictable plug-in
  weights [1]_, which holds at every sample size;
- without, the asymptotic confidence sequence [2]_, the time-uniform form of the interval from the
  central limit theorem.

References
----------
.. [1] I. Waudby-Smith, A. Ramdas (2024). Estimating means of bounded random variables by betting.
   Journal of the Royal Statistical Society B 86. Theorem 2.
.. [2] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas (2024). Time-uniform central
   limit theory and asymptotic confidence sequences. Annals of Statistics 52. Theorem 2.2.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lowbid._kernel import kernel
from lowbid.online._feedback import Range

Ledger = npt.NDArray[np.float64]  # (arm, column)

# Columns. The last four serve the empirical Bernstein sequence, for values scaled into [0, 1].
COUNT, MEAN, SQUARES, DEVIATIONS, WEIGHT, WEIGHTED, SPREAD = range(7)

# The weights are tuned for this error. The intervals hold for any other as well.
_TUNED_FOR = math.log(2.0 / 0.05)
_LARGEST_WEIGHT = 0.5

# The asymptotic sequence is narrowest at about this many values. It says nothing before a few, nor
# while all are the same: fifty visits without an order do not show that there never will be one.
_NARROWEST_AT = 1000
_FEW = 50


def empty_ledger(n_arms: int) -> Ledger:
    """No values of any arm."""
    return np.zeros((n_arms, 7))


@kernel
def record(ledger: Ledger, arm: int, value: float, low: float, width: float) -> None:
    """Take in a value of an arm; `width` is 0 if no range was declared."""
    row = ledger[arm]
    before, old_mean = row[COUNT], row[MEAN]
    count = before + 1.0
    row[COUNT] = count
    row[MEAN] += (value - old_mean) / count
    row[SQUARES] += (value - old_mean) * (value - row[MEAN])
    if width > 0.0:
        x = (value - low) / width
        total = before * (old_mean - low) / width
        guess = (0.5 + total) / count
        variance = (0.25 + row[DEVIATIONS]) / count
        weight = math.sqrt(2.0 * _TUNED_FOR / (variance * count * math.log(1.0 + count)))
        weight = min(weight, _LARGEST_WEIGHT)
        row[WEIGHT] += weight
        row[WEIGHTED] += weight * x
        row[SPREAD] += (x - guess) * (x - guess) * (-math.log1p(-weight) - weight)
        off = x - (0.5 + total + x) / (count + 1.0)
        row[DEVIATIONS] += off * off


def merged_ledger(first: Ledger, second: Ledger) -> Ledger:
    """The ledger of all values of two that saw different ones."""
    merged: Ledger = first + second
    count = np.maximum(merged[:, COUNT], 1.0)
    apart = second[:, MEAN] - first[:, MEAN]
    merged[:, MEAN] = first[:, MEAN] + apart * second[:, COUNT] / count
    merged[:, SQUARES] += apart**2 * first[:, COUNT] * second[:, COUNT] / count
    return merged


def intervals(ledger: Ledger, declared: Range | None, error: float) -> Ledger:
    """An interval (low, high) for each arm's mean; each misses it ever with at most this chance."""
    if declared is None:
        return asymptotic_sequence(ledger, error)
    return empirical_bernstein_sequence(ledger, declared, error)


def empirical_bernstein_sequence(ledger: Ledger, declared: Range, error: float) -> Ledger:
    """The predictable plug-in empirical Bernstein confidence sequence."""
    low, high = declared
    seen = ledger[:, COUNT] > 0
    weight = np.where(seen, ledger[:, WEIGHT], 1.0)
    centre = np.where(seen, ledger[:, WEIGHTED] / weight, 0.5)
    half = np.where(seen, (math.log(2.0 / error) + ledger[:, SPREAD]) / weight, 1.0)
    ends = np.clip(np.stack([centre - half, centre + half], axis=1), 0.0, 1.0)
    return low + (high - low) * ends


def asymptotic_sequence(ledger: Ledger, error: float) -> Ledger:
    """The asymptotic confidence sequence from Robbins' normal mixture."""
    count = np.maximum(ledger[:, COUNT], 1.0)
    spread = np.sqrt(ledger[:, SQUARES] / count)
    rho2 = (-2.0 * math.log(error) + math.log(1.0 - 2.0 * math.log(error))) / _NARROWEST_AT
    known = count * rho2 + 1.0
    half = spread * np.sqrt(2.0 * known / (count**2 * rho2) * np.log(np.sqrt(known) / error))
    half = np.where((count < _FEW) | (spread == 0.0), np.inf, half)
    return np.stack([ledger[:, MEAN] - half, ledger[:, MEAN] + half], axis=1)
