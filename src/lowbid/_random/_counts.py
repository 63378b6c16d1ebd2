"""Integers drawn from a stream: binomial and hypergeometric."""

from __future__ import annotations

import math

import numpy as np

from lowbid._compile import kernel
from lowbid._random._streams import Stream, uniform, uniform_open

# log(k!) for small k; Stirling's series is exact to the last bits beyond.
_LOG_FACTORIALS = np.concatenate([[0.0], np.cumsum([math.log(k) for k in range(1, 128)])])


@kernel
def log_factorial(k: int) -> float:
    """The logarithm of k!."""
    if k < 128:
        return _LOG_FACTORIALS[k]
    return (k + 0.5) * math.log(k) - k + 0.9189385332046727 + stirling_tail(k)


@kernel
def stirling_tail(k: float) -> float:
    """The error of Stirling's formula for log(k!), for k of 10 or more."""
    r = 1.0 / (k * k)
    return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - r / 1680.0) * r) * r) / k


@kernel
def binomial(stream: Stream, n: int, p: float) -> int:
    """The number of heads among n coin flips with probability p."""
    if n <= 0 or p <= 0.0:
        return 0
    if p >= 1.0:
        return n
    rarer = min(p, 1.0 - p)
    if n * rarer < 10.0:
        heads = _binomial_by_inversion(stream, n, rarer)
    else:
        heads = _binomial_by_rejection(stream, n, rarer)
    return heads if p <= 0.5 else n - heads


@kernel
def _binomial_by_inversion(stream: Stream, n: int, p: float) -> int:
    odds = p / (1.0 - p)
    probability = math.exp(n * math.log1p(-p))
    left = uniform(stream)
    k = 0
    while left >= probability and k < n:
        left -= probability
        k += 1
        probability *= odds * (n - k + 1) / k
    return k


@kernel
def _binomial_by_rejection(stream: Stream, n: int, p: float) -> int:
    """Transformed rejection with squeeze.

    References
    ----------
    .. [1] W. Hörmann (1993). The generation of binomial random variates. Journal of Statistical
       Computation and Simulation 46.
    """
    sd = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * sd
    a = -0.0873 + 0.0248 * b + 0.01 * p
    while True:
        u = uniform_open(stream) - 0.5
        v = uniform_open(stream)
        inside = 0.5 - abs(u)
        k = math.floor((2.0 * a / inside + b) * u + n * p + 0.5)
        if inside >= 0.07 and v <= 0.92 - 4.2 / b:
            return int(k)
        if 0 <= k <= n:
            v *= (2.83 + 5.1 / b) * sd / (a / (inside * inside) + b)
            mode = math.floor((n + 1) * p)
            more_likely = log_factorial(int(mode)) + log_factorial(int(n - mode))
            more_likely -= log_factorial(int(k)) + log_factorial(int(n - k))
            if math.log(v) <= more_likely + (k - mode) * math.log(p / (1.0 - p)):
                return int(k)


@kernel
def hypergeometric(stream: Stream, good: int, bad: int, sample: int) -> int:
    """The number of good items in a sample without replacement."""
    total = good + bad
    rest = total - sample
    drawn = min(sample, rest)
    rarer = min(good, bad)
    # Drawn and good items are interchangeable: iterate over the shorter of the two lists.
    if min(drawn, rarer) <= 24:
        found = _hypergeometric_one_by_one(stream, max(drawn, rarer), total, min(drawn, rarer))
    else:
        found = _hypergeometric_by_rejection(stream, rarer, total, drawn)
    if bad < good:
        found = drawn - found
    return found if drawn == sample else good - found


@kernel
def _hypergeometric_one_by_one(stream: Stream, good: int, total: int, sample: int) -> int:
    found = 0
    for i in range(sample):
        found += int(uniform(stream) * (total - i) < good - found)
    return found


@kernel
def _hypergeometric_by_rejection(stream: Stream, good: int, total: int, sample: int) -> int:
    """Ratio of uniforms, for at most half of all good and at most half of all drawn.

    References
    ----------
    .. [1] E. Stadlober (1990). The ratio of uniforms approach for generating discrete random
       variates. Journal of Computational and Applied Mathematics 31.
    """
    share = good / total
    centre = sample * share + 0.5
    variance = (total - sample) * sample * share * (1.0 - share) / (total - 1)
    sd = math.sqrt(variance + 0.5)
    width = 1.7155277699214135 * sd + 0.8989161620588988  # 2 sqrt(2/e), 3 - 2 sqrt(3/e)
    end = min(min(sample, good) + 1.0, math.floor(centre + 16.0 * sd))
    mode = (sample + 1) * (good + 1) // (total + 2)
    at_mode = _log_hypergeometric(mode, good, total, sample)
    while True:
        u = uniform_open(stream)
        x = centre + width * (uniform(stream) - 0.5) / u
        if 0.0 <= x < end:
            k = int(x)
            relative = _log_hypergeometric(k, good, total, sample) - at_mode
            if u * (4.0 - u) - 3.0 <= relative:
                return k
            if u * (u - relative) < 1.0 and 2.0 * math.log(u) <= relative:
                return k


@kernel
def _log_hypergeometric(k: int, good: int, total: int, sample: int) -> float:
    """The logarithm of the probability of k, up to a constant."""
    return -(
        log_factorial(k)
        + log_factorial(good - k)
        + log_factorial(sample - k)
        + log_factorial(total - good - sample + k)
    )
