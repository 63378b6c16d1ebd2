"""Streams of random bits, and the draws made from them.

A stream is an array of one 64-bit word (an array, since a bare word that passes through Python
comes back as a signed int). Drawing moves it on by a fixed odd constant and
returns the word, mixed: SplitMix64 [1]_ with the mixer's constants by Stafford. It can
therefore be set to any position at once, and the n-th loss of an arm is a pure function of
(seed, run, arm, n): see `seek_loss`.

Every draw is written in plain arithmetic and ``math``, so that it gives the same bits compiled
and uncompiled.

References
----------
.. [1] G. L. Steele, D. Lea, C. H. Flood (2014). Fast splittable pseudorandom number
   generators. OOPSLA.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
import numpy.typing as npt

from lowbid._kernel import kernel
from lowbid._require import require_whole

Stream = npt.NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_STRIDE = np.uint64(0xD1342543DE82EF95)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)
_ULP = 2.0**-53


@kernel
def mix(word: np.uint64) -> np.uint64:
    """Scramble a 64-bit word; a bijection."""
    word = (word ^ (word >> _S30)) * _MIX_1
    word = (word ^ (word >> _S27)) * _MIX_2
    return word ^ (word >> _S31)


@kernel
def seek_run(stream: Stream, key: np.uint64, run: int) -> None:
    """Set a stream to where a run begins."""
    stream[0] = mix(key + np.uint64(run) * _GOLDEN)


@kernel
def seek_loss(stream: Stream, run: Stream, arm: int, n: int) -> None:
    """Set a stream to where the n-th loss of an arm begins, in the run that begins at `run`."""
    stream[0] = mix(run[0] + np.uint64(arm + 1) * _GOLDEN) + np.uint64(n) * _STRIDE


@kernel
def bits(stream: Stream) -> np.uint64:
    """64 random bits."""
    word = stream[0] + _GOLDEN
    stream[0] = word
    return mix(word)


@kernel
def uniform(stream: Stream) -> float:
    """A number uniform on [0, 1)."""
    return np.int64(bits(stream) >> _S11) * _ULP


@kernel
def uniform_open(stream: Stream) -> float:
    """A number uniform on (0, 1), ends excluded."""
    return (np.int64(bits(stream) >> _S11) + 0.5) * _ULP


@kernel
def integer(stream: Stream, n: int) -> int:
    """A number uniform on {0, ..., n - 1}."""
    return int(uniform(stream) * n)


@kernel
def coin(stream: Stream, probability: float) -> float:
    """1 with the given probability, else 0."""
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
    boost = 1.0
    if shape < 1.0:
        boost = math.exp(math.log(uniform_open(stream)) / shape)
        shape = shape + 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(stream)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            u = uniform_open(stream)
            # The first test is implied by the second, and mostly saves it.
            if u < 1.0 - 0.0331 * (x * x) * (x * x) or (
                math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v))
            ):
                return boost * d * v


@kernel
def beta(stream: Stream, a: float, b: float) -> float:
    """A beta number, for shapes however small."""
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
    """What Stirling's formula for log(k!) leaves out, for k of 10 or more."""
    r = 1.0 / (k * k)
    return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - r / 1680.0) * r) * r) / k


@kernel
def binomial(stream: Stream, n: int, p: float) -> int:
    """How many of n coins of probability p show heads."""
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
    """How many of a sample without replacement are good."""
    total = good + bad
    rest = total - sample
    drawn = min(sample, rest)
    rarer = min(good, bad)
    # Whom is drawn from whom does not matter: the shorter of the two lists is gone through.
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


def key(seed: int, purpose: str) -> np.uint64:
    """64 bits that depend on a seed and on what they are for: the same on every machine."""
    seed = require_whole("seed", seed, at_least=0)
    digest = hashlib.blake2b(f"{seed}/{purpose}".encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "big"))


def stream_of_run(key: np.uint64, run: int) -> Stream:
    """A new stream, at the place where a run begins."""
    stream = np.zeros(1, dtype=np.uint64)
    seek_run(stream, key, run)
    return stream
