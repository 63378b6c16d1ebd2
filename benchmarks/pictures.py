"""How cost grows, on logarithmic axes: a straight line is a power, and its slope that power."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot as plt

from lowbid.report._chart import style

from .growth import slope

FIXED = "BatchEnsemble, 12 batches"
PANELS = (
    ("arms", "time per step", "arms, K", "ns"),
    ("steps", "time per step, K = 10", "steps of a run, T", "ns"),
    ("batches", "time per step, K = 10, T = 20,000", "batches, l", "ns"),
    ("memory_arms", "memory over that with K = 10, T = 1,000", "arms, K", "MB"),
    ("memory_steps", "memory over that with T = 100, K = 10", "steps of a run, T", "MB"),
    ("workers", "speed over one worker", "workers", "times"),
)
NOTHING = 1.0  # MB: what two processes that do the same may differ by


def draw(results: dict[str, Any], path: Path) -> None:
    """All panels in one picture, with the slope at the end of each line."""
    growth = {**results["growth"], **results["memory"], "workers": {FIXED: _workers(results)}}
    names = list(growth["arms"])
    figure, axes = plt.subplots(2, 3, figsize=(15, 9.5), layout="constrained")
    lines: dict[str, Any] = {}
    for panel, (key, title, x, y) in zip(axes.flat, PANELS, strict=True):
        for name, points in growth[key].items():
            shown = [(size, value) for size, value in points if y != "MB" or value > NOTHING]
            if len(shown) > 1:
                lines[name] = _line(panel, names.index(name) if name in names else 0, name, shown)
        panel.set(title=title, xlabel=x, ylabel=y, xscale="log", yscale="log")
        panel.grid(alpha=0.25, which="major")
        panel.margins(x=0.12)
    title = "at the end of each line: its slope, the power of growth"
    figure.legend(lines.values(), lines, loc="outside lower center", ncols=5, title=title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _line(panel: Any, number: int, name: str, points: list[tuple[int, float]]) -> Any:
    look = style(number)
    dashes = {"dashes": look.dashes} if look.dashes else {}
    (line,) = panel.plot(
        *zip(*points, strict=True), "o-", ms=3.5, color=look.colour, label=name, **dashes
    )
    if len(points) > 2:
        panel.annotate(
            f"{slope(points):.2f}",
            points[-1],
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=look.colour,
        )
    return line


def _workers(results: dict[str, Any]) -> list[tuple[int, float]]:
    return [(int(n), ratio[0]) for n, ratio in results["workers"].items()]
