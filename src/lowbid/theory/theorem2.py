r"""Theorem 2 of the paper: expected regret at every step, without a horizon or a confidence level.

For Batch Ensemble with :math:`l_t = 8 \log t` batches, which redistributes its history when batches
are added, the expected regret satisfies the bounds below at every t. With :math:`L = \log(72 t)`:

.. math::
    E[R_t] &\le \sum_a 9 \Big(\frac{8 \sigma_a^2}{\Delta_a} + \frac43 b_a\Big) L^2
        \le \sum_a 9 \Big(\frac{8 b_a \mu_*}{\Delta_a} + \frac{28}3 b_a\Big) L^2 \\
    E[R_t] &\le 17 \sqrt{t \min\{\mu_* \textstyle\sum_a b_a, \sum_a \sigma_a^2\}}\; L
        + 84 \textstyle\sum_a b_a\, L^2

over the arms with positive gap. The paper states it for Bernoulli arms, :math:`b_a = 1`, and with K
instead of the sum of the :math:`b_a`; the proof carries over to scaled arms as for Theorem 1. The
proof starts from the correct form of Bernstein's inequality, and the theorem is valid as printed.
(The proof bounds the probability that the best arm's estimate is the mean *or higher*, whereas
Lemma 3 bounds only the probability that it is higher: for a best mean of 0, the former is 1. An
estimate that equals the mean can be counted with the other arm's event, whose bound covers it; no
constant changes.)

References
----------
.. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
   stochastic bandits. AAAI 39(15), supplement.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid.environments import Environment
from lowbid.theory._inputs import require_steps
from lowbid.theory._instance import Instance, instance_of, require_optimism
from lowbid.theory.optimism import PAPER


def _checked(environment: Environment) -> Instance:
    instance = instance_of(environment)
    require_optimism("Theorem 2", instance, PAPER)
    return instance


def variance_form(environment: Environment, t: npt.ArrayLike) -> Floats:
    """A bound on the expected regret at steps t, in terms of the arms' variances.

    Parameters
    ----------
    environment : Environment
        Bernoulli or scaled Bernoulli arms.
    t : array
        Steps, 1 or larger.

    Examples
    --------
    >>> import lowbid
    >>> variance_form(lowbid.Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3]), [2000, 20_000]).round()
    array([38413., 54750.])
    """
    instance, t = _checked(environment), require_steps(t)
    terms = 8.0 * instance.variances / instance.gaps + 4.0 / 3.0 * instance.scales
    return 9.0 * terms.sum() * np.log(72.0 * t) ** 2


def mean_form(environment: Environment, t: npt.ArrayLike) -> Floats:
    """A bound on the expected regret at steps t, in terms of the lowest mean."""
    instance, t = _checked(environment), require_steps(t)
    terms = instance.scales * (8.0 * instance.best / instance.gaps + 28.0 / 3.0)
    return 9.0 * terms.sum() * np.log(72.0 * t) ** 2


def independent_form(environment: Environment, t: npt.ArrayLike) -> Floats:
    """A bound on the expected regret at steps t that does not depend on the gaps."""
    instance, t = _checked(environment), require_steps(t)
    log, scales = np.log(72.0 * t), instance.scales.sum()
    noise = min(instance.best * scales, instance.variances.sum())
    return 17.0 * np.sqrt(t * noise) * log + 84.0 * scales * log**2


def pulls(environment: Environment, t: npt.ArrayLike) -> Floats:
    """A bound on the expected number of plays of each arm up to step t: the paper's lemma "nta".

    Returns
    -------
    array
        (arm, ...): for arms with gap 0 it is t itself.
    """
    instance, t = _checked(environment), require_steps(t)
    gaps = instance.gaps
    terms = 8.0 * instance.variances / gaps**2 + 4.0 * instance.scales / (3.0 * gaps)
    played = np.broadcast_to(t, (instance.n_arms, *t.shape)).copy()
    played[instance.arms] = np.multiply.outer(9.0 * terms, np.log(72.0 * t) ** 2)
    return played
