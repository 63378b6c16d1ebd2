r"""Lemmas 1 and 4 of the paper: how far below the mean an estimate can fall.

Lemma 1, called Bernstein's inequality there, lacks a factor 2 under the root. The functions here
are the corrected ones; the printed ones are in `lowbid.theory.printed`, and `bernoulli_shortfall`
computes the exact probabilities that distinguish them: for Bernoulli(1/2) losses, n = 10^6 and
log(1/delta) = 10, the printed bound is violated with probability 6.8e-4, 15 times the 4.5e-5 that
it claims.

References
----------
.. [1] S. Boucheron, G. Lugosi, P. Massart (2013). Concentration inequalities, section 2.8.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._require import (
    require_finite,
    require_numbers,
    require_probability,
    require_value,
    require_whole,
)
from lowbid.environments import Arms
from lowbid.schedules import MOST_BATCHES
from lowbid.theory._inputs import MOST_RUNS, require_losses
from lowbid.theory._sampling import worst_shortfalls
from lowbid.theory._tails import binomial_cdf
from lowbid.theory.laws import Chance, simulated


def bernstein(n: npt.ArrayLike, variance: float, delta: float, scale: float = 1.0) -> Floats:
    r"""How far the mean of n losses in [0, b] falls below its expectation, at confidence 1 - delta.

    .. math:: \sqrt{2 \sigma^2 \log(1/\delta) / n} + b \log(1/\delta) / (3 n)

    Parameters
    ----------
    n : array of int
        The number of losses.
    variance : float
        The variance of one loss.
    delta : float
        The probability of falling further.
    scale : float
        b, the largest loss; the smallest is 0.

    Examples
    --------
    >>> float(bernstein(100, variance=0.25, delta=0.05).round(4))
    0.1324
    """
    require_probability("delta", delta)
    require_finite("variance", variance, above=0.0, or_equal=True)
    require_finite("scale", scale, above=0.0)
    log = -math.log(delta)
    n = require_losses(n)
    return np.sqrt(2.0 * variance * log / n) + scale * log / (3.0 * n)


def bernoulli_shortfall(n: int, mean: float, width: float) -> float:
    """The exact probability that the mean of n Bernoulli losses is below `mean` - `width`.

    Examples
    --------
    >>> from lowbid.theory import printed
    >>> delta = 4.5e-5
    >>> width = float(printed.bernstein(10**6, variance=0.25, delta=delta))
    >>> print(f"{bernoulli_shortfall(10**6, 0.5, width) / delta:.1f} times delta")
    15.1 times delta
    >>> width = float(bernstein(10**6, variance=0.25, delta=delta))
    >>> print(f"{bernoulli_shortfall(10**6, 0.5, width) / delta:.2f} times delta")
    0.08 times delta
    """
    n = require_whole("n", n)
    require_probability("mean", mean, ends=True)
    require_finite("width", width, above=0.0, or_equal=True)
    return float(binomial_cdf(math.ceil(n * (mean - width)) - 1, n, float(mean)))


def index_width(
    n: npt.ArrayLike,
    batches: int,
    variance: float,
    horizon: int,
    delta: float,
    scale: float = 1.0,
) -> Floats:
    r"""How far Batch Ensemble's index of n losses can fall below the mean: Lemma 4, corrected.

    With probability at least 1 - delta, for all n up to the horizon T simultaneously, the index of
    l batches is not below the mean by more than

    .. math:: \frac{2b}{n/l + 1} \log\frac{3T}{\delta}
        + \sqrt{\frac{2 \sigma^2}{n/l + 1} \log\frac{T}{\delta}}.

    The factor 2 under the root is missing in the paper, as in its Lemma 1.

    Examples
    --------
    >>> float(index_width(2000, batches=40, variance=0.25, horizon=2000, delta=0.05).round(3))
    0.781
    """
    require_probability("delta", delta)
    require_finite("variance", variance, above=0.0, or_equal=True)
    require_finite("scale", scale, above=0.0)
    horizon = require_whole("horizon", horizon)
    size = require_losses(n) / require_whole("batches", batches) + 1.0
    return 2.0 * scale / size * math.log(3.0 * horizon / delta) + np.sqrt(
        2.0 * variance / size * math.log(horizon / delta)
    )


def index_falls_below(
    arm: Arms, batches: int, widths: npt.ArrayLike, runs: int = 1000, seed: int = 0
) -> Chance:
    """The simulated probability that the index is below the mean by more than its width at some n.

    Parameters
    ----------
    arm : Arms
        An environment with one arm.
    batches : int
        The number of batches.
    widths : array
        The allowed width after 1, 2, ... losses.
    runs, seed : int
        The number of independent runs, and their seed.

    Examples
    --------
    >>> import lowbid, numpy as np
    >>> widths = index_width(np.arange(1, 1001), 4, 0.25, horizon=1000, delta=0.05)
    >>> print(index_falls_below(lowbid.Bernoulli([0.5]), 4, widths))
    0 (simulated, 95% interval 0 to 0.003682)
    """
    one = isinstance(arm, Arms) and arm.n_arms == 1
    require_value("arm", arm, one, "give an environment with one arm.")
    allowed = require_numbers("widths", widths, "a list of numbers")
    require_value("widths", widths, allowed.ndim == 1, "give a list of numbers.")
    batches = require_whole("batches", batches, at_most=MOST_BATCHES)
    runs = require_whole("runs", runs, at_most=MOST_RUNS)
    worst = worst_shortfalls(arm, batches, allowed, runs, seed)
    return simulated(int((worst > 0.0).sum()), runs)
