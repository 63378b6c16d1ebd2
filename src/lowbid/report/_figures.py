"""Charts on paper: PNG and SVG, drawn by matplotlib."""

from __future__ import annotations

import contextlib
import math
import textwrap
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lowbid._optional import needing
from lowbid.report._chart import Chart
from lowbid.report._numbers import figure
from lowbid.report._palette import Style, bound_dashes
from lowbid.simulation import mean_curves

# Inches: the size of a chart, and the width of a letter.
_WIDTH, _HEIGHT, _CHARACTER = 6.2, 4.2, 0.072
_LABEL_WIDTH, _TITLE_WIDTH = 30, 50  # letters
_FAR_APART = 8.0  # final regrets with at least this ratio get a logarithmic axis
_INK, _FAINT = "#222222", "#8a8a8a"
_SETTINGS: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titley": 1.0,  # otherwise matplotlib measures all tick labels to find it
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "lowbid",
}

_one_at_a_time = threading.Lock()


def save_figure(chart: Chart, styles: Mapping[str, Style], folder: Path) -> list[Path]:
    """Draw one chart with its curves' names beside them, and save it as PNG and SVG."""
    labels = _labels(chart)
    beside = 0.35 + _CHARACTER * max(
        len(line) for text in labels.values() for line in text.splitlines()
    )
    with matplotlib_without_screen() as plt:
        canvas, axes = plt.subplots(figsize=(_WIDTH + beside, _HEIGHT))
        margins(canvas, left=0.65, right=beside, top=0.35, bottom=0.5)
        draw(axes, chart, styles)
        label_ends(axes, chart, styles, labels)
        return save_png_and_svg(canvas, plt, folder, chart.key)


def save_panel(
    charts: Sequence[Chart], styles: Mapping[str, Style], folder: Path, name: str
) -> list[Path]:
    """Draw all charts side by side with one legend, and save them as PNG and SVG."""
    columns = min(3, len(charts))
    rows = math.ceil(len(charts) / columns)
    with matplotlib_without_screen() as plt:
        canvas, grid = plt.subplots(rows, columns, figsize=(4.0 * columns, 2.9 * rows + 0.7))
        margins(canvas, left=0.65, right=0.2, top=0.45, bottom=1.05, between=0.7)
        places = np.atleast_1d(grid).ravel()
        for axes, chart in zip(places, charts, strict=False):
            draw(axes, chart, styles)
            axes.set_title(textwrap.fill(chart.title, _TITLE_WIDTH), loc="left")
        for axes in places[len(charts) :]:
            axes.set_visible(False)
        handles = {line.get_label(): line for axes in places for line in axes.get_lines()}
        shown = [name for name in styles if name in handles]
        canvas.legend(
            [handles[name] for name in shown],
            shown,
            loc="lower center",
            ncols=min(4, len(shown)),
            frameon=False,
            handlelength=4.0,
        )
        return save_png_and_svg(canvas, plt, folder, name)


def draw(axes: Any, chart: Chart, styles: Mapping[str, Style]) -> None:
    """Draw a chart's curves, bands and marks on a pair of axes."""
    steps = chart.result.checkpoints
    for name, curve in mean_curves(chart.result).items():
        colour, dashes = styles[name]
        axes.fill_between(steps, curve.low, curve.high, color=colour, alpha=0.15, linewidth=0)
        stroke = (0, dashes) if dashes else "-"
        axes.plot(steps, curve.mean, color=colour, linestyle=stroke, linewidth=1.6, label=name)
    for number, (name, values) in enumerate(chart.curves.items()):
        stroke = (0, bound_dashes(number)) if bound_dashes(number) else "-"
        axes.plot(steps, values, color=_FAINT, linestyle=stroke, linewidth=1.0, label=name)
    for at in (step for marked in chart.marks.values() for step in marked):
        axes.axvline(at, color=_FAINT, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0)
    if chart.log:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(1, steps[-1])
        axes.set_ylim(bottom=max(_smallest_positive(chart), 0.1))
    else:
        axes.set_xlim(0, steps[-1])
        axes.locator_params(axis="x", nbins=5)
        if _spreads(chart):
            axes.set_yscale("log")
            axes.set_ylim(bottom=0.3 * min(_ends(chart).values()))
            _label_decades(axes)
        else:
            axes.set_ylim(bottom=0)
    on_log = axes.get_yscale() == "log"
    axes.set(xlabel=chart.unit, ylabel=f"mean {chart.result.measure}{', logarithmic' * on_log}")
    axes.set_title(chart.title, loc="left")
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)


