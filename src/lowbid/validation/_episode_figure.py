"""One published figure about episodes: a regret, a share, or a power."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from lowbid._arrays import Floats
from lowbid.validation._cell import TOO_FAR


@dataclasses.dataclass(frozen=True)
class EpisodeFigure:
    """A figure, and how it is measured here.

    Attributes
    ----------
    source : str
        Its source.
    problem : str
        The environment, and what is measured.
    label : str
        The rule.
    horizon : int
        The number of episodes.
    regret : float
        The figure.
    measure : function
        Maps a number of runs and a seed to one number per run.
    error : float
        The figure's standard error.
    tolerance : float
        How far ours may differ from it beyond the errors, where a small difference is known.
    at_most : bool
        Whether the figure is an upper bound on ours.
    most_runs : int
        The largest number of runs that is needed.
    """

    source: str
    problem: str
    label: str
    horizon: int
    regret: float
    measure: Callable[[int, int], Floats]
    error: float = 0.0
    tolerance: float = 0.0
    at_most: bool = False
    most_runs: int = 100

    def measured(self, runs: int, seed: int, progress: bool | None) -> Floats:
        """Our figure in each run."""
        return self.measure(min(runs, self.most_runs), seed)

    def accepts(self, regret: float, distance: float) -> bool:
        """Whether our mean, this many standard errors from the published one, agrees with it."""
        if self.at_most:
            return regret <= self.regret or distance <= TOO_FAR
        return abs(distance) <= TOO_FAR or abs(regret - self.regret) <= self.tolerance

    def standard_error(self, sd: float) -> float:
        """The standard error of the published figure."""
        return self.error
