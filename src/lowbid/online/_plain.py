"""Numbers and arrays of states as plain data for JSON, and back, to the last bit.

Arrays are rows of numbers that a person can read, unless there are very many: then their bytes are
packed into a word, which takes a hundredth of the time.
"""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid.errors import StateError
from lowbid.policies import fill

# Arrays of more numbers are packed.
MOST_IN_ROWS = 10_000

Array = npt.NDArray[Any]


def array_to(values: Array) -> Any:
    """An array for JSON."""
    if values.size <= MOST_IN_ROWS:
        return numbers_to(values.tolist())
    little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    packed = base64.b64encode(zlib.compress(little.data, level=1)).decode()
    return {"dtype": little.dtype.str, "shape": list(values.shape), "packed": packed}


def array_from(saved: Any, like: Array, name: str) -> Any:
    """What `array_to` returned: an array of at most as many rows as one like it, or still rows."""
    if not isinstance(saved, dict):
        return saved
    kind = like.dtype.newbyteorder("<")
    try:
        rows, *rest = saved["shape"]
        known = saved["dtype"] == kind.str and rest == list(like.shape[1:]) and rows <= len(like)
        size = rows * math.prod(rest) * kind.itemsize if known else 0
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(saved["packed"], validate=True), size + 1)
        if not known or len(data) != size:
            raise ValueError
    except (LookupError, TypeError, ValueError, binascii.Error, zlib.error) as error:
        raise StateError(
            f"{name} is not an array that was packed here; allowed are {kind.str} numbers of the "
            f"shape {like.shape}, or fewer rows.",
            field=name,
            value=saved,
        ) from error
    return np.frombuffer(data, kind).reshape(rows, *rest)


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
            saved[name] = array_to(rows)
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
            fill(place, array_from(saved[name], place, path + name), path + name)
    return fresh
