"""Proven upper bounds on the expected regret of classical policies."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._require import require
from lowbid.environments import Environment
from lowbid.theory._inputs import require_steps
from lowbid.theory._instance import Instance, instance_of
from lowbid.theory.lower import bernoulli_divergence

Bound = Callable[[Environment, npt.ArrayLike], Floats]


def _bounded(what: str, environment: Environment) -> tuple[Instance, float]:
    """The instance, and the width of the range that contains all its losses."""
    instance = instance_of(environment)
    low, high = environment.support
    require(
        math.isfinite(high - low),
        f"{what} is proved for losses in an interval, but {environment!r} gives losses from "
        f"{low:g} to {high:g}; clip them, or leave the bound out.",
    )
    return instance, high - low


def ucb1(environment: Environment, t: npt.ArrayLike) -> Floats:
    r"""A bound on the expected regret of UCB1 with `scale` b, for losses in a range of width b.

    .. math:: \sum_a \frac{8 b^2 \log t}{\Delta_a} + \Big(1 + \frac{\pi^2}3\Big) \sum_a \Delta_a

    Examples
    --------
    >>> import lowbid
    >>> ucb1(lowbid.Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3]), [2000, 20_000]).round()
    array([1165., 1517.])

    References
    ----------
    .. [1] P. Auer, N. Cesa-Bianchi, P. Fischer (2002). Finite-time analysis of the multiarmed
       bandit problem. Machine Learning 47, Theorem 1.
    """
    (instance, width), t = _bounded("UCB1's bound", environment), require_steps(t)
    first = 8.0 * width**2 * (1.0 / instance.gaps).sum() * np.log(t)
    return first + (1.0 + math.pi**2 / 3.0) * instance.gaps.sum()


def ucb_v(environment: Environment, t: npt.ArrayLike) -> Floats:
    r"""A bound on UCB-V's expected regret, with zeta = 1.2, c = 1 and losses in a range of width b.

    .. math:: 10 \sum_a \Big(\frac{\sigma_a^2}{\Delta_a} + 2b\Big) \log t, \quad t \ge 2

    References
    ----------
    .. [1] J.-Y. Audibert, R. Munos, C. Szepesvári (2009). Exploration-exploitation tradeoff using
       variance estimates in multi-armed bandits. Theoretical Computer Science 410, Theorem 4.
    """
    (instance, width), t = _bounded("UCB-V's bound", environment), require_steps(t)
    terms = instance.variances / instance.gaps + 2.0 * width
    return 10.0 * terms.sum() * np.log(np.maximum(t, 2.0))


def kl_ucb(environment: Environment, t: npt.ArrayLike) -> Floats:
    r"""A bound on the expected regret of Bernoulli KL-UCB, for losses in [0, 1].

    The exploration function is log(1 + t log^2 t):

    .. math:: \sum_a \Delta_a \inf_{\epsilon_1 + \epsilon_2 < \Delta_a} \Big(
        \frac{\log(1 + t \log^2 t)}{d(\mu_a - \epsilon_1, \mu_* + \epsilon_2)}
        + \frac1{2\epsilon_1^2} + \frac2{\epsilon_2^2}\Big)

    The infimum is taken over a grid, so the value is slightly above it: by at most 0.3% in the
    cases tried. The book states it for Bernoulli arms; its proof uses only Chernoff's bound with
    d, which holds for losses in [0, 1].

    References
    ----------
    .. [1] T. Lattimore, C. Szepesvári (2020). Bandit algorithms. Cambridge University Press,
       Theorem 10.6.
    """
    instance, t = instance_of(environment), require_steps(t)
    low, high = environment.support
    require(
        low >= 0.0 and high <= 1.0,
        f"KL-UCB's bound is proved for losses from 0 to 1, but {environment!r} gives losses from "
        f"{low:g} to {high:g}; scale them.",
    )
    parts = np.geomspace(0.02, 0.96, 50)
    first, second = (grid.ravel() for grid in np.meshgrid(parts, parts))
    first, second = first[first + second < 1.0], second[first + second < 1.0]
    budget = np.log1p(t * np.log(t) ** 2)[..., np.newaxis]
    total = np.zeros(t.shape)
    for mean, gap in zip(instance.means, instance.gaps, strict=True):
        distance = bernoulli_divergence(mean - gap * first, instance.best + gap * second)
        distance = np.maximum(distance, np.finfo(np.float64).tiny)
        constant = 0.5 / (gap * first) ** 2 + 2.0 / (gap * second) ** 2
        total += gap * (budget / distance + constant).min(axis=-1)
    return total
