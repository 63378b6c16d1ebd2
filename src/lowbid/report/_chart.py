"""The content of a figure, independent of how it is drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from lowbid.report._palette import Style, styles_of
from lowbid.simulation import Result


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
        The result that it shows.
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
    return styles_of(name for chart in charts for name in chart.result.policies)
