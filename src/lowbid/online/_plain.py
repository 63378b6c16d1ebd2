"""Numbers and arrays of states as plain data for JSON, and back, to the last bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lowbid.policies._limits import fill


def numbers_to(value: Any) -> Any:
    """Numbers for JSON: infinity and NaN, which it lacks, as words."""
    if isinstance(value, list):
        return [numbers_to(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def state_to(state: Any, fresh: Any) -> dict[str, Any]:
    """A state's arrays by name, without trailing rows that still have their initial values."""
    saved: dict[str, Any] = {}
    for name, value, start in zip(state._fields, state, fresh, strict=True):
        if isinstance(value, tuple):
            saved[name] = state_to(value, start)
        else:
            changed = np.flatnonzero((value != start).any(axis=tuple(range(1, value.ndim))))
            rows = value[: changed[-1] + 1] if changed.size else value[:0]
            saved[name] = numbers_to(rows.tolist())
    return saved


def state_from(saved: dict[str, Any], fresh: Any, path: str = "") -> Any:
    """Write what `state_to` returned into an initial state.

    A field that the file does not have was added after the file was written, for something not used
    there: it keeps its initial value.
    """
    if not isinstance(saved, dict) or not saved or not set(saved) <= set(fresh._fields):
        raise ValueError(f"{path or 'the state '}has other fields")  # another lowbid's
    for name in saved:
        place = getattr(fresh, name)
        if isinstance(place, tuple):
            state_from(saved[name], place, f"{path}{name}.")
        elif saved[name] != []:
            fill(place, saved[name], path + name)
    return fresh
