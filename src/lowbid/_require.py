"""Checks at the library's edge: what was given, what is allowed, what to do."""

from __future__ import annotations

import math
from typing import SupportsIndex

import numpy as np

from lowbid.errors import InvalidValueError

# Losses beyond this are refused: sums of them, and of their squares, could overflow.
LARGEST_LOSS = 1e100


def require(condition: bool, message: str) -> None:
    """Refuse a value."""
    if not condition:
        raise InvalidValueError(message)


def require_whole(name: str, value: SupportsIndex, at_least: int = 1) -> int:
    """A whole number, or an error."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < at_least:  # type: ignore[operator]
        raise InvalidValueError(f"{name} is {value!r}; give a whole number, {at_least} or larger.")
    return int(value)


def require_finite(name: str, value: float, above: float, *, or_equal: bool = False) -> None:
    """Refuse what is not a finite number above a bound."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    enough = number and math.isfinite(value) and (value > above or (or_equal and value == above))
    bound = "" if above == -math.inf else f" {'at least' if or_equal else 'above'} {above:g}"
    require(enough, f"{name} is {value!r}; give a finite number{bound}.")


def require_arm(arm: object, policy: str, n_arms: int) -> int:
    """What a policy's `select` returned, as the number of an arm."""
    whole = isinstance(arm, int | np.integer) and not isinstance(arm, bool)
    if not whole or not 0 <= arm < n_arms:  # type: ignore[operator]
        raise InvalidValueError(
            f"select of {policy} returned {arm!r}; it must return the number of an arm, 0 to "
            f"{n_arms - 1}."
        )
    return int(arm)  # type: ignore[call-overload]


def require_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Refuse what is not one of a few words."""
    known = ", ".join(repr(choice) for choice in choices)
    require(value in choices, f"{name} is {value!r}; choose one of {known}.")
