"""How far policies are from the best one, setting by setting."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lowbid.report._blocks import Picture
from lowbid.report._figures import matplotlib_without_screen, save_png_and_svg
from lowbid.report._palette import styles_of
from lowbid.report._themes import LIGHT, Theme, picture

Ratios = Mapping[str, Mapping[str, float]]  # by what is compared, then by policy

_TICKS = (1, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_SPREAD = 0.6  # of a row: policies lie below each other, so that equal ratios do not overlap


def ratio_picture(ratios: Ratios, key: str, caption: str) -> Picture:
    """One row per thing compared, with a mark for each policy's ratio to the best."""
    return picture(
        key, caption, lambda axes, theme: draw_ratios(axes, ratios, theme), _size(ratios)
    )


def save_ratios(ratios: Ratios, folder: Path, name: str) -> list[Path]:
    """The same picture as files."""
    with matplotlib_without_screen() as plt:
        canvas, axes = plt.subplots(figsize=_size(ratios), layout="constrained")
        draw_ratios(axes, ratios, LIGHT)
        return save_png_and_svg(canvas, plt, folder, name)


def draw_ratios(axes: Any, ratios: Ratios, theme: Theme) -> None:
    """Marks on a logarithmic axis that starts at 1, the best."""
    names = list(dict.fromkeys(name for row in ratios.values() for name in row))
    looks = styles_of(names)
    places = range(len(ratios))
    for number, name in enumerate(names):
        shift = _SPREAD * ((number + 0.5) / len(names) - 0.5)
        points = [(row[name], at + shift) for at, row in enumerate(ratios.values()) if name in row]
        axes.scatter(
            *zip(*points, strict=True),
            s=34,
            marker=_MARKERS[number % len(_MARKERS)],
            color=theme.shown(looks[name].colour),
            edgecolors="none",
            alpha=0.9,
            label=name,
            zorder=3,
        )
    axes.set_xscale("log")
    axes.set_xlim(left=0.93)
    ticks = [
        tick
        for tick in _TICKS
        if tick < axes.get_xlim()[1] and (tick != 1.5 or axes.get_xlim()[1] < 200)
    ]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(list(places), list(ratios))
    axes.set_ylim(len(ratios) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="both", color=theme.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("mean regret relative to the best policy")
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False, borderaxespad=0.2
    )


def _size(ratios: Ratios) -> tuple[float, float]:
    return 8.0, 1.2 + 0.23 * len(ratios)
