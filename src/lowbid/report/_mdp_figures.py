"""Pictures of agents: where they have been, and what their batches bid."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid.errors import InvalidValueError
from lowbid.report._figures import margins, matplotlib_without_screen, save_png_and_svg
from lowbid.report._palette import style

Floats = npt.NDArray[np.float64]

_PANEL = 2.6  # inches
_MOST_STATES = 200
_MOST_BIDS = 45
_TITLE_WIDTH = 34  # characters
_TITLE_LINE = 0.2  # inches
_MOST_TICKS = 7
_MARKERS = ("o", "s", "^", "D", "v", "P")


def save_visits(
    maps: Mapping[str, Floats], axes_names: tuple[str, str], folder: Path, name: str
) -> list[Path]:
    """Draw where agents have been, one map per agent, and save it as PNG and SVG.

    Parameters
    ----------
    maps : mapping
        Mean numbers of visits by agent's name, (row, column); NaN where no visit is possible.
    axes_names : (str, str)
        The meaning of the rows and of the columns.
    folder : Path
        The folder for the files.
    name : str
        The name of the files, without extension.
    """
    rows, columns = next(iter(maps.values())).shape
    across = min(3, math.ceil(math.sqrt(len(maps))))
    down = math.ceil(len(maps) / across)
    height = min(max(_PANEL * rows / columns, 0.9), 1.6 * _PANEL)
    titles = [_in_lines(title) for title in maps]
    more = _TITLE_LINE * max(title.count("\n") for title in titles)
    with matplotlib_without_screen() as plt:
        from matplotlib.colors import LogNorm

        canvas, grid = plt.subplots(
            down, across, figsize=(_PANEL * across + 1.5, (height + 0.75 + more) * down + 0.4)
        )
        margins(canvas, left=0.6, right=1.0, top=0.4 + more, bottom=0.5, between=0.9 + more)
        places = np.atleast_1d(grid).ravel()
        highest = max(float(np.nanmax(each)) for each in maps.values())
        norm = LogNorm(vmin=1.0, vmax=max(highest, 10.0), clip=True)
        for place, title, each in zip(places, titles, maps.values(), strict=False):
            image = _heat(place, each, norm)
            place.set_title(title, loc="left")
            place.set(xlabel=axes_names[1], ylabel=axes_names[0])
        for place in places[len(maps) :]:
            place.set_visible(False)
        bar = canvas.colorbar(image, ax=list(places), fraction=0.04, pad=0.03)
        bar.set_label("visits per run; white: none")
        return save_png_and_svg(canvas, plt, folder, name)


def _in_lines(title: str) -> str:
    """A title that is not wider than a panel; parameters start a new line.

    >>> _in_lines("BatchEnsembleValueIteration(batches=4, reading='global')").splitlines()
    ['BatchEnsembleValueIteration', "(batches=4, reading='global')"]
    """
    if len(title) <= _TITLE_WIDTH:
        return title
    name, bracket, rest = title.partition("(")
    parts = [part for part in (name, bracket + rest) if part]
    return "\n".join(textwrap.fill(part, _TITLE_WIDTH) for part in parts)


def _heat(axes: Any, values: Floats, norm: Any) -> Any:
    """One map; places never visited are white, and impossible ones are grey."""
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
    _whole_ticks(axes.yaxis, values.shape[0])
    _whole_ticks(axes.xaxis, values.shape[1])
    return image


def _whole_ticks(axis: Any, count: int) -> None:
    """Label 0, 1, ..., all of them if they are few; Matplotlib would label halves of one or two."""
    if count <= _MOST_TICKS:
        axis.set_ticks(range(count))
    else:
        axis.get_major_locator().set_params(integer=True, nbins=_MOST_TICKS - 1)


def save_bids(
    bids: Floats, optimal: Floats, title: str, folder: Path, name: str, *, are_losses: bool = False
) -> list[Path]:
    """Draw each batch's estimates of states and actions beside the truth, as PNG and SVG.

    The upper panel shows the value of a state, each batch's best bid; the lower one shows the
    bids for each action, if there are few enough to distinguish.

    Parameters
    ----------
    bids : array
        Each batch's estimates, (batch, state, action); NaN for actions that do not exist.
    optimal : array
        The optimal values, (state, action); NaN for states that cannot be reached.
    title : str
        Its title.
    folder : Path
        The folder for the files.
    name : str
        The name of the files, without extension.
    are_losses : bool
        Whether lower bids are better.
    """
    _, states, actions = bids.shape
    if states > _MOST_STATES:
        raise InvalidValueError(
            f"there are {states} states; bids can be drawn for at most {_MOST_STATES}."
        )
    by_action = 1 < states * actions <= _MOST_BIDS
    rows = 2 if by_action else 1
    width = min(max(5.5, 0.2 * states * (actions if by_action else 1) + 2.5), 10.0)
    known = np.isfinite(optimal).any(axis=1)
    with matplotlib_without_screen() as plt:
        canvas, grid = plt.subplots(rows, 1, figsize=(width, 2.7 * rows + 0.6), sharex=True)
        margins(canvas, left=0.65, right=1.4, top=0.35, bottom=0.5, between=0.3)
        panels = np.atleast_1d(grid)
        values = np.where(known, _best(bids, are_losses), np.nan)
        truth = np.where(known, _best(optimal, are_losses), np.nan)
        _marks(panels[0], values, truth, 0.0, 0.36, style(0).colour)
        _batch_legend(panels[0], len(bids))
        panels[0].set_ylabel("value of the state")
        if by_action:
            for action in range(actions):
                shift = (action - (actions - 1) / 2) * 0.8 / actions
                colour, half = style(action + 1).colour, 0.36 / actions
                shown = np.where(known, bids[:, :, action], np.nan)
                _marks(panels[1], shown, optimal[:, action], shift, half, colour)
                panels[1].text(
                    1.03, 0.95 - 0.09 * action, f"action {action}", color=colour,
                    transform=panels[1].transAxes, va="top",
                )  # fmt: skip
            panels[1].set_ylabel("bids for each action")
        panels[0].set_title(title, loc="left")
        panels[-1].set_xlabel("state, at the first stage that can reach it")
        _whole_ticks(panels[-1].xaxis, states)
        return save_png_and_svg(canvas, plt, folder, name)


def _best(values: Floats, are_losses: bool) -> Floats:
    """The best of the last axis, without the NaN in it."""
    sign = -1.0 if are_losses else 1.0
    return sign * np.max(sign * values, axis=-1, initial=-np.inf, where=np.isfinite(values))


def _marks(axes: Any, bids: Floats, truth: Floats, shift: float, half: float, colour: str) -> None:
    """Each batch's estimates, (batch, state), as marks, and the truth as short lines."""
    at = np.arange(bids.shape[1]) + shift
    for batch, each in enumerate(bids):
        marker = _MARKERS[batch % len(_MARKERS)]
        axes.plot(at, each, marker, color=colour, markersize=4.0, alpha=0.75, linestyle="none")
    axes.hlines(truth, at - half, at + half, color=colour, linewidth=1.8)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)


def _batch_legend(axes: Any, batches: int) -> None:
    """A legend of the marks, beside the axes."""
    from matplotlib.lines import Line2D

    colour = style(0).colour
    look: dict[str, Any] = {"linestyle": "none", "color": colour, "markersize": 4.0}
    shown = [Line2D([], [], marker=_MARKERS[j], **look) for j in range(min(batches, 4))]
    names = [f"batch {j + 1}" for j in range(len(shown))]
    if batches > len(shown):
        names[-1] = f"batches {len(shown)} to {batches}"
    shown.append(Line2D([], [], color=colour, linewidth=1.8))
    axes.legend(
        shown, [*names, "the truth"], loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False,
        handlelength=1.2,
    )  # fmt: skip
