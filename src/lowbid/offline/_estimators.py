r"""Estimates of the value of a fixed policy, from a log of another one.

The log has arms a_i, their values r_i and propensities p_i, i = 1, ..., n; the policy plays arm a
with probability π(a); w_i = π(a_i) / p_i is a line's weight.

- *replay* [1]_: the mean of r_i over the lines whose arm the policy would have chosen;
- *IPS* [2]_: the mean of w_i r_i;
- *SNIPS* [3]_: the sum of w_i r_i over that of w_i;
- *capped IPS* [4]_: the mean of min(w_i, c) r_i;
- *doubly robust* [5]_: Σ_a π(a) m(a), plus the mean of w_i (r_i - m(a_i)), where m(a) is the mean
  of the values of arm a.

Each comes with *errors*: numbers whose mean is the error of the estimate, to first order, and from
which its interval is computed. Where m(a) or Σ w_i depends on the line itself, the line's error is
computed as if the line had been left out; otherwise it would look too small.

References
----------
.. [1] L. Li, W. Chu, J. Langford, X. Wang (2011). Unbiased offline evaluation of contextual-bandit-
   based news article recommendation algorithms. WSDM.
.. [2] D. G. Horvitz, D. J. Thompson (1952). A generalization of sampling without replacement from a
   finite universe. Journal of the American Statistical Association 47.
.. [3] A. Swaminathan, T. Joachims (2015). The self-normalized estimator for counterfactual
   learning. NeurIPS.
.. [4] E. L. Ionides (2008). Truncated importance sampling. Journal of Computational and Graphical
   Statistics 17.
.. [5] M. Dudík, J. Langford, L. Li (2011). Doubly robust policy evaluation and learning. ICML.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints


class Weighted(NamedTuple):
    """A log, and a policy's weights for it.

    Attributes
    ----------
    arms : array of int
        The arm of each line.
    values : array
        Its value.
    weights : array
        Its weight w.
    target : array
        The policy: a probability for each arm.
    cap : float
        The largest weight of capped IPS.
    """

    arms: Ints
    values: Floats
    weights: Floats
    target: Floats
    cap: float


class Estimated(NamedTuple):
    """An estimate, and numbers whose mean is its error.

    Attributes
    ----------
    value : float
        The estimate.
    errors : array
        One number per line that matters.
    lost : float
        The fraction of the weight that was cut off; it biases the estimate by that fraction of a
        value.
    """

    value: float
    errors: Floats
    lost: float = 0.0


def replay_mean(log: Weighted) -> Estimated:
    """The mean over the lines whose arm the policy would have chosen."""
    return self_normalised(log._replace(weights=(log.weights > 0.0).astype(np.float64)))


def inverse_propensity(log: Weighted) -> Estimated:
    """The mean of the weighted values."""
    weighted = log.weights * log.values
    value = float(weighted.mean())
    return Estimated(value, weighted - value)


def self_normalised(log: Weighted) -> Estimated:
    """The weighted mean of the values."""
    total = float(log.weights.sum())
    value = float((log.weights * log.values).sum() / total)
    used = log.weights > 0.0
    parts = log.weights[used] / total
    # Without line i, the others have the fraction 1 - parts[i] of the weight.
    left = np.maximum(1.0 - parts, 1e-12)
    return Estimated(value, len(parts) * parts * (log.values[used] - value) / left)


def capped(log: Weighted) -> Estimated:
    """The mean of the values, with weights of at most the cap."""
    found = inverse_propensity(log._replace(weights=np.minimum(log.weights, log.cap)))
    return found._replace(lost=float(np.maximum(log.weights - log.cap, 0.0).mean()))


def doubly_robust(log: Weighted) -> Estimated:
    """The policy's mean of the arms' means, corrected by the weighted residuals."""
    means, counts = arm_means(log.arms, log.values, len(log.target))
    residuals = log.values - means[log.arms]
    direct = float(log.target @ np.where(log.target > 0.0, means, 0.0))
    value = direct + float((log.weights * residuals).mean())
    used = log.weights > 0.0
    count = counts[log.arms[used]]
    left_out = residuals[used] * count / np.maximum(count - 1.0, 1e-12)
    part = float(used.mean())
    return Estimated(value, part * log.weights[used] * left_out)


def arm_means(arms: Ints, values: Floats, n_arms: int) -> tuple[Floats, Floats]:
    """The mean of each arm's values, 0 if it has none, and their number."""
    counts = np.bincount(arms, minlength=n_arms).astype(np.float64)
    sums = np.bincount(arms, weights=values, minlength=n_arms)
    return sums / np.maximum(counts, 1.0), counts


def effective_size(weights: Floats) -> float:
    """The number of equally weighted lines with as much information [1]_.

    References
    ----------
    .. [1] L. Kish (1965). Survey sampling. Wiley.
    """
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0.0 else 0.0


ESTIMATORS: dict[str, Callable[[Weighted], Estimated]] = {
    "replay": replay_mean,
    "ips": inverse_propensity,
    "snips": self_normalised,
    "capped": capped,
    "dr": doubly_robust,
}
