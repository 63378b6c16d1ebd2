"""What a figure shows, however it is drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid.simulation import Result

# The colours of M. Okabe and K. Ito (2008), Color universal design, which people with any kind of
# colour vision can tell apart; with grey instead of yellow, which is lost on white paper, and brown
# added.
_COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#7A7A7A",
    "#7B3F1D",
)
# The same colours, lightened for dark pages.
DARK = dict(
    zip(
        _COLOURS,
        (
            "#3f9fe0",
            "#ff8a4c",
            "#2cc79b",
            "#e79fc6",
            "#f2b632",
            "#9ad7ff",
            "#f2f2f0",
            "#a8a8a8",
            "#c58f6b",
        ),
        strict=True,
    )
)
# Lengths of strokes and of the gaps between them, in line widths; none for a solid line.
_DASHES = ((), (5.0, 1.6), (1.2, 1.4), (6.0, 1.5, 1.2, 1.5), (9.0, 2.5))
_MORE_DASHES = (*_DASHES, (2.5, 4.0), (9.0, 1.5, 1.2, 1.5, 1.2, 1.5))


class Style(NamedTuple):
    """How a curve is drawn: a colour, and a dash pattern that distinguishes it in grey print."""

    colour: str
    dashes: tuple[float, ...]


@dataclasses.dataclass(frozen=True)
class Chart:
    """Mean regret over time, one curve per policy.

    Attributes
    ----------
    key : str
        A short name, also used for its files.
    title : str
        Its title.
    result : Result
        What it shows.
    marks : mapping
        Steps to mark, by label.
    curves : mapping
        Further curves by name, such as bounds, with one value per checkpoint.
    log : bool
        Whether both axes are logarithmic.
    notes : mapping
        How to read the curves, by name.
    unit : str
        The unit of the horizontal axis.
    """

    key: str
    title: str
    result: Result
    marks: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    curves: Mapping[str, npt.NDArray[np.float64]] = dataclasses.field(default_factory=dict)
    log: bool = False
    notes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    unit: str = "step"


def styles(charts: Iterable[Chart]) -> dict[str, Style]:
    """A style for each policy, the same in all charts."""
    names = dict.fromkeys(name for chart in charts for name in chart.result.policies)
    return {name: style(number) for number, name in enumerate(names)}


def bound_dashes(number: int) -> tuple[float, ...]:
    """The strokes of the first, second, ... of the chart's further curves, all grey; 7 differ."""
    return _MORE_DASHES[number % len(_MORE_DASHES)]


def first_styles() -> list[Style]:
    """Styles of as many curves as there are colours."""
    return [style(number) for number in range(len(_COLOURS))]


def style(number: int) -> Style:
    """The style of the first, second, ... curve; 45 of them differ."""
    return Style(_COLOURS[number % len(_COLOURS)], _DASHES[number % len(_DASHES)])
