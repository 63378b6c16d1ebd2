"""Grids of parameters: lists, ranges, their products, and pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lowbid._require import (
    invalid,
    is_number,
    is_whole,
    require,
    require_flag,
    require_value,
    require_whole,
)
from lowbid.experiments.names import nearest

_RANGE = ("from", "to", "step", "count", "log")
# A typo should not request a million policies or environments.
MOST = 100_000


def settings_of(
    varied: Mapping[str, Any], pairs: object = None, most: int = MOST
) -> list[dict[str, Any]]:
    """All combinations of values, each as a mapping from parameters to values.

    A list gives several values, and a table such as ``{from = 1, to = 8, step = 1}`` a range;
    anything else is a single value. `pairs` lists combinations of some parameters, which are
    combined with all other parameters but not with one another.

    >>> for each in settings_of({"padding": [1, 2], "batches": {"from": 2, "to": 4, "step": 2}}):
    ...     print(each)
    {'padding': 1, 'batches': 2}
    {'padding': 1, 'batches': 4}
    {'padding': 2, 'batches': 2}
    {'padding': 2, 'batches': 4}
    >>> settings_of({"c": [7]}, pairs=[{"a": 1, "b": 2}, {"a": 3, "b": 4}])
    [{'a': 1, 'b': 2, 'c': 7}, {'a': 3, 'b': 4, 'c': 7}]
    """
    chosen = _pairs(pairs, varied)
    axes = {name: values_of(name, value) for name, value in varied.items()}
    number = len(chosen) * math.prod(map(len, axes.values()))
    require(number <= most, f"there are {number:,} combinations; give at most {most:,}.")
    return [
        {**some, **dict(zip(axes, values, strict=True))}
        for some in chosen
        for values in itertools.product(*axes.values())
    ]


def values_of(name: str, value: Any) -> list[Any]:
    """The values that a list, a range or a single value stands for."""
    if isinstance(value, Mapping):
        return _range(name, value)
    if not isinstance(value, list):
        return [value]
    require_value(name, value, bool(value), "give at least one value.")
    twice = next((each for i, each in enumerate(value) if each in value[:i]), None)
    message = f"{name} is {value!r}, with {twice!r} twice; give each value once."
    require(twice is None, message, name, value)
    return value


def _pairs(pairs: object, varied: Mapping[str, Any]) -> list[dict[str, Any]]:
    if pairs is None:
        return [{}]
    good = isinstance(pairs, list) and pairs and all(isinstance(p, dict) and p for p in pairs)
    if not (good and isinstance(pairs, list)):
        raise invalid(
            "pairs",
            pairs,
            "give a list of tables, such as [{padding = 1, batches = 2}, {padding = 2, batches "
            "= 4}].",
        )
    for each in pairs:
        require(
            set(each) == set(pairs[0]),
            f"pairs is a list of tables with different names, {sorted(each)} and "
            f"{sorted(pairs[0])}; name the same parameters in each.",
            "pairs",
            pairs,
        )
        both = sorted(set(each) & set(varied))
        message = f"pairs is given for {', '.join(both)!r}, and so is a list; give one."
        require(not both, message, "pairs", pairs)
    return pairs


def _range(name: str, given: Mapping[str, Any]) -> list[Any]:
    """The values of a range, its ends included."""
    found = {nearest(f"entry of the range {name}", key, _RANGE): v for key, v in given.items()}
    for end in ("from", "to"):
        require_value(
            name,
            dict(given),
            end in found and is_number(found[end]) and math.isfinite(found[end]),
            "a range needs numbers: {from = 1, to = 8, step = 1}, or count = 8 instead of the "
            "step, optionally with log = true.",
        )
    low, high = found["from"], found["to"]
    require_value(f"{name}.from", low, low < high, f"give a number below its end, {high}.")
    one = ("step" in found) != ("count" in found)
    require_value(name, dict(given), one, "give a range either its step or its count.")
    if "step" in found:
        require_value(name, dict(given), "log" not in found, "give count instead of the step.")
        return list(_steps(name, low, high, found["step"]))
    count = require_whole(f"{name}.count", found["count"], at_least=2, at_most=MOST)
    require_flag(f"{name}.log", found.get("log", False))
    if found.get("log", False):
        require_value(f"{name}.from", low, low > 0, "with log, give a number above 0.")
        values = np.geomspace(low, high, count)
    else:
        values = np.linspace(low, high, count)
    short = [_short(float(value)) for value in values]
    whole = is_whole(low) and is_whole(high)
    return [int(value) if whole and value.is_integer() else value for value in short]


def _steps(name: str, low: Any, high: Any, step: Any) -> Iterator[Any]:
    good = is_number(step) and math.isfinite(step) and step > 0
    require_value(f"{name}.step", step, good, "give a number above 0.")
    number = math.floor((high - low) / step + 1e-9) + 1
    message = f"{name} is a range of {number:,} values; give at most {MOST:,}."
    require(number <= MOST, message, name)
    for i in range(number):
        value = low + i * step
        yield value if is_whole(value) else _short(value)


def _short(value: float) -> float:
    """A value in its short form: 0.3, not 0.30000000000000004."""
    return float(f"{value:.12g}")
