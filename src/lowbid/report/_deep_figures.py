"""Pictures of deep agents: how long DeepSea takes by size, and learning curves."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lowbid._arrays import Floats
from lowbid.report._figures import (
    margins,
    matplotlib_without_screen,
    save_png_and_svg,
    spread,
)
from lowbid.report._palette import style

_WIDTH, _HEIGHT, _BESIDE = 6.2, 4.0, 2.1  # inches
_LABEL_WIDTH = 24  # letters
_FAINT = "#8a8a8a"
_MARKS = "osD^vP"


def save_solving(
    solved: Mapping[str, Sequence[tuple[int, int | None]]], limit: int, folder: Path, name: str
) -> list[Path]:
    """Draw the episode in which DeepSea was solved, by size, and save it as PNG and SVG.

    Parameters
    ----------
    solved : mapping
        Sizes and episodes of the runs of each rule; None where a run was not solved.
    limit : int
        The largest number of episodes per run.
    folder : Path
        The folder for the files.
    name : str
        The name of the files, without extension.
    """
    sizes = sorted({size for runs in solved.values() for size, _ in runs})
    with matplotlib_without_screen() as plt:
        canvas, axes = plt.subplots(figsize=(_WIDTH + _BESIDE, _HEIGHT))
        margins(canvas, left=0.75, right=_BESIDE, top=0.35, bottom=0.5)
        lowest = min((e for runs in solved.values() for _, e in runs if e), default=limit)
        axes.set(yscale="log", ylim=(max(lowest / 2, 0.8), limit * 1.6))
        axes.yaxis.set_major_locator(plt.matplotlib.ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.yaxis.set_minor_formatter("")
        axes.set_xlim(sizes[0] - 0.6, sizes[-1] + 0.6)
        ends = {
            rule: _draw_runs(axes, runs, number, len(solved), limit)
            for number, (rule, runs) in enumerate(solved.items())
        }
        _draw_dithering(axes, sizes, limit)
        colours = {rule: style(number).colour for number, rule in enumerate(solved)}
        _label(axes, ends, colours)
        axes.set(xlabel="size N", ylabel="episodes until solved")
        axes.set_title("DeepSea: each run, and the median", loc="left")
        axes.locator_params(axis="x", integer=True)
        _grid(axes)
        return save_png_and_svg(canvas, plt, folder, name)


def _draw_runs(
    axes: Any, runs: Sequence[tuple[int, int | None]], number: int, of: int, limit: int
) -> float:
    """Draw one rule's runs and medians, and return where its line ends."""
    colour, mark = style(number).colour, _MARKS[number % len(_MARKS)]
    aside = 0.25 * (number - (of - 1) / 2)
    for size, episode in runs:
        if episode is not None:
            axes.plot(size + aside, episode, mark, color=colour, markersize=4, alpha=0.6)
        else:
            axes.plot(size + aside, limit * 1.15, "x", color=colour, markersize=6)
    by_size: dict[int, list[float]] = {}
    for size, episode in runs:
        by_size.setdefault(size, []).append(np.inf if episode is None else episode)
    sizes = sorted(by_size)
    medians = np.array([np.median(by_size[size]) for size in sizes])
    medians = np.where(np.isfinite(medians), medians, np.nan)
    axes.plot(
        np.array(sizes) + aside, medians, color=colour, linewidth=1.6, linestyle=_stroke(number)
    )
    known = medians[np.isfinite(medians)]
    return float(known[-1]) if len(known) else float(limit)


def _draw_dithering(axes: Any, sizes: Sequence[int], limit: int) -> None:
    """The mean number of episodes until a dithering agent first finds the treasure."""
    grid = np.linspace(sizes[0] - 0.6, sizes[-1] + 0.6, 200)
    needed = 2.0**grid
    axes.plot(grid, needed, color=_FAINT, linewidth=1.0, linestyle=(0, (5, 2)))
    axes.axhline(limit, color=_FAINT, linewidth=0.8, linestyle=(0, (1, 2)))
    notes = f"- -  $2^N$: dithering\n···  {limit:,} episodes\n ×  not solved by then"
    axes.text(1.03, 0.0, notes, color=_FAINT, transform=axes.transAxes, va="bottom")


def save_learning(
    curves: Mapping[str, Floats], window: int, title: str, folder: Path, name: str
) -> list[Path]:
    """Draw learning curves, and save them as PNG and SVG.

    Parameters
    ----------
    curves : mapping
        The returns of each rule's runs, (run, episode).
    window : int
        The number of episodes over which returns are averaged.
    title : str
        Its title.
    folder : Path
        The folder for the files.
    name : str
        The name of the files, without extension.
    """
    with matplotlib_without_screen() as plt:
        canvas, axes = plt.subplots(figsize=(_WIDTH + _BESIDE, _HEIGHT))
        margins(canvas, left=0.75, right=_BESIDE, top=0.35, bottom=0.5)
        ends, colours = {}, {}
        for number, (rule, returns) in enumerate(curves.items()):
            smooth = moving_means(returns, window)
            colours[rule] = style(number).colour
            episodes = np.arange(1, returns.shape[1] + 1)
            axes.plot(episodes, smooth.T, color=colours[rule], linewidth=0.7, alpha=0.45)
            mean = smooth.mean(axis=0)
            axes.plot(episodes, mean, color=colours[rule], linewidth=2.0, linestyle=_stroke(number))
            ends[rule] = float(smooth[:, -1].mean())
            axes.set_xlim(1, len(episodes))
        _label(axes, ends, colours)
        note = f"thin: a run, bold: their mean;\nboth over {window} episodes"
        axes.text(1.03, 0.0, note, color=_FAINT, transform=axes.transAxes, va="bottom")
        axes.set(xlabel="episode", ylabel="return")
        axes.set_title(title, loc="left")
        _grid(axes)
        return save_png_and_svg(canvas, plt, folder, name)


def moving_means(returns: Floats, window: int) -> Floats:
    """The mean of each return and those before it, `window` in total, along the last axis.

    >>> moving_means(np.array([[1.0, 3.0, 5.0, 7.0]]), 2)
    array([[1., 2., 4., 6.]])
    """
    sums = np.pad(returns.cumsum(axis=-1), ((0, 0), (1, 0)))
    last = np.arange(1, returns.shape[-1] + 1)
    first = np.maximum(last - window, 0)
    means: Floats = (sums[:, last] - sums[:, first]) / (last - first)
    return means


def _label(axes: Any, ends: Mapping[str, float], colours: Mapping[str, str]) -> None:
    """Write each rule's name beside the end of its line."""
    to_axes = (axes.transData + axes.transAxes.inverted()).transform
    right = axes.get_xlim()[1]
    heights = {
        name: min(max(float(to_axes((right, end))[1]), 0.0), 1.0) for name, end in ends.items()
    }
    for name, place in spread(
        heights, gap=0.07 * max(len(textwrap.wrap(name, _LABEL_WIDTH)) for name in ends)
    ).items():
        label = textwrap.fill(name, _LABEL_WIDTH)
        axes.text(1.03, place, label, color=colours[name], va="center", transform=axes.transAxes)


def _stroke(number: int) -> Any:
    dashes = style(number).dashes
    return (0, dashes) if dashes else "-"


def _grid(axes: Any) -> None:
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
