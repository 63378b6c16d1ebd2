"""Checks of arguments; errors say what was given, what is allowed, and what to do."""

from __future__ import annotations

import decimal
import math
import numbers
from typing import Any, SupportsIndex

import numpy as np

from lowbid._arrays import Floats
from lowbid.errors import InvalidValueError

# Losses beyond this are refused: sums of them, and of their squares, could overflow.
LARGEST_LOSS = 1e100
# The same applies to parameters, and to what they are divided by.
LARGEST, SMALLEST = 1e100, 1e-100
# Whole numbers are 64 bits wide in compiled code.
LARGEST_WHOLE = 2**63 - 1


def invalid(field: str, value: object, allowed: str) -> InvalidValueError:
    """The error for a value: what was given, and what is allowed."""
    return InvalidValueError(f"{field} is {shown(value)}; {allowed}", field=field, value=value)


def require(condition: bool, message: str, field: str | None = None, value: object = None) -> None:
    """Refuse what was given unless a condition holds."""
    if not condition:
        raise InvalidValueError(message, field=field, value=value)


def require_value(field: str, value: object, condition: bool, allowed: str) -> None:
    """Refuse a value unless a condition holds; the message begins with the value."""
    if not condition:
        raise invalid(field, value, allowed)


def is_number(value: object) -> bool:
    """Whether a value is a real number (Python's or NumPy's), and not True or False."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def is_whole(value: object) -> bool:
    """Whether a value is a whole number (Python's or NumPy's), and not True or False."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def real_number(value: object) -> float | None:
    """Any number as a float, infinite if it is too large; None if it is not a number."""
    if not isinstance(value, numbers.Real | np.bool_ | decimal.Decimal):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):  # a NumPy time span; a signalling NaN of Decimal
        return None


def require_whole(
    name: str, value: SupportsIndex, at_least: int = 1, at_most: int = LARGEST_WHOLE
) -> int:
    """A whole number, or an error."""
    if not is_whole(value) or value < at_least:  # type: ignore[operator]
        raise invalid(name, value, f"give a whole number, {at_least} or larger.")
    number = int(value)
    require_value(name, value, number <= at_most, f"give at most {at_most}.")
    return number


def require_finite(
    name: str, value: float, above: float, *, or_equal: bool = False, at_most: float = LARGEST
) -> None:
    """Refuse what is not a finite number above a bound, or is too large or small for the rules."""
    if isinstance(value, np.generic):
        value = value.item()  # NumPy compares in the precision of its own type
    finite = is_number(value) and abs(value) < math.inf  # exact for integers of any size
    enough = finite and (value > above or (or_equal and value == above))
    bound = "" if above == -math.inf else f" {'at least' if or_equal else 'above'} {above:g}"
    require_value(name, value, enough, f"give a finite number{bound}.")
    require_value(name, value, abs(value) <= at_most, f"give at most {at_most:g} in size.")
    away = value == 0.0 or abs(value) >= SMALLEST
    require_value(name, value, away, f"it is too close to 0; give at least {SMALLEST:g} in size.")


def require_probability(name: str, value: float, *, ends: bool = False) -> None:
    """Refuse what is not a probability: between 0 and 1, or from 0 to 1 with both ends."""
    if ends:
        inside = is_number(value) and 0.0 <= value <= 1.0
        require_value(name, value, inside, "give a probability from 0 to 1.")
        return
    inside = is_number(value) and 0.0 < value < 1.0
    require_value(name, value, inside, "give a probability between 0 and 1.")
    require_value(name, value, value >= SMALLEST, f"give at least {SMALLEST:g}.")


def require_numbers(
    name: str, values: Any, allowed: str, low: float = -LARGEST, high: float = LARGEST
) -> Floats:
    """A number or an array of numbers, all from `low` to `high`, or an error."""
    try:
        if np.asarray(values).dtype.kind not in "iufO":  # a string is not a number
            raise TypeError
        numbers = np.asarray(values, dtype=np.float64)
        good = bool(((numbers >= low) & (numbers <= high)).all())
    except (TypeError, ValueError, OverflowError):
        good = False
    require_value(name, values, good, f"give {allowed}.")
    return numbers


def require_flag(name: str, value: object) -> None:
    """Refuse what is neither True nor False."""
    require_value(name, value, isinstance(value, bool | np.bool_), "give True or False.")


def require_arm(arm: object, policy: str, n_arms: int) -> int:
    """The return value of a policy's `select`, as the number of an arm."""
    if not is_whole(arm) or not 0 <= arm < n_arms:  # type: ignore[operator]
        raise InvalidValueError(
            f"select of {policy} returned {shown(arm)}; it must return the number of an arm, 0 to "
            f"{n_arms - 1}."
        )
    return int(arm)  # type: ignore[call-overload]


def require_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse what is not one of a few words."""
    known = ", ".join(repr(choice) for choice in choices)
    good = isinstance(value, str) and value in choices
    require_value(name, value, good, f"choose one of {known}.")


def shown(value: Any) -> str:
    """A value as errors show it; Python refuses to print very long integers."""
    if isinstance(value, int) and abs(value) > 10**30:
        return f"a whole number of {value.bit_length()} bits"
    return repr(value)


def require_confidence(confidence: Any) -> None:
    """Refuse what is not a probability strictly between 0 and 1."""
    if not (isinstance(confidence, int | float) and 0.0 < confidence < 1.0):
        raise invalid("confidence", confidence, "give one between 0 and 1.")
