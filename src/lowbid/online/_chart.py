"""A bandit as a table with a picture, for notebooks."""

from __future__ import annotations

import html
import math

import numpy as np

from lowbid.online._core import Core
from lowbid.online._ledger import COUNT, mean_of_row
from lowbid.online._sequences import intervals

_WIDTH, _ROW = 360, 22
_MOST_ROWS = 50


def chart(core: Core) -> str:
    """A table of the arms, with their means and intervals drawn on one scale."""
    rows = core.roster.rows
    declared = None if core.feedback is None else core.feedback.declared
    bounds = intervals(np.array(list(rows.values())), declared, 0.05 / len(rows)).tolist()
    means = [mean_of_row(row) for row in rows.values()]
    ends = [x for x in [*means, *(end for pair in bounds for end in pair)] if math.isfinite(x)]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    scale = (_WIDTH - 20) / (high - low) if high > low else 1.0
    shown = []
    for (arm, row), mean, (left, right) in zip(rows.items(), means, bounds, strict=True):
        name = html.escape(str(arm)) + (" (paused)" if arm in core.roster.paused else "")
        picture = _interval(
            10 + scale * (mean - low),
            10 + scale * (max(left, low) - low),
            10 + scale * (min(right, high) - low),
        )
        value = f"{mean:.4g}" if math.isfinite(mean) else "-"
        cells = (name, f"{row[COUNT]:.0f}", value, picture)
        shown.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return _table(core, shown)


def _table(core: Core, rows: list[str]) -> str:
    kind = "outcome" if core.feedback is None else core.feedback.kind
    head = f"<tr><th>arm</th><th>count</th><th>mean {kind}</th><th>95% at all times</th></tr>"
    more = len(rows) - _MOST_ROWS
    if more > 0:
        rows = [*rows[:_MOST_ROWS], f'<tr><td colspan="4">... and {more} more arms</td></tr>']
    caption = f"<caption>{html.escape(core.policy.name)}</caption>"
    return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def _interval(mean: float, left: float, right: float) -> str:
    """A line from left to right with a dot at the mean; nothing before the first value."""
    middle = _ROW // 2
    drawn = ""
    if math.isfinite(mean):
        drawn = (
            f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{middle}" y2="{middle}" '
            f'stroke="#8ab" stroke-width="6"/>'
            f'<circle cx="{mean:.1f}" cy="{middle}" r="4" fill="currentColor"/>'
        )
    return f'<svg width="{_WIDTH}" height="{_ROW}">{drawn}</svg>'
