"""How cost grows, on logarithmic axes: a straight line is a power, and its slope that power."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot as plt

from lowbid.report._chart import style

from .growth import slope

PANELS = (
    ("arms", "time per step", "arms, K", "ns"),
    ("steps", "time per step, K = 10", "steps of a run, T", "ns"),
    ("batches", "time per step, K = 10, T = 20,000", "batches, l", "ns"),
    ("memory_arms", "memory over that with K = 10, T = 1,000", "arms, K", "MB"),
    ("memory_steps", "memory over that with T = 100, K = 10", "steps of a run, T", "MB"),
    ("workers", "speed over one worker", "workers", "times"),
)
NOTHING = 0.5  # MB: what two processes that do the same differ by


def draw(results: dict[str, Any], path: Path) -> None:
    """All panels in one picture."""
    growth = {
        **results["growth"],
        **results["memory"],
        "workers": {"BatchEnsemble, 12 batches": _workers(results)},
    }
    names = list(growth["arms"])
    figure, axes = plt.subplots(2, 3, figsize=(15, 9.5), layout="constrained")
    for panel, (key, title, x, y) in zip(axes.flat, PANELS, strict=True):
        for name, points in growth[key].items():
            look = style(names.index(name) if name in names else 0)
            shown = [(size, figure) for size, figure in points if y != "MB" or figure > NOTHING]
            if shown:
                label = f"{name}  {slope(shown):.2f}" if len(shown) > 2 else name
                dashes = {"dashes": look.dashes} if look.dashes else {}
                panel.plot(
                    *zip(*shown, strict=True),
                    "o-",
                    ms=3.5,
                    color=look.colour,
                    label=label,
                    **dashes,
                )
        panel.set(title=title, xlabel=x, ylabel=y, xscale="log", yscale="log")
        panel.grid(alpha=0.25, which="major")
        if panel.get_legend_handles_labels()[0]:
            panel.legend(fontsize=8, title="slope at the right", title_fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _workers(results: dict[str, Any]) -> list[tuple[int, float]]:
    return [(int(n), ratio[0]) for n, ratio in results["workers"].items()]
