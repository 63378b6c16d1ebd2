"""Normal, exponential and gamma numbers by the ziggurat: several times as fast as by inversion.

The density is covered by 256 layers of equal area. Nearly all draws take one word of the stream
and one multiplication; the few beside the layers take more words. So these suit rules, which go on
drawing from one stream, and not what must be found again at a place in it.

References
----------
.. [1] G. Marsaglia, W. W. Tsang (2000). The ziggurat method for generating random variables.
   Journal of Statistical Software 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel, specialise
from lowbid._random._draws import exponential, gamma, gamma_of, log_gamma
from lowbid._random._streams import Stream, bits, uniform

_LAYERS = 256
_LAYER = np.uint64(_LAYERS - 1)
_S11 = np.uint64(11)
# Where the tail begins, and the area of a layer.
_NORMAL_TAIL, _NORMAL_AREA = 3.6541528853610088, 0.00492867323399
_EXPONENTIAL_TAIL, _EXPONENTIAL_AREA = 7.69711747013104972, 0.0039496598225815571993


def _layers(
    tail: float, area: float, density: Callable[[float], float], inverse: Callable[[float], float]
) -> tuple[Floats, Floats, Floats]:
    """The right ends of all layers, lowest first; how much of each is inside; the densities."""
    ends = [area / density(tail), tail]
    for _ in range(_LAYERS - 2):
        ends.append(inverse(area / ends[-1] + density(ends[-1])))
    ends.append(0.0)
    right = np.array(ends)
    return right, right[1:] / right[:-1], np.array([density(x) for x in ends])


_X, _INSIDE, _HEIGHT = _layers(
    _NORMAL_TAIL,
    _NORMAL_AREA,
    lambda x: math.exp(-0.5 * x * x),
    lambda y: math.sqrt(-2.0 * math.log(y)),
)
_EX, _EINSIDE, _EHEIGHT = _layers(
    _EXPONENTIAL_TAIL, _EXPONENTIAL_AREA, lambda x: math.exp(-x), lambda y: -math.log(y)
)


@kernel
def quick_normal(stream: Stream) -> float:
    """A standard normal number."""
    while True:
        word = bits(stream)
        layer = np.int64(word & _LAYER)
        at = (np.int64(word >> _S11) + 0.5) * 2.0**-52 - 1.0
        x = at * _X[layer]
        if abs(at) < _INSIDE[layer]:
            return x
        if layer == 0:
            far = _normal_tail(stream)
            return far if at > 0.0 else -far
        height = _HEIGHT[layer] + uniform(stream) * (_HEIGHT[layer + 1] - _HEIGHT[layer])
        if height < math.exp(-0.5 * x * x):
            return x


@kernel
def _normal_tail(stream: Stream) -> float:
    """A normal number, given that it lies in the upper tail."""
    while True:
        beyond = exponential(stream) / _NORMAL_TAIL
        if 2.0 * exponential(stream) > beyond * beyond:
            return _NORMAL_TAIL + beyond


@kernel
def quick_exponential(stream: Stream) -> float:
    """An exponential number of mean 1."""
    passed = 0.0
    while True:
        word = bits(stream)
        layer = np.int64(word & _LAYER)
        at = (np.int64(word >> _S11) + 0.5) * 2.0**-53
        x = at * _EX[layer]
        if at < _EINSIDE[layer]:
            return passed + x
        if layer == 0:
            passed += _EXPONENTIAL_TAIL  # from here on it is as at the start
            continue
        height = _EHEIGHT[layer] + uniform(stream) * (_EHEIGHT[layer + 1] - _EHEIGHT[layer])
        if height < math.exp(-x):
            return passed + x


quick_gamma_of = specialise(gamma_of, normal=quick_normal)
quick_gamma = specialise(gamma, gamma_of=quick_gamma_of)
quick_log_gamma = specialise(log_gamma, gamma=quick_gamma)
