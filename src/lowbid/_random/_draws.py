"""Numbers drawn from a stream, from common continuous distributions.

Every draw is written in plain arithmetic and ``math``, so that it gives the same bits compiled
and uncompiled.
"""

from __future__ import annotations

import math

from lowbid._compile import kernel
from lowbid._random._streams import Stream, uniform, uniform_open


@kernel
def integer(stream: Stream, n: int) -> int:
    """A number uniform on {0, ..., n - 1}."""
    return int(uniform(stream) * n)


@kernel
def coin(stream: Stream, probability: float) -> float:
    """1 with the given probability, otherwise 0."""
    return 1.0 if uniform(stream) < probability else 0.0


@kernel
def exponential(stream: Stream) -> float:
    """An exponential number of mean 1."""
    return -math.log(1.0 - uniform(stream))


# Wichura's rational approximations, highest power first: near 1/2, on the shoulders, far out.
_NEAR = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
)  # fmt: skip
_SHOULDER = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
     1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055,
     4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966,
     0.14810397642748007459, 0.68976733498510000455, 1.6763848301838038494,
     2.05319162663775882187, 1.0),
)  # fmt: skip
_FAR = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
     0.026532189526576123093, 0.29656057182850489123, 1.7848265399172913358,
     5.4637849111641143699, 6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
     7.868691311456132591e-4, 0.0148753612908506148525, 0.13692988092273580531,
     0.59983220655588793769, 1.0),
)  # fmt: skip


@kernel
def _ratio(polynomials: tuple[tuple[float, ...], tuple[float, ...]], x: float) -> float:
    above = 0.0
    below = 0.0
    for i in range(8):
        above = above * x + polynomials[0][i]
        below = below * x + polynomials[1][i]
    return above / below


@kernel
def normal_quantile(p: float) -> float:
    """The standard normal quantile of p in (0, 1), to about 16 digits.

    References
    ----------
    .. [1] M. J. Wichura (1988). Algorithm AS 241: the percentage points of the normal
       distribution. Applied Statistics 37.
    """
    q = p - 0.5
    if abs(q) <= 0.425:
        return q * _ratio(_NEAR, 0.180625 - q * q)
    r = math.sqrt(-math.log(p if q < 0.0 else 1.0 - p))
    z = _ratio(_SHOULDER, r - 1.6) if r <= 5.0 else _ratio(_FAR, r - 5.0)
    return -z if q < 0.0 else z


@kernel
def normal(stream: Stream) -> float:
    """A standard normal number, from one uniform."""
    return normal_quantile(uniform_open(stream))


@kernel
def gamma(stream: Stream, shape: float) -> float:
    """A gamma number of the given shape and scale 1.

    References
    ----------
    .. [1] G. Marsaglia, W. W. Tsang (2000). A simple method for generating gamma variables.
       ACM Transactions on Mathematical Software 26.
    """
    if not shape > 0.0:
        return math.nan  # the loop below would never end
    boost = 1.0
    if shape < 1.0:
        boost = math.exp(math.log(uniform_open(stream)) / shape)
        shape = shape + 1.0
    d = shape - 1.0 / 3.0
    return gamma_of(stream, d, gamma_width(d), boost * d)


@kernel
def gamma_width(d: float) -> float:
    """What `gamma_of` needs to know about a shape of d + 1/3."""
    return 1.0 / math.sqrt(9.0 * d)


@kernel
def gamma_of(stream: Stream, d: float, width: float, scale: float) -> float:
    """A gamma number of shape d + 1/3, at least 1, times `scale` over d."""
    while True:
        x = normal(stream)
        v = 1.0 + width * x
        if v > 0.0:
            v = v * v * v
            u = uniform_open(stream)
            # The first test implies the second, and usually saves computing it.
            if u < 1.0 - 0.0331 * (x * x) * (x * x) or (
                math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v))
            ):
                return scale * v


@kernel
def beta(stream: Stream, a: float, b: float) -> float:
    """A beta number, for arbitrarily small shapes."""
    if a >= 1.0 and b >= 1.0:
        x = gamma(stream, a)
        return x / (x + gamma(stream, b))
    # Gammas of small shapes underflow, but their logarithms do not.
    x = log_gamma(stream, a)
    odds_against = log_gamma(stream, b) - x
    return 1.0 / (1.0 + math.exp(odds_against)) if odds_against < 700.0 else 0.0


@kernel
def log_gamma(stream: Stream, shape: float) -> float:
    """The logarithm of a gamma number of the given shape."""
    if shape >= 1.0:
        return math.log(gamma(stream, shape))
    boost = math.log(uniform_open(stream)) / shape
    return math.log(gamma(stream, shape + 1.0)) + boost
