"""The regret of every policy at one step, as a table that fits the terminal."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lowbid.errors import UnknownNameError
from lowbid.simulation._statistics import CONFIDENCE, Floats, caution, estimate
from lowbid.simulation._terminal import room

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
# Where the terminal is narrow, columns are left out in this order.
_LEAST_FIRST = ("q5", "q25", "q75", "sd", "q95", "max", "q50")
_GAP = "  "
# Names wider than this fraction of a narrow terminal, a third, go on separate lines.
_LONG_NAME = 3


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
        rows = [dict(_cells(row)) for row in self]
        widths = {name: len(cell) for name, cell in rows[0].items()}
        names = max(len("policy"), *(len(row.policy) for row in self))
        apart = _width(names, widths) > room() and names > room() // _LONG_NAME
        for name in _LEAST_FIRST:
            if _width(0 if apart else names, widths) > room():
                del widths[name]
        heads = {name: f"{name:>{width}}" for name, width in widths.items()}
        lines = _lines("policy", heads, names, apart)
        lines.append("-" * max(map(len, lines)))
        if self.measure != "regret":
            lines.insert(0, self.measure)
        for row, cells in zip(self, rows, strict=True):
            lines += _lines(row.policy, {name: cells[name] for name in widths}, names, apart)
        return "\n".join([*lines, *textwrap.wrap(caution(self[0].runs), room())])


def summary_row(policy: str, regret: Floats) -> Row:
    """The row of a policy, from its regret in every run."""
    quantiles = dict(zip(_QUANTILES, np.quantile(regret, _QUANTILES).tolist(), strict=True))
    found = estimate(regret, at_least=0.0)
    return Row(policy, *found, quantiles, float(regret.max()), len(regret))


def known(policy: str, names: Sequence[str]) -> str:
    if isinstance(policy, str) and policy in names:
        return policy
    near = difflib.get_close_matches(str(policy), names, n=1) or names
    raise UnknownNameError(f"no policy is named {policy!r}; did you mean {near[0]!r}?")


def _cells(row: Row) -> list[tuple[str, str]]:
    """The numbers of a row by column; those in a column have equal width."""
    return [
        ("mean", f"{row.mean:10.2f}"),
        (f"{CONFIDENCE:.0%} interval", f"[{row.low:10.2f},{row.high:10.2f}]"),
        ("sd", f"{row.sd:10.2f}"),
        *((f"q{100 * part:g}", f"{value:9.1f}") for part, value in row.quantiles.items()),
        ("max", f"{row.max:9.1f}"),
    ]


def _width(names: int, widths: dict[str, int]) -> int:
    return names + sum(len(_GAP) + width for width in widths.values())


def _lines(name: str, cells: dict[str, str], names: int, apart: bool) -> list[str]:
    """A row: the name beside the numbers, or on a separate line above them."""
    numbers = "".join(f"{_GAP}{cell}" for cell in cells.values())
    if apart:
        return [*textwrap.wrap(name, room(), subsequent_indent=_GAP), numbers]
    return [f"{name:{names}}{numbers}"]
