"""Durations, as callers give them and in whole microseconds."""

from __future__ import annotations

import datetime
import re
from typing import Any

from lowbid._require import invalid, is_number

Duration = str | float | datetime.timedelta

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*")
_LONGEST = 1000 * 365 * 86400  # seconds


def microseconds(name: str, value: Any, *, at_least: int = 1) -> int:
    """A duration such as "90s", "15m", "1h", "30d", a number of seconds, or a timedelta."""
    seconds = None
    if isinstance(value, datetime.timedelta):
        seconds = value.total_seconds()
    elif isinstance(value, str):
        found = _TEXT.fullmatch(value)
        if found is not None and found[2] in _UNITS:
            seconds = float(found[1]) * _UNITS[found[2]]
    elif is_number(value):
        seconds = float(value)
    if seconds is not None and 0.0 <= seconds * 1e6 <= at_least - 0.5:
        raise invalid(name, value, 'give more than 0, such as "90s" or "1h".')
    if seconds is None or not 0.0 <= seconds <= _LONGEST:
        allowed = 'give a time such as "90s", "15m", "1h" or "30d", or a number of seconds.'
        raise invalid(name, value, allowed)
    return round(seconds * 1e6)


def shown_duration(span: int) -> str:
    """A duration in the largest unit that divides it, such as "1h"."""
    seconds = span / 1e6
    for unit in ("d", "h", "m"):
        if seconds >= _UNITS[unit] and seconds % _UNITS[unit] == 0:
            return f"{seconds / _UNITS[unit]:g}{unit}"
    return f"{seconds:g}s"


def utc(time: int) -> datetime.datetime:
    """A log time, in microseconds since 1970, as a datetime."""
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return epoch + datetime.timedelta(microseconds=time)
