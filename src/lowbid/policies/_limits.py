"""What a saved state may hold: compiled code checks no index, so states are checked on the way in.

A state, or a part of one, says in a method ``limits(sizes)`` what its fields may hold. The method
is a generator of pairs, a field and a limit::

    def limits(self, sizes):
        yield "leader", whole(-1, sizes.n_arms - 1)

A pair is checked before the next one is asked for, and parts are checked before what contains
them, so a limit may depend on fields that were checked before it. A field may be a property, or
a field of a part (``"values.counts"``).

All fields have the shape and the type that they have at the start; they hold no NaN unless they do
at the start, and no negative whole number other than -1, which often stands for none.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._require import LARGEST_WHOLE, shown
from lowbid.errors import StateError

Array = npt.NDArray[Any]

# No number of losses that fits into a lifetime adds up to more.
_LARGEST_SUM = 1e120


class Sizes(NamedTuple):
    """What the limits of a policy's state depend on.

    Attributes
    ----------
    n_arms : int
        The number of arms.
    steps : int
        The number of steps so far: there are no more losses, and no more pending decisions.
    """

    n_arms: int
    steps: int


class Limit(NamedTuple):
    """What a field may hold: in words, and as a function that says which of its values are so."""

    allowed: str
    holds: Callable[[Array], Any]


Limits = Iterator[tuple[str, Limit]]


def whole(low: Any, high: Any = LARGEST_WHOLE) -> Limit:
    """Whole numbers from `low` to `high`, each a number or one for each value."""
    span = _span(low, high)
    return Limit(f"whole numbers{span}", lambda x: (x >= low) & (x <= high) & (x == np.floor(x)))


def real(low: Any, high: Any = np.inf) -> Limit:
    """Numbers from `low` to `high`, each a number or one for each value."""
    return Limit(f"numbers{_span(low, high)}", lambda x: (x >= low) & (x <= high))


def sums(or_nan: bool = False) -> Limit:
    """Losses and sums of them, or NaN before the first: each loss is at most 1e100 in size."""
    words = f"numbers up to {_LARGEST_SUM:g} in size{' and NaN' if or_nan else ''}"
    return Limit(words, lambda x: (abs(x) <= _LARGEST_SUM) | (or_nan & np.isnan(x)))


def one_of(*values: int) -> Limit:
    """One of a few whole numbers."""
    allowed = sorted(set(map(int, values)))
    return Limit(" or ".join(map(str, allowed)), lambda x: np.isin(x, allowed))


def permutation(n: int) -> Limit:
    """The numbers 0, 1, ..., n - 1 in any order."""
    return Limit(f"0 to {n - 1}, each once", lambda x: np.sort(x) == np.arange(n))


def exactly(values: Array, why: str) -> Limit:
    """What can be computed from other fields, as `why` says."""
    return Limit(why, lambda x: (x == values) | (np.isnan(x) & np.isnan(values)))


def check_state(state: Any, sizes: Any, path: str = "") -> None:
    """Raise an error if a state, or a part of one, holds what its rule cannot have put there."""
    for name, value in zip(state._fields, state, strict=True):
        if isinstance(value, tuple):
            check_state(value, sizes, f"{path}{name}.")
    if hasattr(state, "limits"):
        for name, limit in state.limits(sizes):
            require_limit(path + name, operator.attrgetter(name)(state), limit)


def fill(place: Array, values: Any, name: str) -> None:
    """Write saved values over the first rows of a new state's array, if they can belong there.

    Parameters
    ----------
    place : array
        With its initial values.
    values : array or nested lists
        Numbers, which may be words: JSON has none for infinity.
    name : str
        The field, for errors.
    """
    rows = _numbers(values, place, name)
    fits = rows.ndim == place.ndim and rows.shape[1:] == place.shape[1:]
    if not fits or len(rows) > len(place):
        message = f"{name} has the shape {rows.shape}; allowed is {place.shape}, or fewer rows."
        raise StateError(message, field=name, value=values)
    if place.dtype.kind == "f" and not np.isnan(place).any():
        require_limit(name, rows, Limit("numbers other than NaN", lambda x: ~np.isnan(x)))
    if place.dtype.kind == "i":
        require_limit(name, rows, whole(-1))
    place[: len(rows)] = rows


def _numbers(values: Any, place: Array, name: str) -> Array:
    """Saved values as an array of the right type; nothing is rounded to a whole number."""
    kind = place.dtype.kind
    try:
        # NumPy makes floats of large whole numbers, unless it is told not to.
        found = np.asarray(values, None if kind == "f" or hasattr(values, "dtype") else object)
        plain = found.dtype.kind in ("iufU" if kind == "f" else "iu") or not found.size
        good = plain or all(type(value) is int for value in found.flat)
        rows = found.astype(place.dtype)
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise StateError(
            f"{name} is {shown(values)[:60]}; allowed are {place.dtype} numbers in rows of equal "
            "length.",
            field=name,
            value=values,
        )
    return rows


def require_limit(name: str, values: Array, limit: Limit) -> None:
    """Raise an error if a value is beyond a limit."""
    good = np.broadcast_to(limit.holds(np.asarray(values)), np.shape(values))
    if not good.all():
        place = tuple(np.argwhere(~good)[0].tolist())
        value = np.asarray(values)[place].item()
        at = f"[{', '.join(map(str, place))}]" if place else ""
        message = f"{name}{at} is {shown(value)}; allowed are {limit.allowed}."
        raise StateError(message, field=f"{name}{at}", value=value)


def _span(low: Any, high: Any) -> str:
    """The range in words."""
    ends = [end if np.ndim(end) == 0 else None for end in (low, high)]
    if None in ends:
        return " within the limits that the rest of the state sets"
    low, high = ends
    return f", {low} or more" if high in (np.inf, LARGEST_WHOLE) else f" from {low} to {high}"
