r"""What it takes to know the best arm: the lower bound of Garivier and Kaufmann.

Whatever rule chooses the arms and stops, if its answer is wrong with a probability of at most δ on
all Bernoulli (or Gaussian) arms, then the mean number of plays is at least, as δ falls to 0,

.. math:: T^* \log \frac1\delta, \qquad
    \frac{1}{T^*} = \max_w \min_{a \ne 1} \inf_m \; w_1 d(\mu_1, m) + w_a d(\mu_a, m),

where arm 1 is the best, d is the divergence, and w are the shares of the plays that the arms get.

References
----------
.. [1] A. Garivier, E. Kaufmann (2016). Optimal best arm identification with fixed confidence. COLT.
   Theorem 1 and section 2.2, from which the computation is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats
from lowbid._require import require, require_finite, require_numbers
from lowbid.policies import bernoulli_divergence

_HALVINGS = 100

Divergence = Callable[[float, float], float]


class Complexity(NamedTuple):
    """What it takes to know the best arm.

    Attributes
    ----------
    plays : float
        T*: the least mean number of plays, per log(1 / error).
    shares : array
        The share of the plays that each arm gets in the best allocation.
    """

    plays: float
    shares: Floats


def bernoulli_complexity(means: Floats | list[float]) -> Complexity:
    """The complexity of Bernoulli arms with these mean losses, of which the lowest is best.

    Examples
    --------
    >>> from lowbid.theory import best_arm
    >>> plays, shares = best_arm.bernoulli_complexity([0.7, 0.79, 0.8, 0.81, 0.82])
    >>> print(f"{plays:.0f}", shares.round(3).tolist())
    327 [0.336, 0.251, 0.177, 0.132, 0.104]
    """
    known = require_numbers("means", means, "numbers between 0 and 1", 0.0, 1.0)
    require(bool(((known > 0.0) & (known < 1.0)).all()), "means must lie strictly between 0 and 1.")
    return _complexity(known, lambda p, q: bernoulli_divergence.uncompiled(p, q, 1.0))


def gaussian_complexity(means: Floats | list[float], sd: float = 1.0) -> Complexity:
    """The complexity of Gaussian arms with these mean losses and a common standard deviation."""
    require_finite("sd", sd, above=0.0)
    known = require_numbers("means", means, "finite numbers")
    return _complexity(known, lambda p, q: (p - q) ** 2 / (2.0 * sd * sd))


def _complexity(means: Floats, divergence: Divergence) -> Complexity:
    require(means.ndim == 1 and len(means) > 1, "give the means of two arms or more.")
    order = np.argsort(means)
    best, others = float(means[order[0]]), means[order[1:]].tolist()
    require(others[0] > best, f"two arms have the best mean, {best:g}; give arms with one best.")

    def ratios(level: float) -> list[float]:
        return [_ratio(best, other, level, divergence) for other in others]

    def balance(level: float) -> float:
        total = 0.0
        for other, x in zip(others, ratios(level), strict=True):
            middle = (best + x * other) / (1.0 + x)
            total += divergence(best, middle) / divergence(other, middle)
        return total

    low, high = 0.0, divergence(best, others[0])
    for _ in range(_HALVINGS):
        level = 0.5 * (low + high)
        if level in (low, high):
            break
        low, high = (level, high) if balance(level) < 1.0 else (low, level)
    plays = np.array([1.0, *ratios(low)])
    shares = np.empty(len(means))
    shares[order] = plays / plays.sum()
    return Complexity(float(plays.sum() / low), shares)


def _ratio(best: float, other: float, level: float, divergence: Divergence) -> float:
    """How often an arm is played per play of the best one, for evidence of `level` per play."""

    def evidence(x: float) -> float:
        middle = (best + x * other) / (1.0 + x)
        return divergence(best, middle) + x * divergence(other, middle)

    high = 1.0
    while evidence(high) < level and high < math.inf:
        high *= 2.0
    low = 0.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if evidence(middle) < level else (low, middle)
    return 0.5 * (low + high)
