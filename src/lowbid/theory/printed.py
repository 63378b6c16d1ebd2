"""The paper's Lemma 1, Lemma 4 and Theorem 1 as printed, for comparison.

They are not correct as printed: `lowbid.theory.theorem1` says what changes, and why. Theorem 2 is
correct as printed, since its proof starts from the correct form of Bernstein's inequality.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._require import require_finite, require_probability, require_whole
from lowbid.environments import Environment
from lowbid.theory._inputs import require_losses, require_steps
from lowbid.theory.optimism import PAPER
from lowbid.theory.theorem1 import _checked, _log


def bernstein(n: npt.ArrayLike, variance: float, delta: float) -> Floats:
    """Lemma 1 as printed, where a factor 2 is missing under the root.

    Examples
    --------
    >>> float(bernstein(100, variance=0.25, delta=0.05).round(4))
    0.1465
    """
    require_probability("delta", delta)
    require_finite("variance", variance, above=0.0, or_equal=True)
    n, log = require_losses(n), -math.log(delta)
    return 2.0 * log / n + np.sqrt(variance / n * log)


def index_width(
    n: npt.ArrayLike, batches: int, variance: float, horizon: int, delta: float
) -> Floats:
    """Lemma 4 as printed, where the same factor 2 is missing."""
    require_probability("delta", delta)
    require_finite("variance", variance, above=0.0, or_equal=True)
    horizon = require_whole("horizon", horizon)
    size = require_losses(n) / require_whole("batches", batches) + 1.0
    return 2.0 / size * math.log(3.0 * horizon / delta) + np.sqrt(
        variance / size * math.log(horizon / delta)
    )


def theorem1_variance_form(
    environment: Environment, t: npt.ArrayLike, delta: float = 0.05
) -> Floats:
    """The variance form: (7/2) sum_a (variance / gap + 2 b_a) log^2(6 T K / delta)."""
    instance, t = _checked(environment, delta, PAPER), require_steps(t)
    terms = instance.variances / instance.gaps + 2.0 * instance.scales
    return 3.5 * terms.sum() * _log(instance, t, delta) ** 2


def theorem1_mean_form(environment: Environment, t: npt.ArrayLike, delta: float = 0.05) -> Floats:
    """The form with means: (7/2) sum_a (mean / gap + 3 b_a) log^2(6 T K / delta)."""
    instance, t = _checked(environment, delta, PAPER), require_steps(t)
    terms = instance.best / instance.gaps + 3.0 * instance.scales
    return 3.5 * terms.sum() * _log(instance, t, delta) ** 2


def theorem1_independent_form(
    environment: Environment, t: npt.ArrayLike, delta: float = 0.05
) -> Floats:
    """The gap-free form: sqrt(14 T min{...}) log(...) + 11 K log^2(...).

    For scaled arms, the paper has the sum of the suboptimal arms' scales instead of K in the last
    term.
    """
    instance, t = _checked(environment, delta, PAPER), require_steps(t)
    log, scales = _log(instance, t, delta), instance.scales
    total = instance.n_arms if (scales == 1.0).all() else scales.sum()
    noise = min(instance.best * instance.n_arms, instance.variances.sum())
    return np.sqrt(14.0 * t * noise) * log + 11.0 * total * log**2
