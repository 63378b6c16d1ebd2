"""The base class of environments whose arms change from step to step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._require import require, require_whole
from lowbid.environments._base import Environment

# Steps that are walked through to find the means at the last of them.
_LONGEST_WALK = 100_000_000


class Stage(NamedTuple):
    """The current arms of one run, and the data that determines their changes.

    Attributes
    ----------
    table
        Their parameters, (1, arm, column).
    gaps
        How far each mean is above the lowest one, (1, arm).
    world
        The data that `begin` and `move` read and write, a named tuple; empty for arms that do not
        change.
    """

    table: Floats
    gaps: Floats
    world: Any


class Changing(Environment):
    """Base class of environments whose arms change from step to step, whatever is played.

    A loss is drawn by a kernel ``draw(table, instance, arm, stream)`` as in every environment. Two
    more kernels keep the table, and the gaps between the means in it, up to date:
    ``begin(table, gaps, world, run)`` when a run begins, and ``move(table, gaps, world, step)``
    before each step, counted from 1.

    Random changes are drawn from a separate stream for each run: the arms' parameters are a
    function of (seed, run, step). The randomness of an arm's n-th loss remains a function of (seed,
    run, arm, n) instead of (seed, run, arm, step), so that arms that happen not to change have the
    same losses, bit for bit, as arms that cannot change.
    """

    # The arms' parameters before the first step, (1, arm, column).
    first_table: Floats

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return self.first_table.shape[1]

    @property
    def finite_variance(self) -> bool:
        """Whether all variances are finite."""
        return True

    def world(self, seed: int) -> Any:
        """The data of the arms' changes, with room for their current state."""
        raise NotImplementedError

    def stage(self, seed: int) -> Stage:
        """Arms to play, not yet set to a run."""
        return Stage(self.first_table.copy(), np.zeros((1, self.n_arms)), self.world(seed))

    def table(self, seed: int = 0, runs: int = 1) -> Floats:
        """The arms' parameters at the first step, the same in all runs."""
        return self.table_at(1, seed)

    def table_at(self, step: int, seed: int = 0, run: int = 0) -> Floats:
        """The arms' parameters at a step of a run, (1, arm, column)."""
        return next(self._walk(np.atleast_1d(step), seed, run)).table

    def means_at(self, steps: npt.ArrayLike, seed: int = 0, run: int = 0) -> Floats:
        """The arms' mean losses at increasing steps of a run, (step, arm).

        >>> import lowbid
        >>> arms = lowbid.Switching([lowbid.Bernoulli([0.1, 0.5]), lowbid.Bernoulli([0.5, 0.1])],
        ...                         after=[100])
        >>> arms.means_at([100, 101])
        array([[0.1, 0.5],
               [0.5, 0.1]])
        """
        walk = self._walk(np.atleast_1d(steps), seed, run)
        return np.concatenate([self.means_of(now.table).copy() for now in walk])

    def _walk(self, steps: npt.NDArray[Any], seed: int, run: int) -> Iterator[Stage]:
        """The stage at each of the steps; it is the same object each time."""
        whole = steps.ndim == 1 and steps.size > 0 and np.issubdtype(steps.dtype, np.integer)
        require(
            whole
            and bool(steps[0] >= 1 and steps[-1] <= _LONGEST_WALK and (np.diff(steps) > 0).all()),
            f"steps are {steps!r}; give increasing whole numbers from 1 to {_LONGEST_WALK:,}.",
        )
        run = require_whole("run", run, at_least=0)
        stage = self.stage(seed)
        self.begin(*stage, run)
        step = 0
        for wanted in steps.tolist():
            while step < wanted:
                step += 1
                self.move(*stage, step)
            yield stage
