"""Arms whose means move, a little at each step."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._require import invalid, require
from lowbid.environments._base import Arms
from lowbid.environments._changing import Changing
from lowbid.environments._path import Path
from lowbid.environments.given_means import GivenMeans
from lowbid.errors import InvalidValueError


class Drifting(Changing):
    """Arms whose means move along a path, a little at each step.

    Parameters
    ----------
    environment : Arms
        The arms at the start. Their means move, and everything else stays the same, for example the
        standard deviations of `Gaussian` arms. They must be of a family whose first parameter is
        the mean.
    path : Path or array
        How the means move: at random (`RandomWalk`), in waves (`Wave`), or as given for each step
        (an array (step, arm), or `GivenMeans.of` a function of the step).

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Drifting(lowbid.Gaussian([0.2, 0.5, 0.8], sd=0.1),
    ...                        lowbid.RandomWalk(sd=0.01))
    >>> arms.means_at([1, 500]).round(2)
    array([[0.2 , 0.5 , 0.8 ],
           [0.2 , 0.04, 0.19]])
    """

    def __init__(self, environment: Arms, path: Path | npt.ArrayLike) -> None:
        if not isinstance(environment, Arms):
            raise invalid(
                "environment",
                environment,
                "give arms such as Bernoulli([0.1, 0.5]) that neither change nor are drawn at "
                "random.",
            )
        self.first_table = environment.table()
        first, *_ = environment.columns if hasattr(environment, "columns") else ("",)
        require(
            first in ("mean", "loss")
            and np.array_equal(environment.means_of(self.first_table), self.first_table[..., 0]),
            f"{environment!r} cannot drift: its first parameter is not the mean; give arms such as "
            "Bernoulli or Gaussian ones.",
        )
        if callable(path):
            raise InvalidValueError(
                f"path is the function {path!r}; give GivenMeans.of(function, steps=...), which "
                "evaluates it for each step."
            )
        self.environment = environment
        self.path = path if isinstance(path, Path) else GivenMeans(path)
        others = {name: values for name, values in environment.columns.items() if name != first}
        family: Any = type(environment)
        # All that lies between two good means of a family is good.
        self._ends = [
            family(**{first: end}, **others) for end in self.path.ends(self.first_table[0, :, 0])
        ]
        self.draw, self.begin, self.move = environment.draw, self.path.begin, self.path.move

    @property
    def finite_variance(self) -> bool:
        """Whether all variances are finite."""
        return self.environment.finite_variance

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        lows, highs = zip(*(end.support for end in self._ends), strict=True)
        return min(lows), max(highs)

    def world(self, seed: int) -> Any:
        """The data of the path."""
        return self.path.world(self.first_table[0, :, 0].copy(), seed)

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return self.environment.means_of(table)

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return self.environment.variances_of(table)

    def describe(self) -> dict[str, Any]:
        """The arms, and how their means move."""
        return {
            "environment": "Drifting",
            "of": self.environment.describe(),
            **self.path.describe(),
        }

    def __repr__(self) -> str:
        return f"Drifting({self.environment!r}, {self.path!r})"
