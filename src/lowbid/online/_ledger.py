"""The measurements of each arm, in the caller's units, independently of the policy.

A row has an arm's count and mean, and the sums that the confidence sequences of `_sequences` need.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid._compile import kernel
from lowbid._evidence import ABOVE as ABOVE
from lowbid._evidence import BELOW as BELOW
from lowbid._evidence import COLUMNS, SURPRISE, add_value, merged_sums
from lowbid._evidence import COUNT as COUNT
from lowbid._evidence import MEAN as MEAN
from lowbid._evidence import SQUARES as SQUARES
from lowbid.online._plain import MOST_IN_ROWS, array_from, array_to, numbers_to
from lowbid.policies import fill, real, require_limit, sums, whole

Ledger = npt.NDArray[np.float64]  # (arm, column)

# The first columns are those of `lowbid._evidence`. The last four serve the empirical Bernstein
# sequence, for values scaled into [0, 1].
DEVIATIONS, WEIGHT, WEIGHTED, SPREAD = range(COLUMNS, COLUMNS + 4)
_COLUMNS = COLUMNS + 4
# What a saved row may hold.
_LIMITS = (
    ("count", COUNT, whole(0)),
    ("mean", MEAN, sums()),
    ("the weighted sum", WEIGHTED, sums()),
    *((f"sum {column}", column, real(0.0)) for column in (SQUARES, DEVIATIONS, WEIGHT, SPREAD)),
    *((f"sum {column}", column, real(0.0)) for column in (ABOVE, BELOW, SURPRISE)),
)

# The weights are tuned for this error probability, but the intervals hold for any.
_TUNED_FOR = math.log(2.0 / 0.05)
_LARGEST_WEIGHT = 0.5


def empty_ledger(n_arms: int) -> Ledger:
    """A ledger without values."""
    return np.zeros((n_arms, _COLUMNS))


@kernel
def record(ledger: Ledger, arm: int, value: float, low: float, width: float) -> None:
    """Record a value of an arm; `width` is 0 if no range was declared."""
    row = ledger[arm]
    if width > 0.0:
        before = row[COUNT]
        count = before + 1.0
        x = (value - low) / width
        total = before * (row[MEAN] - low) / width
        guess = (0.5 + total) / count
        variance = (0.25 + row[DEVIATIONS]) / count
        weight = math.sqrt(2.0 * _TUNED_FOR / (variance * count * math.log(1.0 + count)))
        weight = min(weight, _LARGEST_WEIGHT)
        row[WEIGHT] += weight
        row[WEIGHTED] += weight * x
        row[SPREAD] += (x - guess) * (x - guess) * (-math.log1p(-weight) - weight)
        off = x - (0.5 + total + x) / (count + 1.0)
        row[DEVIATIONS] += off * off
    add_value(row, value, low, width)


def merged_ledger(first: Ledger, second: Ledger) -> Ledger:
    """The combined ledger of two that saw different values."""
    merged: Ledger = first + second
    merged[:, :COLUMNS] = merged_sums(first[:, :COLUMNS], second[:, :COLUMNS])
    return merged


def check_ledger(ledger: Ledger) -> None:
    """Raise an error if rows hold what cannot have been recorded."""
    for name, column, limit in _LIMITS:
        require_limit(name, ledger[:, column], limit)


def mean_of_row(row: Ledger) -> float:
    """An arm's mean, NaN before its first value."""
    return float(row[MEAN]) if row[COUNT] > 0 else math.nan


def table_to(names: list[Any], ledger: Ledger) -> Any:
    """Arms and their rows as plain data: one entry per arm, or packed if there are very many."""
    if ledger.size <= MOST_IN_ROWS:
        return [row_to(*arm) for arm in zip(names, ledger, strict=True)]
    return {"names": names, "ledger": array_to(ledger)}


def table_from(saved: Any) -> tuple[list[Any], Ledger]:
    """Restore what `table_to` returned: the arms' names, which are not checked, and their rows."""
    if not isinstance(saved, dict):
        return [arm["name"] for arm in saved], np.array([row_from(arm) for arm in saved])
    names, ledger = list(saved["names"]), empty_ledger(len(saved["names"]))
    fill(ledger, array_from(saved["ledger"], ledger, "ledger"), "ledger")
    return names, ledger


def row_to(name: Any, row: Ledger) -> dict[str, Any]:
    """An arm's row as plain data, with its count and mean first, where readers look for them."""
    count, mean, *more = numbers_to(row.tolist())
    return {"name": name, "count": count, "mean": mean, "more": more}


def row_from(saved: dict[str, Any]) -> Ledger:
    """Restore what `row_to` wrote."""
    row = np.array([saved["count"], saved["mean"], *saved["more"]], dtype=np.float64)
    if row.shape != (_COLUMNS,):
        raise ValueError("a row of the ledger has another length")
    return row
