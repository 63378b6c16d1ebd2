r"""Theorem 1 of the paper: regret with high probability, for a known horizon.

With :math:`l = (7/2) \log(2T/\delta)` batches, the regret of Batch Ensemble satisfies each of the
bounds below with probability at least :math:`1 - \delta`. With :math:`L = \log(6TK/\delta)`:

.. math::
    R_T &\le \tfrac72 \sum_a \Big(\frac{2 \sigma_a^2}{\Delta_a} + 2 b_a\Big) L^2
        \le \tfrac72 \sum_a \Big(\frac{2 b_a \mu_*}{\Delta_a} + 4 b_a\Big) L^2 \\
    R_T &\le \sqrt{28\,T \min\{\mu_* \textstyle\sum_a b_a, \sum_a \sigma_a^2\}}\; L
        + 14 \textstyle\sum_a b_a\, L^2

over the arms with positive gap, whose largest losses are :math:`b_a` (1 for Bernoulli arms).

These bounds differ from the paper's (which are in `lowbid.theory.printed`) in three places:

- Lemma 1 of the paper lacks a factor 2 under the root, hence :math:`2\sigma_a^2` instead of
  :math:`\sigma_a^2`, and with it 28 instead of 14 and 14 instead of 11.
- The quadratic inequality for the number of plays, :math:`\Delta \le A/m + B/\sqrt m`, is solved
  there by :math:`m \le B^2/\Delta^2 + A/\Delta`. That is too small: the root tends to
  :math:`B^2/\Delta^2 + 2A/\Delta`. It costs nothing, since Bernstein's inequality has
  :math:`\log(1/\delta)/(3n)` where the paper allows :math:`2 \log(1/\delta)/n`.
- In the form with means, for scaled Bernoulli arms, the paper has :math:`\mu_*/\Delta_a` where
  :math:`\sigma_a^2 \le b_a \mu_a` gives :math:`b_a \mu_*/\Delta_a`. (A regret has the unit of a
  loss; the printed term has none.)

Another `proof` of optimism replaces (7/2) log by its own number of batches: with `GARNETT`, the
theorem holds for all non-negative bounded losses.

References
----------
.. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
   stochastic bandits. AAAI 39(15).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._require import require_probability
from lowbid.environments import Environment
from lowbid.theory._inputs import require_steps
from lowbid.theory._instance import Instance, instance_of, require_optimism
from lowbid.theory.optimism import PAPER, Proof, require_proof


def _checked(environment: Environment, delta: float, proof: Proof) -> Instance:
    require_probability("delta", delta)
    instance = instance_of(environment)
    require_optimism("Theorem 1", instance, proof)
    return instance


def _log(instance: Instance, t: Floats, delta: float) -> Floats:
    return np.log(6.0 * t * instance.n_arms / delta)


def batches(t: npt.ArrayLike, delta: float = 0.05, proof: Proof = PAPER) -> Floats:
    """The number of batches for which the theorem is stated, for the horizon t.

    Examples
    --------
    >>> batches(2000)
    np.float64(40.0)
    """
    require_probability("delta", delta)
    require_proof(proof)
    return np.ceil(proof.batches_per_log * np.log(2.0 * require_steps(t) / delta))


def variance_form(
    environment: Environment, t: npt.ArrayLike, delta: float = 0.05, proof: Proof = PAPER
) -> Floats:
    """A bound on the regret up to the horizon t, in terms of the arms' variances.

    Parameters
    ----------
    environment : Environment
        Bernoulli or scaled Bernoulli arms, or others that `proof` covers.
    t : array
        Horizons; each value is for a run planned for that many steps.
    delta : float
        The regret is higher with probability at most this.
    proof : Proof
        The proof that batches are optimistic, which determines the number of batches.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3])
    >>> variance_form(arms, [2000, 20_000]).round()
    array([ 9759., 13234.])
    """
    instance, t = _checked(environment, delta, proof), require_steps(t)
    terms = 2.0 * instance.variances / instance.gaps + 2.0 * instance.scales
    return proof.batches_per_log * terms.sum() * _log(instance, t, delta) ** 2


def mean_form(
    environment: Environment, t: npt.ArrayLike, delta: float = 0.05, proof: Proof = PAPER
) -> Floats:
    """A bound in terms of the lowest mean; parameters as in `variance_form`.

    Examples
    --------
    >>> import lowbid
    >>> float(mean_form(lowbid.Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3]), 2000).round())
    10999.0
    """
    instance, t = _checked(environment, delta, proof), require_steps(t)
    terms = instance.scales * (2.0 * instance.best / instance.gaps + 4.0)
    return proof.batches_per_log * terms.sum() * _log(instance, t, delta) ** 2


def independent_form(
    environment: Environment, t: npt.ArrayLike, delta: float = 0.05, proof: Proof = PAPER
) -> Floats:
    """A bound that does not depend on the gaps; parameters as in `variance_form`.

    Examples
    --------
    >>> import lowbid
    >>> float(independent_form(lowbid.Bernoulli([0.5, 0.51]), 10**6).round())
    56255.0
    """
    instance, t = _checked(environment, delta, proof), require_steps(t)
    log, scales = _log(instance, t, delta), instance.scales.sum()
    noise = min(instance.best * scales, instance.variances.sum())
    per_log = proof.batches_per_log
    return 2.0 * np.sqrt(2.0 * per_log * t * noise) * log + 4.0 * per_log * scales * log**2


def pulls(
    environment: Environment, t: npt.ArrayLike, delta: float = 0.05, proof: Proof = PAPER
) -> Floats:
    """A bound on the plays of each arm up to the horizon t; parameters as in `variance_form`.

    Returns
    -------
    array
        (arm, ...): for arms with gap 0 it is t itself.
    """
    instance, t = _checked(environment, delta, proof), require_steps(t)
    terms = 2.0 * instance.variances / instance.gaps**2 + 2.0 * instance.scales / instance.gaps
    played = np.broadcast_to(t, (instance.n_arms, *t.shape)).copy()
    log = _log(instance, t, delta)
    played[instance.arms] = np.multiply.outer(proof.batches_per_log * terms, log**2)
    return played


def sharp_form(
    environment: Environment, t: npt.ArrayLike, delta: float = 0.05, proof: Proof = PAPER
) -> Floats:
    r"""A bound on the regret up to the horizon t, from the same proof without rounding constants.

    An arm is last played when :math:`\Delta \le A/m + B/\sqrt m` with :math:`m = n/l + 1`, :math:`A
    = 2\mu_a + b_a L/3`, :math:`B^2 = 2\sigma_a^2 L`, :math:`L = \log(2TK/\delta)`; the exact root
    is used, and no arm is played more than t times.

    Examples
    --------
    >>> import lowbid
    >>> float(sharp_form(lowbid.Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3]), 20_000).round())
    6449.0
    """
    instance, t = _checked(environment, delta, proof), require_steps(t)
    log = np.log(2.0 * t * instance.n_arms / delta)[..., np.newaxis]
    linear = 2.0 * instance.means + instance.scales * log / 3.0
    root = np.sqrt(2.0 * instance.variances * log)
    gaps = instance.gaps
    size = ((root + np.sqrt(root**2 + 4.0 * linear * gaps)) / (2.0 * gaps)) ** 2
    played = 1.0 + batches(t, delta, proof)[..., np.newaxis] * (size - 1.0)
    return (gaps * np.minimum(played, t[..., np.newaxis])).sum(axis=-1)
