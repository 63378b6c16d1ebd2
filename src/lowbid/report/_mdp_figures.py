"""Pictures of agents at work: where they have been, and what their batches bid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid.errors import InvalidValueError
from lowbid.report._chart import style
from lowbid.report._figures import margins, matplotlib_without_screen, save_png_and_svg

Floats = npt.NDArray[np.float64]

_PANEL = 2.6  # inches
_MOST_STATES = 60


def save_visits(
    maps: Mapping[str, Floats], axes_names: tuple[str, str], folder: Path, name: str
) -> list[Path]:
    """Draw where agents have been, one map for each, and save it as PNG and SVG.

    Parameters
    ----------
    maps : mapping
        Mean numbers of visits by the agent's name, (row, column); NaN where nothing can be.
    axes_names : (str, str)
        What the rows and the columns are.
    folder : Path
        Where the files go.
    name : str
        Their name.
    """
    rows, columns = next(iter(maps.values())).shape
    across = min(3, math.ceil(math.sqrt(len(maps))))
    down = math.ceil(len(maps) / across)
    height = min(max(_PANEL * rows / columns, 0.9), 1.6 * _PANEL)
    width = max(_PANEL, 1.9)
    with matplotlib_without_screen() as plt:
        from matplotlib.colors import LogNorm

        canvas, grid = plt.subplots(
            down, across, figsize=(width * across + 1.5, (height + 0.75) * down + 0.4)
        )
        margins(canvas, left=0.6, right=1.0, top=0.4, bottom=0.5, between=0.9)
        places = np.atleast_1d(grid).ravel()
        highest = max(float(np.nanmax(each)) for each in maps.values())
        norm = LogNorm(vmin=1.0, vmax=max(highest, 10.0), clip=True)
        for place, (title, each) in zip(places, maps.items(), strict=False):
            image = _heat(place, each, norm)
            place.set_title(title if len(title) <= 34 else f"{title[:33]}…", loc="left")
            place.set(xlabel=axes_names[1], ylabel=axes_names[0])
        for place in places[len(maps) :]:
            place.set_visible(False)
        bar = canvas.colorbar(image, ax=list(places), fraction=0.04, pad=0.03)
        bar.set_label("mean visits")
        return save_png_and_svg(canvas, plt, folder, name)


def _heat(axes: Any, values: Floats, norm: Any) -> Any:
    """One map; what was never visited is white, and what cannot be is grey."""
    axes.set_facecolor("#d9d9d9")
    from matplotlib import colormaps

    colours = colormaps["viridis_r"].with_extremes(under="white")
    shown = np.ma.masked_invalid(np.where(values > 0, np.maximum(values, norm.vmin), values))
    white = np.where(values == 0, 1.0, np.nan)
    image = axes.imshow(shown, cmap=colours, norm=norm, aspect="auto", interpolation="nearest")
    axes.imshow(
        np.ma.masked_invalid(white),
        cmap="gray",
        vmin=0.0,
        vmax=1.0,
        aspect="auto",
        interpolation="nearest",
    )
    axes.locator_params(integer=True, nbins=6)
    return image


def save_bids(bids: Floats, optimal: Floats, title: str, folder: Path, name: str) -> list[Path]:
    """Draw what each batch expects of each action beside the truth, and save it as PNG and SVG.

    Parameters
    ----------
    bids : array
        What each batch expects, (batch, state, action); NaN for actions that do not exist.
    optimal : array
        The optimal values, (state, action).
    title : str
        What stands above it.
    folder : Path
        Where the files go.
    name : str
        Their name.
    """
    batches, states, actions = bids.shape
    if states > _MOST_STATES:
        raise InvalidValueError(
            f"there are {states} states; bids can be drawn for {_MOST_STATES} at most."
        )
    with matplotlib_without_screen() as plt:
        canvas, axes = plt.subplots(figsize=(max(5.0, 0.16 * states * actions + 2.5), 3.6))
        margins(canvas, left=0.65, right=1.5, top=0.35, bottom=0.5)
        for action in range(actions):
            at = np.arange(states) + (action - (actions - 1) / 2) * 0.8 / actions
            colour = style(action).colour
            for batch in range(batches):
                axes.plot(at, bids[batch, :, action], "o", color=colour, markersize=3.5, alpha=0.7)
            half = 0.36 / actions
            truth = optimal[:, action]
            axes.hlines(truth, at - half, at + half, color=colour, linewidth=1.8)
            label = f"action {action}"
            axes.text(
                1.03, 0.95 - 0.07 * action, label, color=colour, transform=axes.transAxes, va="top"
            )
        note = "o  a batch's bid\n–  the truth"
        axes.text(1.03, 0.02, note, transform=axes.transAxes, va="bottom", color="#222222")
        axes.set(xlabel="state", ylabel="expected from here on")
        axes.set_title(title, loc="left")
        axes.grid(axis="y", color="#e6e6e6", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.locator_params(axis="x", integer=True)
        return save_png_and_svg(canvas, plt, folder, name)
