"""Streams of random bits, and where they begin.

A stream is an array of one 64-bit word (an array, since a bare word that passes through Python
comes back as a signed int). Drawing moves it on by a fixed odd constant and
returns the word, mixed: SplitMix64 [1]_ with the mixer's constants by Stafford. It can
therefore be set to any position at once, and the n-th loss of an arm is a pure function of
(seed, run, arm, n): see `seek_loss`.

References
----------
.. [1] G. L. Steele, D. Lea, C. H. Flood (2014). Fast splittable pseudorandom number
   generators. OOPSLA.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from lowbid._compile import interpreted, kernel
from lowbid._require import require_whole

Stream = npt.NDArray[np.uint64]

# Incremented when the streams of a seed, or the numbers drawn from them, change: results of other
# versions are not reused. What a rule draws in which order is part of its code, whose fingerprint
# decides that too, so a rule that draws otherwise does not change this.
STREAMS_VERSION = 1

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
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
    stream[0] = mix(key + np.uint64(run) * GOLDEN)


@kernel
def seek_loss(stream: Stream, run: Stream, arm: int, n: int) -> None:
    """Set a stream to where the n-th loss of an arm begins, in the run that begins at `run`."""
    stream[0] = mix(run[0] + np.uint64(arm + 1) * GOLDEN) + np.uint64(n) * _STRIDE


@kernel
def bits(stream: Stream) -> np.uint64:
    """64 random bits."""
    word = stream[0] + GOLDEN
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


def key(seed: int, purpose: str) -> np.uint64:
    """64 bits that depend on a seed and a purpose, the same on every machine."""
    seed = require_whole("seed", seed, at_least=0, at_most=2**128)
    digest = hashlib.blake2b(f"{seed}/{purpose}".encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "big"))


def stream_of_run(key: np.uint64, run: int) -> Stream:
    """A new stream, at the place where a run begins."""
    stream = np.zeros(1, dtype=np.uint64)
    with interpreted():  # called once, which is not worth compiling
        seek_run(stream, key, run)
    return stream
