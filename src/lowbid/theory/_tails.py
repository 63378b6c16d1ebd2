"""Tail probabilities to nearly full precision, with `math` alone."""

from __future__ import annotations

import math
from collections.abc import Callable

from lowbid._compile import kernel
from lowbid._random import stirling_tail

# The error of Stirling's formula for log n!, for n = 1, ..., 15. It is a table because math.lgamma
# differs in its last digits between compiled and plain Python, and because the error would be a
# small difference of large numbers.
_STIRLING_ERRORS = (
    0.08106146679532726, 0.0413406959554093, 0.02767792568499834,
    0.020790672103765093, 0.016644691189821193, 0.013876128823070748,
    0.01189670994589177, 0.010411265261972096, 0.009255462182712733,
    0.00833056343336287, 0.007573675487951841, 0.00694284010720953,
    0.006408994188004207, 0.0059513701127588475, 0.005554733551962801,
)  # fmt: skip


@kernel
def _stirling_error(n: float) -> float:
    """The error of Stirling's formula for log n!, for a whole n."""
    if n < 16.0:
        return _STIRLING_ERRORS[int(n) - 1]
    return stirling_tail(n)


@kernel
def _deviance(x: float, m: float) -> float:
    """The value of x log(x / m) + m - x, without cancellation where x is close to m."""
    if abs(x - m) >= 0.1 * (x + m):
        return x * math.log(x / m) + m - x
    v = (x - m) / (x + m)
    total = (x - m) * v
    term = 2.0 * x * v
    for j in range(1, 1000):
        term *= v * v
        before = total
        total += term / (2.0 * j + 1.0)
        if total == before:
            break
    return total


@kernel
def binomial_pmf(k: int, n: int, p: float) -> float:
    """P(Bin(n, p) = k).

    References
    ----------
    .. [1] C. Loader (2000). Fast and accurate computation of binomial probabilities.
    """
    if k < 0 or k > n:
        return 0.0
    if p <= 0.0:
        return 1.0 if k == 0 else 0.0
    if p >= 1.0:
        return 1.0 if k == n else 0.0
    if k == 0:
        return math.exp(n * math.log1p(-p))
    if k == n:
        return math.exp(n * math.log(p))
    x = float(k)
    y = float(n - k)
    error = _stirling_error(float(n)) - _stirling_error(x) - _stirling_error(y)
    error -= _deviance(x, n * p) + _deviance(y, n * (1.0 - p))
    return math.exp(error) * math.sqrt(n / (2.0 * math.pi * x * y))


@kernel
def binomial_cdf(k: int, n: int, p: float) -> float:
    """P(Bin(n, p) <= k); the smaller tail is summed from its largest term."""
    if k < 0:
        return 0.0
    if k >= n or p <= 0.0:
        return 1.0
    if p >= 1.0:
        return 0.0
    odds = p / (1.0 - p)
    total = 0.0
    if k <= n * p:
        term = binomial_pmf(k, n, p)
        i = k
        while i >= 0 and term > 1e-18 * total:
            total += term
            term *= i / ((n - i + 1.0) * odds)
            i -= 1
        return min(total, 1.0)
    i = k + 1
    term = binomial_pmf(i, n, p)
    while i <= n and term > 1e-18 * total:
        total += term
        term *= (n - i) * odds / (i + 1.0)
        i += 1
    return max(1.0 - total, 0.0)


def poisson_below(n: int, mean: float) -> float:
    """P(Poisson(mean) < n)."""
    terms = (math.exp(k * math.log(mean) - mean - math.lgamma(k + 1.0)) for k in range(n))
    return min(math.fsum(terms), 1.0)


def normal_cdf(x: float) -> float:
    """P(Z <= x) for a standard normal Z."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def binomial_interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval for a probability, whose coverage is at least the nominal one.

    References
    ----------
    .. [1] C. J. Clopper, E. S. Pearson (1934). The use of confidence or fiducial limits
       illustrated in the case of the binomial. Biometrika 26.
    """
    tail = (1.0 - confidence) / 2.0
    low = high = 0.0
    if successes > 0:
        low = _bisect(lambda p: 1.0 - binomial_cdf(successes - 1, trials, p) < tail)
    if successes < trials:
        high = _bisect(lambda p: binomial_cdf(successes, trials, p) > tail)
    return low, high if successes < trials else 1.0


def _bisect(below: Callable[[float], bool]) -> float:
    """The point in [0, 1] at which a condition that holds at 0 becomes false."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if below(middle) else (low, middle)
    return 0.5 * (low + high)
