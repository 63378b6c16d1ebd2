"""Say why an arm is chosen, in words and as a picture."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass

from lowbid.online._decisions import Arm
from lowbid.online._ledger import Ledger

_WIDTH, _ROW = 360, 22


@dataclass(frozen=True)
class ExplainedArm:
    """What is known of one arm, in the caller's units.

    Attributes
    ----------
    arm : str or int
        Its name.
    count : int
        How many of its outcomes were told.
    mean : float
        Their mean.
    pending : int
        How many of its decisions wait for their outcome.
    paused : bool
        Whether it cannot be chosen at present.
    index : float or None
        What it is ranked by; None if it is paused, or if the policy has no indices.
    batch_sizes, batch_estimates : list
        What each batch has seen and estimates, if the policy has batches.
    """

    arm: Arm
    count: int
    mean: float
    pending: int
    paused: bool
    index: float | None
    batch_sizes: list[int]
    batch_estimates: list[float]


@dataclass(frozen=True)
class Explanation:
    """Why an arm is chosen; prints as a table.

    Attributes
    ----------
    arms : list of ExplainedArm
        All arms, those that are paused included.
    kind : str
        What is measured: "loss" or "reward".
    policy : str
        Whose rule it is.
    """

    arms: list[ExplainedArm]
    kind: str
    policy: str

    @property
    def winners(self) -> list[Arm]:
        """The arms of best index: one of them is chosen next. Empty if there are no indices."""
        ranked = [(arm.index, arm.arm) for arm in self.arms if arm.index is not None]
        if not ranked:
            return []
        best = (max if self.kind == "reward" else min)(index for index, _ in ranked)
        return [name for index, name in ranked if index == best]

    def __str__(self) -> str:
        width = max(3, *(len(str(arm.arm)) for arm in self.arms))
        lines = [
            f"{'arm':{width}}  {'count':>7}  {'mean':>10}  {'index':>10}  batches (size: estimate)"
        ]
        winners = self.winners
        for arm in self.arms:
            index = "-" if arm.index is None else f"{arm.index:.4g}"
            index = "paused" if arm.paused else index
            line = f"{arm.arm!s:{width}}  {arm.count:7}  {arm.mean:10.4g}  {index:>10}  "
            line += _batches(arm)
            line += f"  {arm.pending} pending" if arm.pending else ""
            line += "  <- chosen next" if winners == [arm.arm] else ""
            line += "  <- tied" if len(winners) > 1 and arm.arm in winners else ""
            lines.append(line.rstrip())
        if not winners:
            return "\n".join([*lines, f"{self.policy} does not rank the arms by one number each."])
        best = "highest" if self.kind == "reward" else "lowest"
        return "\n".join([*lines, f"{self.policy}: the {best} index is chosen."])


def _batches(arm: ExplainedArm) -> str:
    pairs = zip(arm.batch_sizes, arm.batch_estimates, strict=True)
    return ", ".join(f"{size}: {estimate:.4g}" for size, estimate in pairs)


def chart(
    title: str,
    kind: str,
    arms: list[Arm],
    paused: set[Arm],
    counts: list[int],
    means: list[float],
    bounds: Ledger,
) -> str:
    """A table of the arms, with their means and intervals drawn on one scale."""
    ends = [x for row in bounds.tolist() for x in row if math.isfinite(x)]
    ends += [mean for mean in means if math.isfinite(mean)]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    scale = (_WIDTH - 20) / (high - low) if high > low else 1.0
    rows = []
    for arm, count, mean, (left, right) in zip(arms, counts, means, bounds.tolist(), strict=True):
        name = html.escape(str(arm)) + (" (paused)" if arm in paused else "")
        picture = _interval(
            10 + scale * (mean - low),
            10 + scale * (max(left, low) - low),
            10 + scale * (min(right, high) - low),
        )
        shown = f"{mean:.4g}" if math.isfinite(mean) else "-"
        rows.append(f"<tr><td>{name}</td><td>{count}</td><td>{shown}</td><td>{picture}</td></tr>")
    head = f"<tr><th>arm</th><th>count</th><th>mean {kind}</th><th>95% at all times</th></tr>"
    caption = f"<caption>{html.escape(title)}</caption>"
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