def _label_decades(axes: Any) -> None:
    """Plain numbers at 1, 2 and 5 of each power of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def label_ends(
    axes: Any, chart: Chart, styles: Mapping[str, Style], labels: Mapping[str, str]
) -> None:
    """Write each curve's name beside its end, and move names apart that would overlap."""
    to_axes = (axes.transData + axes.transAxes.inverted()).transform
    last = float(chart.result.checkpoints[-1])
    heights = {
        name: min(max(float(to_axes((last, max(end, 1e-9)))[1]), 0.0), 1.0)
        for name, end in _ends(chart).items()
    }
    for name, place in spread(heights, gap=0.06).items():
        colour = styles[name].colour if name in styles else _FAINT
        axes.plot(
            [1.005, 1.03],
            [heights[name], place],
            color=colour,
            linewidth=0.6,
            transform=axes.transAxes,
            clip_on=False,
        )
        axes.text(1.04, place, labels[name], color=colour, va="center", transform=axes.transAxes)


def _spreads(chart: Chart) -> bool:
    """Whether the curves end so far apart that the lowest would be unreadable on a linear axis."""
    ends = _ends(chart).values()
    return min(ends) > 0.0 and max(ends) > _FAR_APART * min(ends)


def _ends(chart: Chart) -> dict[str, float]:
    ends = {name: float(curve.mean[-1]) for name, curve in mean_curves(chart.result).items()}
    return ends | {name: float(values[-1]) for name, values in chart.curves.items()}


def _labels(chart: Chart) -> dict[str, str]:
    return {
        name: f"{textwrap.fill(name, _LABEL_WIDTH)}  {figure(end)}"
        for name, end in _ends(chart).items()
    }


def margins(
    canvas: Any, left: float, right: float, top: float, bottom: float, between: float = 0.0
) -> None:
    """Leave this many inches at the edges and between charts."""
    width, height = canvas.get_size_inches()
    canvas.subplots_adjust(
        left=left / width,
        right=1.0 - right / width,
        top=1.0 - top / height,
        bottom=bottom / height,
        wspace=between / 3.0,
        hspace=between / 1.6,
    )


def spread(heights: Mapping[str, float], gap: float) -> dict[str, float]:
    """Move heights apart until neighbours are at least `gap` from each other, within [0, 1].

    >>> {name: round(y, 2) for name, y in spread({"a": 0.5, "b": 0.5, "c": 0.9}, gap=0.1).items()}
    {'a': 0.45, 'b': 0.55, 'c': 0.9}
    """
    names = sorted(heights, key=lambda name: heights[name])
    groups: list[tuple[list[str], float]] = []  # neighbours that touch, and their middle
    for name in names:
        members, middle = [name], min(max(heights[name], 0.0), 1.0)
        while groups and middle - groups[-1][1] < gap * (len(members) + len(groups[-1][0])) / 2:
            before, centre = groups.pop()
            total = len(before) + len(members)
            middle = (centre * len(before) + middle * len(members)) / total
            members = before + members
            half = gap * (total - 1) / 2
            middle = max(half, min(middle, 1.0 - half)) if 2 * half < 1 else 0.5
        groups.append((members, middle))
    return {
        name: middle + gap * (place - (len(members) - 1) / 2)
        for members, middle in groups
        for place, name in enumerate(members)
    }


def _smallest_positive(chart: Chart) -> float:
    means = chart.result.regret.mean(axis=1)
    return float(means[means > 0].min()) if (means > 0).any() else 1.0


@contextlib.contextmanager
def matplotlib_without_screen(settings: Mapping[str, Any] | None = None) -> Iterator[Any]:
    """Matplotlib's pyplot, with our settings and any given ones inside the block.

    The settings are global to the process, so threads that draw wait for one another.
    """
    with needing("matplotlib", "figures need matplotlib: pip install 'lowbid[report]'"):
        import matplotlib
        from matplotlib import pyplot
    with _one_at_a_time, matplotlib.rc_context(_SETTINGS | dict(settings or {})):
        pyplot.switch_backend("agg")
        yield pyplot


def save_png_and_svg(canvas: Any, plt: Any, folder: Path, name: str) -> list[Path]:
    """Save a figure as PNG and as SVG, and close it."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.png", folder / f"{name}.svg"]
    canvas.savefig(paths[0], dpi=160)
    canvas.savefig(paths[1], metadata={"Date": None})
    plt.close(canvas)
    return paths
