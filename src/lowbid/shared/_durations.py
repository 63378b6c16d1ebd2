"""Durations, as callers give them and in whole microseconds."""

from __future__ import annotations

import contextlib
import datetime
import re
from typing import Any

from lowbid._require import invalid, is_number

Duration = str | float | datetime.timedelta
Moment = str | float | datetime.datetime

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*")
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
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


def microseconds_since_1970(name: str, value: Any) -> int:
    """A moment: a datetime with a time zone, or one as ISO text, or seconds since 1970."""
    moment = value
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            moment = datetime.datetime.fromisoformat(value)
    if isinstance(moment, datetime.datetime) and moment.tzinfo is not None:
        return round((moment - _EPOCH) / datetime.timedelta(microseconds=1))
    if is_number(value) and 0.0 <= value < 1e11:
        return round(value * 1e6)
    allowed = (
        'give a datetime with a time zone, text such as "2026-03-01T08:00Z", or the number of '
        "seconds since 1970."
    )
    raise invalid(name, value, allowed)


def shown_duration(span: int) -> str:
    """A duration in the largest unit that divides it, such as "1h"."""
    seconds = span / 1e6
    for unit in ("d", "h", "m"):
        if seconds >= _UNITS[unit] and seconds % _UNITS[unit] == 0:
            return f"{seconds / _UNITS[unit]:g}{unit}"
    return f"{seconds:g}s"


def utc(time: int) -> datetime.datetime:
    """A log time, in microseconds since 1970, as a datetime."""
    return _EPOCH + datetime.timedelta(microseconds=time)
