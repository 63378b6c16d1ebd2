"""Many exponential, normal or gamma numbers at once, in loops that processors run side by side.

They have no branches, and are written in plain arithmetic, so that they give the same bits compiled
and uncompiled. Each number goes through several short loops rather than one long one, of which a
processor overlaps more.
"""

from __future__ import annotations

import math

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel
from lowbid._random._streams import GOLDEN, Stream, mix
from lowbid._random._ziggurat import quick_exponential, quick_gamma_of, quick_normal

MANY = 16  # measured: fewer are drawn faster one by one
_S11, _S32 = np.uint64(11), np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)
_SWAPPED, _NEGATED = np.uint64(1), np.uint64(2)
# Of a double: where exponents begin, and the bits of the square root of 1/2.
_EXPONENT, _ROOT_HALF = np.int64(52), np.int64(0x3FE6A09E667F3BCD)
_LOG_2, _QUARTER_TURN = 0.6931471805599453, 0.5 * math.pi
# The area tangent's series, 2 (x + x^3 / 3 + ...), with coefficients for |x| < 0.18.
_SERIES = (
    0.6666666666666735, 0.3999999999940942, 0.2857142874366239, 0.22222198432149784,
    0.1818357216161805, 0.15313837699209373, 0.14798198605116586,
)  # fmt: skip
# Taylor's series of sine and cosine, which are exact to the last bits up to an eighth of a turn.
_SINE = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(1, 8))
_COSINE = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(1, 9))


@kernel
def minus_log(x: float) -> float:
    """-log(x) for a normal double, to a few units in the last place."""
    word = np.float64(x).view(np.int64)
    exponent = (word - _ROOT_HALF) >> _EXPONENT
    fraction = np.int64(word - (exponent << _EXPONENT)).view(np.float64)
    f = (fraction - 1.0) / (fraction + 1.0)
    z = f * f
    a, b, c, d, e, g, h = _SERIES
    y = z * z
    series = (2.0 + z * a) + y * ((b + z * c) + y * ((d + z * e) + y * (g + z * h)))
    return -(exponent * _LOG_2 + f * series)


@kernel
def sine(x: float) -> float:
    """sin(x) up to an eighth of a turn."""
    z = x * x
    a, b, c, d, e, g, h = _SINE
    y = z * z
    return x + x * z * ((a + z * b) + y * ((c + z * d) + y * ((e + z * g) + y * h)))


@kernel
def cosine(x: float) -> float:
    """cos(x) up to an eighth of a turn."""
    z = x * x
    a, b, c, d, e, g, h, i = _COSINE
    y = z * z
    return 1.0 + z * ((a + z * b) + y * ((c + z * d) + y * ((e + z * g) + y * (h + z * i))))


@kernel
def _uniform(word: np.uint64) -> float:
    """A number uniform on (0, 1), ends excluded, from 64 random bits."""
    return (np.int64(word >> _S11) + 0.5) * 2.0**-53


@kernel
def fill_exponentials(stream: Stream, out: Floats) -> None:
    """Independent exponential numbers of mean 1.

    Two at a time: their sum is a gamma number of shape 2, minus the logarithm of the product of two
    uniforms, and a uniform number says how it is split. A few are drawn one by one.
    """
    half, at = len(out) // 2 if len(out) >= MANY else 0, stream[0]
    first, second = out[:half], out[half : 2 * half]
    for i in range(half):
        at += GOLDEN
        word = mix(at)
        upper = np.int64(word >> _S32) + 0.5
        first[i] = upper * ((np.int64(word & _LOWER) + 0.5) * 2.0**-64)
    for i in range(half):
        first[i] = minus_log(first[i])
    for i in range(half):
        at += GOLDEN
        both = first[i]
        part = both * _uniform(mix(at))
        first[i] = part
        second[i] = both - part
    stream[0] = at
    for i in range(2 * half, len(out)):
        out[i] = quick_exponential(stream)


@kernel
def fill_normals(stream: Stream, out: Floats) -> None:
    """Independent standard normal numbers.

    Two at a time: the coordinates of a point at a random distance in a random direction. A few are
    drawn one by one.

    References
    ----------
    .. [1] G. E. P. Box, M. E. Muller (1958). A note on the generation of random normal deviates.
       Annals of Mathematical Statistics 29.
    """
    half, at = len(out) // 2 if len(out) >= MANY else 0, stream[0]
    first, second = out[:half], out[half : 2 * half]
    for i in range(half):
        at += GOLDEN
        first[i] = _uniform(mix(at))
    for i in range(half):
        first[i] = math.sqrt(2.0 * minus_log(first[i]))
    for i in range(half):
        at += GOLDEN
        word, distance = mix(at), first[i]
        angle = _QUARTER_TURN * (_uniform(word) - 0.5)
        x, y = cosine(angle), sine(angle)
        distance = -distance if word & _NEGATED else distance
        first[i] = distance * (y if word & _SWAPPED else x)
        second[i] = distance * (x if word & _SWAPPED else y)
    stream[0] = at
    for i in range(2 * half, len(out)):
        out[i] = quick_normal(stream)


@kernel
def fill_gammas(stream: Stream, d: Floats, widths: Floats, normals: Floats, out: Floats) -> None:
    """Independent gamma numbers of shapes d + 1/3, each at least 1, as `gamma_of` draws them.

    `normals` is room for as many numbers.
    """
    fill_normals(stream, normals)
    start = stream[0]
    at = start
    for i in range(len(out)):
        at += GOLDEN
        x = normals[i]
        v = 1.0 + widths[i] * x
        v = v * v * v
        is_accepted = _uniform(mix(at)) < 1.0 - 0.0331 * (x * x) * (x * x) and v > 0.0
        out[i] = d[i] * v if is_accepted else 0.0
    stream[0] = at
    for i in range(len(out)):
        if out[i] == 0.0:  # seldom
            u = _uniform(mix(start + np.uint64(i + 1) * GOLDEN))
            out[i] = _gamma_of_rest(stream, d[i], widths[i], normals[i], u)


@kernel
def _gamma_of_rest(stream: Stream, d: float, width: float, x: float, u: float) -> float:
    """A gamma number after a normal and a uniform number that were not accepted at once."""
    v = 1.0 + width * x
    v = v * v * v
    if v > 0.0 and math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v)):
        return d * v
    return quick_gamma_of(stream, d, width, d)
