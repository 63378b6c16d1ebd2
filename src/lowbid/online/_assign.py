"""Give each unit an arm by a function of its name, for systems that take shares, not decisions."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lowbid._require import is_number, require
from lowbid.errors import InvalidValueError
from lowbid.online._decisions import Arm

_MASK = 0xFFFFFFFF


def assign(unit: str, shares: Mapping[Arm, float], salt: str = "") -> Arm:
    """The arm of a unit, if each arm is to get a share of all units.

    It depends on nothing but the arguments: it is the same in every process, on every machine, and
    in JavaScript (docs/how-to/fleets.md has the function). If shares change, only the units move
    that must: an arm whose share rises gains units, and the others keep the rest of theirs.

    Parameters
    ----------
    unit : str
        The customer, device or other unit.
    shares : dict
        For each arm, its share, 0 or larger; they are divided by their sum.
    salt : str
        Another text gives an independent assignment: use one for each experiment.

    Examples
    --------
    >>> import lowbid
    >>> [lowbid.assign(f"visitor {i}", {"A": 0.8, "B": 0.2}, salt="checkout") for i in range(6)]
    ['B', 'A', 'B', 'A', 'A', 'A']
    >>> arms = [lowbid.assign(f"visitor {i}", {"A": 0.8, "B": 0.2}) for i in range(10_000)]
    >>> arms.count("B") / len(arms)
    0.1948

    References
    ----------
    .. [1] D. G. Thaler, C. V. Ravishankar (1998). Using name-based mappings to increase hit rates.
       IEEE/ACM Transactions on Networking 6(1).
    """
    if not isinstance(unit, str) or not isinstance(salt, str):
        raise InvalidValueError(f"unit and salt are {unit!r} and {salt!r}; give texts.")
    require(
        isinstance(shares, Mapping)
        and all(is_number(s) and 0 <= s < math.inf for s in shares.values())
        and any(shares.values()),
        f"shares is {shares!r}; give each arm a finite number, 0 or larger, not 0 for all of them.",
    )
    chosen = {arm: share for arm, share in shares.items() if share > 0}
    # Each arm waits for an exponential time with its share as the rate; the first one wins.
    return min(chosen, key=lambda arm: -math.log(_uniform(f"{salt}/{unit}/{arm}")) / chosen[arm])


def _uniform(text: str) -> float:
    """A number above 0 and at most 1 that follows from a text."""
    data = text.encode()
    high, low = murmur(data, 0), murmur(data, 1)
    return (high * 2.0**21 + (low >> 11) + 1.0) / 2.0**53


def murmur(data: bytes, seed: int) -> int:
    """MurmurHash3 of A. Appleby, for 32 bits."""
    h = seed
    for start in range(0, len(data), 4):
        part = data[start : start + 4]
        k = int.from_bytes(part, "little") * 0xCC9E2D51 & _MASK
        h ^= _rotated(k, 15) * 0x1B873593 & _MASK
        if len(part) == 4:
            h = (_rotated(h, 13) * 5 + 0xE6546B64) & _MASK
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & _MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & _MASK
    return h ^ h >> 16


def _rotated(x: int, by: int) -> int:
    return (x << by | x >> 32 - by) & _MASK
