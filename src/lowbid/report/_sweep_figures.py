"""Figures of sweeps for a paper: rankings, policies by environment, and scores by parameter."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from lowbid.report._figures import matplotlib_without_screen, save_png_and_svg
from lowbid.report._palette import style

_GRID, _INK = "#e2e3e1", "#222222"
_TICKS = (1, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000)
_NAME_WIDTH = 44  # letters

Span = tuple[float, float, float]


def save_ranking_figure(spans: Mapping[str, Span], folder: Path, name: str) -> list[Path]:
    """One row per policy with its score and interval, best first."""
    with matplotlib_without_screen() as plt:
        size = (7.0, 0.9 + 0.27 * len(spans))
        canvas, axes = plt.subplots(figsize=size, layout="constrained")
        for at, (value, low, high) in enumerate(spans.values()):
            axes.plot([low, high], [at, at], color=style(0).colour, linewidth=1.6)
            axes.plot([value], [at], marker="o", markersize=5, color=style(0).colour)
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        ticks = [tick for tick in _TICKS if low <= tick <= high]
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.set_yticks(range(len(spans)), [textwrap.shorten(n, _NAME_WIDTH) for n in spans])
        axes.set_ylim(len(spans) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="both", color=_GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("mean regret relative to the lowest, geometric mean")
        return save_png_and_svg(canvas, plt, folder, name)


def save_heat_map(
    ratios: Mapping[tuple[str, str], float],
    policies: Sequence[str],
    environments: Sequence[str],
    caption: str,
    folder: Path,
    name: str,
) -> list[Path]:
    """The ratio of every policy to the best on every environment, as shades and numbers."""
    values = np.array(
        [[ratios.get((policy, each), math.nan) for each in environments] for policy in policies]
    )
    with matplotlib_without_screen() as plt:
        size = 3.4 + 0.42 * len(environments), 1.6 + 0.27 * len(policies)
        canvas, axes = plt.subplots(figsize=size, layout="constrained")
        shown = np.log10(np.maximum(values, 1.0))
        top = max(1.0, float(np.nanmax(shown)) if np.isfinite(shown).any() else 1.0)
        axes.imshow(shown, cmap="YlOrBr", vmin=0.0, vmax=top, aspect="auto")
        for (row, column), value in np.ndenumerate(values):
            if math.isfinite(value):
                dark = shown[row, column] > 0.6 * top
                text = f"{value:.1f}" if value < 99.5 else f"{value:.0f}"
                axes.text(
                    column,
                    row,
                    text,
                    ha="center",
                    va="center",
                    fontsize=6.0,
                    color="white" if dark else _INK,
                )
        axes.set_xticks(
            range(len(environments)),
            [textwrap.shorten(each, 30) for each in environments],
            rotation=60,
            ha="right",
            rotation_mode="anchor",
        )
        axes.set_yticks(range(len(policies)), [textwrap.shorten(n, _NAME_WIDTH) for n in policies])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(f"regret relative to the lowest, {caption}", loc="left")
        return save_png_and_svg(canvas, plt, folder, name)


def save_parameter_figure(
    lines: Mapping[str, Sequence[tuple[float, Span]]], parameter: str, folder: Path, name: str
) -> list[Path]:
    """The score against one parameter, one line per setting of the others."""
    with matplotlib_without_screen() as plt:
        canvas, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
        for number, (label, points) in enumerate(lines.items()):
            colour, dashes = style(number)
            x = [at for at, _ in points]
            mean, low, high = zip(*(span for _, span in points), strict=True)
            stroke = (0, dashes) if dashes else "-"
            axes.fill_between(x, low, high, color=colour, alpha=0.12, linewidth=0)
            axes.plot(x, mean, color=colour, linestyle=stroke, marker="o", markersize=4)
            axes.annotate(
                textwrap.shorten(label, 40),
                (x[-1], mean[-1]),
                xytext=(6, 0),
                textcoords="offset points",
                color=colour,
                va="center",
                annotation_clip=False,
            )
        axes.set_yscale("log")
        low_end, high_end = axes.get_ylim()
        ticks = [tick for tick in _TICKS if low_end <= tick <= high_end]
        if len(ticks) > 1:
            axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
        axes.grid(axis="y", color=_GRID, linewidth=0.6)
        axes.set(xlabel=parameter, ylabel="mean regret relative to the lowest, geometric mean")
        return save_png_and_svg(canvas, plt, folder, name)
