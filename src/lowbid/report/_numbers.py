"""How numbers are written."""

from __future__ import annotations

import math


def figure(value: float) -> str:
    """A number with a readable number of digits.

    >>> figure(1234.5), figure(56.78), figure(0.01234), figure(0.0)
    ('1234', '56.8', '0.0123', '0')
    """
    if math.isnan(value):
        return "–"
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{digits}f}"


def interval(low: float, high: float) -> str:
    """An interval of numbers.

    >>> interval(-1.5, 2.25)
    '[-1.50, 2.25]'
    """
    return "" if math.isnan(low) else f"[{figure(low)}, {figure(high)}]"
