"""Checks that every environment must pass."""

from __future__ import annotations

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import checked, interpreted
from lowbid.environments import Changing, Environment
from lowbid.simulation import loss_of
from lowbid.testing._promises import inside_arrays

_SEED = 11
_STEPS = (1, 2, 150, 400)  # of arms that change


def check_environment(environment: Environment, draws: int = 4000) -> None:
    """Check that an environment keeps the promises common to all environments.

    - Its losses have the means and variances that it states, and lie in its support.
    - The indices of its kernels are inside their arrays.
    - A loss depends only on the seed, the run, the arm and its number, and is the same compiled and
      uncompiled.
    - If the arms change, all this holds at the first step and at later ones, and the state of the
      arms depends only on the seed, the run and the step.

    Parameters
    ----------
    environment : Environment
        The environment to check.
    draws : int
        The number of losses to draw from each arm. A mean or variance that is off by more than five
        standard errors counts as wrong; by chance, that happens less than once in a million times.

    Raises
    ------
    AssertionError
        If a promise is broken; the message says which.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid.testing import check_environment
    >>> check_environment(lowbid.Bernoulli([0.2, 0.7]))
    """
    if not isinstance(environment, Changing):
        _check_losses(environment, environment.table(_SEED, 2), draws)
        return
    _check_changes(environment)
    for step in _STEPS:
        _check_losses(environment, environment.table_at(step, _SEED), draws)


def _check_changes(environment: Changing) -> None:
    """Check that the table of changing arms is the same however a step is reached."""
    means = environment.means_at(_STEPS, _SEED)
    again = np.concatenate([environment.means_at([step], _SEED) for step in _STEPS])
    with interpreted():
        plain = environment.means_at(_STEPS, _SEED)
    for arm in range(environment.n_arms):
        for found, what in ((again, "course from step to step"), (plain, "uncompiled course")):
            _expect(bool((found[:, arm] == means[:, arm]).all()), environment, arm, what)
    stage = environment.stage(_SEED)
    environment.begin(*stage, 0)
    for step in range(1, _STEPS[-1] + 1):
        environment.move(*stage, step)
        if step in _STEPS:
            now = environment.means_of(stage.table)
            for arm in range(environment.n_arms):
                gap = now[0, arm] - now[0].min()
                _expect(abs(stage.gaps[0, arm] - gap) <= 1e-12, environment, arm, "gap")


def _check_losses(environment: Environment, table: Floats, draws: int) -> None:
    means, variances = environment.means_of(table), environment.variances_of(table)
    low, high = environment.support
    for arm in range(environment.n_arms):
        with inside_arrays(repr(environment)):
            with interpreted():
                plain = [loss_of(environment, table, _SEED, 0, arm, n) for n in range(20)]
            with checked():
                careful = [loss_of(environment, table, _SEED, 0, arm, n) for n in range(20)]
        losses = np.array([loss_of(environment, table, _SEED, 0, arm, n) for n in range(draws)])
        _expect(bool((losses >= low).all() and (losses <= high).all()), environment, arm, "support")
        _expect(_near(losses, means[0, arm]), environment, arm, "mean")
        squares = (losses - means[0, arm]) ** 2
        _expect(_near(squares, variances[0, arm]), environment, arm, "variance")
        same = plain == careful == losses[:20].tolist()
        _expect(same, environment, arm, "uncompiled draw")


def _near(samples: np.ndarray, expected: float) -> bool:
    error = samples.std() / np.sqrt(len(samples))
    return bool(abs(samples.mean() - expected) <= 5.0 * error + 1e-9 * (1.0 + abs(expected)))


def _expect(condition: bool, environment: Environment, arm: int, what: str) -> None:
    if not condition:
        raise AssertionError(f"{environment!r}: the {what} of arm {arm} is not what it states")
