"""Pictures drawn twice: for light pages and for dark ones."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, NamedTuple

from lowbid.report._blocks import Picture
from lowbid.report._figures import matplotlib_without_screen
from lowbid.report._palette import DARK as DARK_COLOURS
from lowbid.report._palette import style

Draw = Callable[[Any, "Theme"], None]


class Theme(NamedTuple):
    """The colours of a page that a picture must match: those of ``page.css``."""

    ink: str
    faint: str
    grid: str
    dark: bool

    def colour(self, number: int) -> str:
        """The colour of the first, second, ... curve."""
        return self.shown(style(number).colour)

    def shown(self, colour: str) -> str:
        """A colour of a curve as it is on this page."""
        return DARK_COLOURS[colour] if self.dark else colour


LIGHT = Theme(ink="#1c1f22", faint="#5f666d", grid="#e2e3e1", dark=False)
DARK = Theme(ink="#e7e8e6", faint="#a0a7ad", grid="#30363c", dark=True)


def picture(key: str, caption: str, draw: Draw, size: tuple[float, float] = (4.8, 4.2)) -> Picture:
    """A picture in both themes; `draw` is called with axes and a theme, `size` is in inches."""
    return Picture(key, caption, svg(draw, LIGHT, size), svg(draw, DARK, size))


def svg(draw: Draw, theme: Theme, size: tuple[float, float]) -> str:
    """One picture in one theme, with a transparent ground."""
    colours = {
        "text.color": theme.ink,
        "axes.labelcolor": theme.ink,
        "axes.edgecolor": theme.faint,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "xtick.color": theme.ink,
        "ytick.color": theme.ink,
        "grid.color": theme.grid,
        "svg.fonttype": "path",
    }
    with matplotlib_without_screen(colours) as plt:
        figure, axes = plt.subplots(figsize=size, layout="constrained")
        draw(axes, theme)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
        plt.close(figure)
    text = file.getvalue()
    return text[text.index("<svg") :]
