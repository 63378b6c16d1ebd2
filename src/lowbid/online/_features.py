"""Declared features: what is given for each of them, and the columns of numbers they become."""

from __future__ import annotations

import difflib
import math
import types
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Union, get_args, get_origin

import numpy as np
import numpy.typing as npt

from lowbid._require import is_number, real_number, shown
from lowbid.errors import InvalidValueError

Columns = npt.NDArray[np.float64]

# Squares of larger numbers add up to more than a float can hold.
_LARGEST = 1e50
_MOST_COLUMNS = 1_000
_OTHER = "other"
# The kinds of features as JSON has them, and what they are in Python.
_NUMBER, _NUMBER_OR_NONE, _FLAG = "number", "number or null", "boolean"


class Feature(NamedTuple):
    """A declared feature.

    Attributes
    ----------
    name : str
        Its name.
    kind : str or tuple
        "number", "number or null", "boolean", or the categories.
    columns : tuple of str
        What its columns are called.
    """

    name: str
    kind: str | tuple[Any, ...]
    columns: tuple[str, ...]

    def write(self, value: Any, into: Columns) -> None:
        """Write its columns for a value, or raise an error that names it."""
        if isinstance(self.kind, tuple):
            into[:] = 0.0
            into[self._category(value)] = 1.0
        elif self.kind == _FLAG:
            if not isinstance(value, bool | np.bool_):
                raise self._wrong(value, "give True or False")
            into[0] = float(value)
        elif self.kind == _NUMBER_OR_NONE and _is_missing(value):
            into[:] = (math.nan, 1.0)  # the policy puts the column's mean there
        else:
            into[:] = 0.0
            into[0] = self._number(value)

    def _number(self, value: Any) -> float:
        number = float(value) if isinstance(value, bool | np.bool_) else real_number(value)
        if _is_missing(value):
            raise self._wrong(value, "give a number, or declare it as float | None")
        if number is None or not abs(number) <= _LARGEST:
            raise self._wrong(value, f"give one finite number, up to {_LARGEST:g} in size")
        return number

    def _category(self, value: Any) -> int:
        kind: tuple[Any, ...] = self.kind  # type: ignore[assignment]
        if _is_missing(value):
            value = None
        for place, category in enumerate(kind):
            if category == value and isinstance(category, bool) == isinstance(value, bool):
                return place
        if _OTHER in kind and isinstance(value, str):
            return kind.index(_OTHER)
        near = (
            difflib.get_close_matches(value, [c for c in kind if isinstance(c, str)], n=1)
            if (isinstance(value, str))
            else []
        )
        listed = ", ".join(map(repr, kind[:10])) + (", ..." if len(kind) > 10 else "")
        hint = f"did you mean {near[0]!r}?" if near else f"give one of {listed}"
        if value is None:
            hint += "; declare None as one of them if it may be missing"
        elif not near and isinstance(value, str):
            hint += f', or declare "{_OTHER}" as one of them, for all that are not listed'
        raise self._wrong(value, hint)

    def _wrong(self, value: Any, remedy: str) -> InvalidValueError:
        return InvalidValueError(
            f"the feature {self.name!r} is {shown(value)}; {remedy}", field=self.name, value=value
        )


