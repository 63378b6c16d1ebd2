"""Many exponential numbers at once, in loops without branches, which processors run side by side.

Written in plain arithmetic, so that it gives the same bits compiled and uncompiled.
"""

from __future__ import annotations

import numpy as np

from lowbid._arrays import Floats
from lowbid._kernel import kernel
from lowbid._random._streams import GOLDEN, Stream, mix
from lowbid._random._ziggurat import quick_exponential

MANY = 16  # measured: fewer are drawn faster one by one
_S11, _S32 = np.uint64(11), np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)
# Of a double: the bits of the fraction, those of the exponent 0, and where exponents begin.
_FRACTION, _ONE, _EXPONENT = (
    np.int64(0x000FFFFFFFFFFFFF),
    np.int64(0x3FF0000000000000),
    np.int64(52),
)
_BIAS = np.int64(1023)
_LOG_2, _ROOT_2 = 0.6931471805599453, 1.4142135623730951
# The area tangent's series, 2 (x + x^3 / 3 + ...), with coefficients for |x| < 0.18.
_SERIES = (
    0.6666666666666735, 0.3999999999940942, 0.2857142874366239, 0.22222198432149784,
    0.1818357216161805, 0.15313837699209373, 0.14798198605116586,
)  # fmt: skip


@kernel
def minus_log(x: float) -> float:
    """-log(x) for a normal double, to a few units in the last place."""
    word = np.float64(x).view(np.int64)
    exponent = (word >> _EXPONENT) - _BIAS
    fraction = np.int64((word & _FRACTION) | _ONE).view(np.float64)
    is_large = fraction > _ROOT_2
    fraction = 0.5 * fraction if is_large else fraction
    exponent = exponent + 1 if is_large else exponent
    f = (fraction - 1.0) / (fraction + 1.0)
    z = f * f
    a, b, c, d, e, g, h = _SERIES
    series = 2.0 + z * (a + z * (b + z * (c + z * (d + z * (e + z * (g + z * h))))))
    return -(exponent * _LOG_2 + f * series)


@kernel
def fill_exponentials(stream: Stream, out: Floats) -> None:
    """Independent exponential numbers of mean 1.

    Two at a time: their sum is a gamma number of shape 2, minus the logarithm of the product of two
    uniforms, and a uniform number says how it is split. A few are drawn one by one.
    """
    if len(out) < MANY:
        for i in range(len(out)):
            out[i] = quick_exponential(stream)
        return
    half, start = len(out) // 2, stream[0]
    for i in range(half):
        word = mix(start + np.uint64(i + 1) * GOLDEN)
        upper = (np.int64(word >> _S32) + 0.5) * 2.0**-32
        lower = (np.int64(word & _LOWER) + 0.5) * 2.0**-32
        both = minus_log(upper * lower)
        word = mix(start + np.uint64(half + i + 1) * GOLDEN)
        first = both * ((np.int64(word >> _S11) + 0.5) * 2.0**-53)
        out[i] = first
        out[half + i] = both - first
    stream[0] = start + np.uint64(2 * half) * GOLDEN
    if 2 * half < len(out):
        out[2 * half] = quick_exponential(stream)
