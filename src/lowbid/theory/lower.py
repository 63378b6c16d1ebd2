r"""What no consistent policy can beat: the lower bound of Lai and Robbins, Burnetas and Katehakis.

A policy is consistent on a model, a set of laws that an arm may have, if its regret is
:math:`o(t^\alpha)` for every :math:`\alpha > 0` whatever the arms. Then

.. math:: \liminf_{t \to \infty} \frac{E[R_t]}{\log t} \ge
    \sum_a \frac{\Delta_a}{\inf\{KL(\nu_a, \nu) : \nu \text{ in the model, of mean below } \mu_*\}}.

It is an asymptotic statement: at a given t, a consistent policy may have less regret, and good ones
do. Thompson sampling on Bernoulli(0.2, 0.8) has 5.49 +- 0.10 at t = 20,000 (400 runs), where the
leading term is 7.14, and 7.03 +- 0.12 at t = 200,000, where it is 8.80: the difference may itself
grow like log log t.

The models here, by the arm's family:

- Gaussian: normal laws with the arm's variance, known.
- Exponential: exponential laws.
- Uniform: uniform laws with unknown ends.
- Bernoulli, scaled Bernoulli, Deterministic, Empirical, Beta: all laws of non-negative losses. For
  Bernoulli arms that is the same as the Bernoulli laws.

References
----------
.. [1] T. L. Lai, H. Robbins (1985). Asymptotically efficient adaptive allocation rules. Advances in
   Applied Mathematics 6.
.. [2] A. N. Burnetas, M. N. Katehakis (1996). Optimal adaptive policies for sequential allocation
   problems. Advances in Applied Mathematics 17.
.. [3] J. Honda, A. Takemura (2015). Non-asymptotic analysis of a new bandit algorithm for
   semi-bounded rewards. Journal of Machine Learning Research 16.
.. [4] W. Cowan, M. N. Katehakis (2015). An asymptotically optimal policy for uniform bandits of
   unknown support. arXiv 1505.01918.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._require import require, require_finite, require_numbers
from lowbid.environments import Beta, Environment, Uniform
from lowbid.errors import InvalidValueError
from lowbid.policies import bernoulli_divergence as plain_divergence
from lowbid.theory._inputs import require_steps
from lowbid.theory._instance import instance_of
from lowbid.theory.laws import (
    EnvironmentLaw,
    ExponentialLaw,
    FiniteLaw,
    GaussianLaw,
    Law,
    require_law,
)

# Accurate even where p and q are close, as policies need.
_each_divergence = np.vectorize(plain_divergence, otypes=[np.float64])


def bernoulli_divergence(p: npt.ArrayLike, q: npt.ArrayLike) -> Floats:
    """The divergence of Bernoulli(q) from Bernoulli(p), with 0 log 0 = 0.

    Examples
    --------
    >>> bernoulli_divergence([0.5, 0.0, 1.0], [0.25, 0.5, 0.5]).round(4)
    array([0.1438, 0.6931, 0.6931])
    """
    first, second = (
        require_numbers(name, values, "probabilities from 0 to 1", low=0.0, high=1.0)
        for name, values in (("p", p), ("q", q))
    )
    with np.errstate(over="ignore"):  # a ratio may be infinite
        return np.asarray(_each_divergence(first, second, 0.0), np.float64)


def least_divergence(values: npt.ArrayLike, probabilities: npt.ArrayLike, below: float) -> float:
    r"""The smallest divergence from a law to one with non-negative losses and a mean below `below`.

    .. math:: \max_{0 \le s \le 1} E \log(s + (1 - s) X / q)

    for q = `below`: known as :math:`K_{inf}`. It does not depend on an upper bound of the losses.

    Examples
    --------
    >>> round(least_divergence([0.0, 1.0], [0.5, 0.5], below=0.25), 4)
    0.1438
    """
    x = require_numbers("values", values, "a list of losses, 0 or more", low=0.0)
    weights = require_numbers("probabilities", probabilities, "a list of probabilities", 0.0, 1.0)
    require_finite("below", below, above=-math.inf)
    require(
        x.shape == weights.shape,
        f"there are {x.size} values and {weights.size} probabilities; give equally many of both.",
    )
    if below <= 0.0:
        return math.inf
    ratios, weights = x[weights > 0.0] / below, weights[weights > 0.0]
    low, high = 0.0, 1.0
    for _ in range(100):
        s = 0.5 * (low + high)
        rising = (weights * (1.0 - ratios) / (s + (1.0 - s) * ratios)).sum() > 0.0
        low, high = (s, high) if rising else (low, s)
    return max(float((weights * np.log(high + (1.0 - high) * ratios)).sum()), 0.0)


def divergence(law: Law, best: float) -> float:
    """The smallest divergence from an arm's law to one with a mean below `best`.

    It is the denominator in the bound.
    """
    require_finite("best", best, above=-math.inf)
    if isinstance(law, FiniteLaw):
        values, chances = zip(*((float(x), float(p)) for x, p in law.atoms), strict=True)
        require(values[0] >= 0.0, _no_bound(law) + " with negative losses")
        if law.bernoulli_scale and best >= 0.0:
            scale = law.bernoulli_scale
            return float(bernoulli_divergence(law.mean / scale, best / scale))
        return least_divergence(values, chances, best)
    if isinstance(law, GaussianLaw):
        gap = law.mean - best
        return math.inf if law.sd == 0.0 else gap * gap / (2.0 * law.variance)
    if isinstance(law, ExponentialLaw):
        return math.inf if best <= 0.0 else law.mean / best - 1.0 - math.log(law.mean / best)
    if isinstance(law, EnvironmentLaw):
        return _divergence_of_arm(law, best)
    require_law(law)
    raise InvalidValueError(_no_bound(law))


def _divergence_of_arm(law: EnvironmentLaw, best: float) -> float:
    arm = law.environment
    if isinstance(arm, Uniform):
        width = float(arm.high[0] - arm.low[0])
        return math.inf if width == 0.0 else math.log1p(2.0 * (law.mean - best) / width)
    if isinstance(arm, Beta):
        return least_divergence(*_beta_quadrature(float(arm.a[0]), float(arm.b[0])), best)
    raise InvalidValueError(_no_bound(law))


def _no_bound(law: Law) -> str:
    return (
        f"there is no lower bound here for {law.name} arms; the families that have one are "
        "Bernoulli, ScaledBernoulli, Empirical, Beta, Gaussian, the exponentials and Uniform"
    )


def _beta_quadrature(a: float, b: float, nodes: int = 4000) -> tuple[Floats, Floats]:
    """Points and weights for a mean over Beta(a, b): the trapezoid rule in v.

    With x = 1 / (1 + e^-u) the density is smooth and has one peak, at log(a / b); with
    u = peak + width sinh(v) there are enough points in both narrow peaks and wide flanks.
    """
    peak, width = math.log(a / b), min(1.0, math.sqrt(1.0 / a + 1.0 / b))
    furthest = math.asinh((abs(peak) + 40.0 / min(a, b, 1.0)) / width)
    v = np.linspace(-furthest, furthest, nodes)
    u = peak + width * np.sinh(v)
    x = np.where(u < 0.0, np.exp(np.minimum(u, 0.0)), 1.0) / (1.0 + np.exp(-np.abs(u)))
    log_weights = -a * np.logaddexp(0.0, -u) - b * np.logaddexp(0.0, u) + np.log(np.cosh(v))
    weights = np.exp(log_weights - log_weights.max())
    return x, weights / weights.sum()


def lower_constant(environment: Environment) -> float:
    """The constant that E[R_t] / log t cannot stay below in the limit.

    Examples
    --------
    >>> import lowbid
    >>> round(lower_constant(lowbid.Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3])), 4)
    0.8863
    """
    instance = instance_of(environment)
    laws = [instance.laws[arm] for arm in instance.arms]
    pairs = zip(instance.gaps, laws, strict=True)
    return float(sum(gap / divergence(law, instance.best) for gap, law in pairs))


def lower_bound(environment: Environment, t: npt.ArrayLike) -> Floats:
    """The lower bound's leading term at steps t: `lower_constant` times log t."""
    return lower_constant(environment) * np.log(require_steps(t))