class Features:
    """All features that were declared.

    Attributes
    ----------
    declared : list of Feature
        In their order.
    array : bool
        Whether features are given as an array of numbers, not by name.
    """

    def __init__(self, declared: list[Feature], array: bool = False) -> None:
        self.declared, self.array = declared, array
        self.columns = [column for feature in declared for column in feature.columns]
        self._names = {feature.name for feature in declared}

    def to_data(self) -> Any:
        """The declaration as plain data, which `read_features` reads."""
        if self.array:
            return len(self.declared)
        return {
            feature.name: list(feature.kind) if isinstance(feature.kind, tuple) else feature.kind
            for feature in self.declared
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Features) and self.to_data() == other.to_data()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.to_data())

    def read(self, given: Any) -> Columns:
        """The columns of numbers for the features given, or an error that names what is wrong."""
        found = np.empty(len(self.columns))
        if self.array:
            return self._read_array(given, found)
        if not isinstance(given, Mapping):
            names = ", ".join(f"{feature.name!r}: ..." for feature in self.declared)
            raise InvalidValueError(
                f"features are {shown(given)}; give them by name: {{{names}}}", field="features"
            )
        for name in given:
            if name not in self._names:
                near = difflib.get_close_matches(str(name), self._names, n=1)
                listed = ", ".join(repr(each) for each in sorted(self._names)[:10])
                hint = f"did you mean {near[0]!r}?" if near else f"those declared are {listed}."
                raise InvalidValueError(
                    f"there is no feature {name!r}; {hint}", field=str(name), value=given[name]
                )
        first = 0
        for feature in self.declared:
            if feature.name not in given:
                raise InvalidValueError(
                    f"the feature {feature.name!r} is not given; give all that were declared, as "
                    "None where the value is missing.",
                    field=feature.name,
                )
            last = first + len(feature.columns)
            feature.write(given[feature.name], found[first:last])
            first = last
        return found

    def _read_array(self, given: Any, found: Columns) -> Columns:
        try:
            values = list(given)
        except TypeError:
            values = []
        if isinstance(given, Mapping | str) or len(values) != len(found):
            raise InvalidValueError(
                f"features are {shown(given)}; give {len(found)} numbers", field="features"
            )
        for number, feature in enumerate(self.declared):
            feature.write(values[number], found[number : number + 1])
        return found


def read_features(declared: Any) -> Features | None:
    """The features that a caller declared, or a clear error."""
    if declared is None:
        return None
    if is_number(declared) and not isinstance(declared, bool):
        if not (isinstance(declared, int | np.integer) and 1 <= declared <= _MOST_COLUMNS):
            raise InvalidValueError(
                f"features is {declared!r}; give a whole number of columns from 1 to "
                f"{_MOST_COLUMNS:,}, or a mapping from names to kinds.",
                field="features",
            )
        return Features(
            [Feature(f"[{i}]", _NUMBER, (f"[{i}]",)) for i in range(int(declared))], array=True
        )
    if not isinstance(declared, Mapping) or not declared:
        raise InvalidValueError(
            f"features is {shown(declared)}; give a mapping from names to kinds, such as "
            '{"age": float, "country": ["DE", "FR", "other"]}.',
            field="features",
        )
    features = Features([_declared(name, kind) for name, kind in declared.items()])
    if len(features.columns) > _MOST_COLUMNS:
        raise InvalidValueError(
            f"features have {len(features.columns):,} columns, one for each number and each "
            f"category; declare at most {_MOST_COLUMNS:,}.",
            field="features",
        )
    return features


def _declared(name: Any, kind: Any) -> Feature:
    """One declared feature, or a clear error."""
    if not isinstance(name, str) or not name:
        raise InvalidValueError(f"a feature's name is {shown(name)}; give text.", field="features")
    if kind in (float, int, _NUMBER):
        return Feature(name, _NUMBER, (name,))
    if kind == _NUMBER_OR_NONE or _is_optional_number(kind):
        return Feature(name, _NUMBER_OR_NONE, (name, f"{name} missing"))
    if kind in (bool, _FLAG):
        return Feature(name, _FLAG, (name,))
    if isinstance(kind, Sequence) and not isinstance(kind, str | bytes):
        return Feature(name, _categories(name, kind), tuple(f"{name}={each}" for each in kind))
    raise InvalidValueError(
        f"the feature {name!r} is declared as {shown(kind)}; give float, float | None, bool or a "
        "list of categories.",
        field=name,
        value=kind,
    )


def _categories(name: str, kind: Sequence[Any]) -> tuple[Any, ...]:
    for each in kind:
        if each is not None and not isinstance(each, str | bool | int):
            raise InvalidValueError(
                f"a category of {name!r} is {shown(each)}; give text, whole numbers or None.",
                field=name,
                value=each,
            )
    marks = {(isinstance(each, bool), each) for each in kind}
    if len(kind) < 2 or len(marks) < len(kind):
        raise InvalidValueError(
            f"the categories of {name!r} are {shown(list(kind))}; give two or more, all different.",
            field=name,
            value=kind,
        )
    return tuple(kind)


def _is_optional_number(kind: Any) -> bool:
    union = isinstance(kind, types.UnionType) or get_origin(kind) is Union
    return union and set(get_args(kind)) in ({float, type(None)}, {int, type(None)})


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value))
