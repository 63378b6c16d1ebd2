"""The losses of a simulation, one at a time."""

from __future__ import annotations

import numpy as np

from lowbid._arrays import Floats
from lowbid._random import key, seek_loss, stream_of_run
from lowbid.environments import Environment


def loss_of(
    environment: Environment, table: Floats, seed: int, run: int, arm: int, n: int
) -> float:
    """The n-th loss of an arm, counted from 0, in a run of a simulation with this seed.

    Parameters
    ----------
    environment : Environment
        The arms.
    table : array
        Their parameters: ``environment.table(seed, runs)``, or, for arms that change,
        ``environment.table_at(step, seed, run)`` with the step at which the arm is played.
    seed, run, arm, n : int
        The loss depends on these, on the step if the arms change, and on nothing else.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Uniform(0.0, [1.0, 2.0])
    >>> table = arms.table()
    >>> one, two = (loss_of(arms, table, seed=0, run=0, arm=1, n=n) for n in (0, 1))
    >>> one != two and one == loss_of(arms, table, seed=0, run=0, arm=1, n=0)
    True
    """
    stream = np.zeros(1, np.uint64)
    seek_loss(stream, stream_of_run(key(seed, "losses"), run), arm, n)
    return float(environment.draw(table, run if len(table) > 1 else 0, arm, stream))
