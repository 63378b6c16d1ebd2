"""The regret of every policy at one step, as a table that fits the terminal."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lowbid._terminal import room
from lowbid._text_table import text_table
from lowbid.errors import UnknownNameError
from lowbid.simulation._statistics import CONFIDENCE, Floats, caution, estimate

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
# Where the terminal is narrow, columns are left out in this order.
_LEAST_FIRST = ("q5", "q25", "q75", "sd", "q95", "max", "q50")


class Row(NamedTuple):
    """The regret of one policy at one step, over all runs.

    Attributes
    ----------
    policy : str
        Its name.
    mean, sd, se, low, high : float
        See `Estimate`.
    quantiles : dict
        The quantiles of the regret, by probability.
    max : float
        The worst run: with few batches the right tail is heavy.
    runs : int
        The number of runs.
    """

    policy: str
    mean: float
    sd: float
    se: float
    low: float
    high: float
    quantiles: dict[float, float]
    max: float
    runs: int


class Summary(tuple[Row, ...]):
    """One row per policy, best first; prints as a table that fits the terminal.

    Attributes
    ----------
    measure : str
        What is summarised: "regret" or "dynamic regret".
    """

    measure: str = "regret"

    def row(self, policy: str) -> Row:
        """The row of one policy."""
        return next(row for row in self if row.policy == known(policy, [r.policy for r in self]))

    def __str__(self) -> str:
        digits = _digits(max(row.high if row.high > row.mean else row.mean for row in self))
        rows = [_cells(row, digits) for row in self]
        table = text_table(list(rows[0]), [list(row.values()) for row in rows], spare=_LEAST_FIRST)
        measure = [] if self.measure == "regret" else [self.measure]
        return "\n".join([*measure, table, *textwrap.wrap(caution(self[0].runs), room())])


def summary_row(policy: str, regret: Floats) -> Row:
    """The row of a policy, from its regret in every run."""
    quantiles = dict(zip(_QUANTILES, np.quantile(regret, _QUANTILES).tolist(), strict=True))
    found = estimate(regret, at_least=0.0)
    return Row(policy, *found, quantiles, float(regret.max()), len(regret))


def known(policy: str, names: Sequence[str]) -> str:
    if isinstance(policy, str) and policy in names:
        return policy
    near = difflib.get_close_matches(str(policy), names, n=1) or names
    raise UnknownNameError(f"unknown policy {policy!r}; did you mean {near[0]!r}?")


def _cells(row: Row, digits: int) -> dict[str, str]:
    """The cells of a row, by column."""
    coarse = max(0, digits - 1)
    return {
        "policy": row.policy,
        "mean": f"{row.mean:.{digits}f}",
        f"{CONFIDENCE:.0%} interval": f"[{row.low:.{digits}f}, {row.high:.{digits}f}]",
        "sd": f"{row.sd:.{digits}f}",
        **{f"q{100 * part:g}": f"{value:.{coarse}f}" for part, value in row.quantiles.items()},
        "max": f"{row.max:.{coarse}f}",
    }


def _digits(largest: float) -> int:
    """As many decimals as are readable beside the largest number of a table."""
    return 2 if largest < 1_000 else 1 if largest < 100_000 else 0
