import math

import numpy as np
import pytest

from lowbid.errors import InvalidValueError
from lowbid.online._features import read_features

DECLARED = {
    "age": float,
    "income": float | None,
    "member": bool,
    "country": ["DE", "FR", "other"],
    "tier": [1, 2, None],
}
GIVEN = {"age": 31, "income": 2e4, "member": True, "country": "FR", "tier": 2}


def columns(**changed):
    return read_features(DECLARED).read({**GIVEN, **changed}).tolist()


def test_what_is_given_becomes_columns():
    assert columns() == [31.0, 2e4, 0.0, 1.0, 0, 1, 0, 0, 1, 0]
    assert read_features(DECLARED).columns == [
        "age", "income", "income missing", "member",
        "country=DE", "country=FR", "country=other", "tier=1", "tier=2", "tier=None",
    ]  # fmt: skip
    assert columns(age=np.float32(0.5), member=np.bool_(False))[:4] == [0.5, 2e4, 0.0, 0.0]
    assert read_features(3).read(np.arange(3)).tolist() == [0.0, 1.0, 2.0]


def test_what_is_missing_has_a_column_of_its_own():
    for missing in (None, math.nan):
        found = columns(income=missing, tier=missing)
        assert math.isnan(found[1])
        assert found[2] == 1.0
        assert found[-3:] == [0, 0, 1]


def test_other_takes_what_is_not_listed():
    assert columns(country="US")[4:7] == columns(country="other")[4:7] == [0, 0, 1]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"age": None}, "'age' is None; give a number, or declare it as float | None"),
        ({"age": math.inf}, "'age' is inf; give one finite number"),
        ({"age": 1e60}, "'age' is 1e.60; give one finite number"),
        ({"age": "31"}, "'age' is '31'; give one finite number"),
        ({"age": [1]}, r"'age' is \[1\]; give one finite number"),
        ({"member": 1}, "'member' is 1; give True or False"),
        ({"country": None}, "'country' is None; give one of 'DE', 'FR', 'other'; declare None"),
        ({"country": 5}, "'country' is 5; give one of 'DE'"),
        ({"tier": True}, "'tier' is True; give one of 1, 2, None"),
        ({"tier": "3"}, "'tier' is '3'; give one of 1, 2, None, or declare \"other\""),
        ({"aage": 5}, "there is no feature 'aage'; did you mean 'age'"),
        ({"zzz": 5}, "there is no feature 'zzz'; those declared are 'age', 'country'"),
    ],
)
def test_what_is_wrong_is_named(changed, message):
    with pytest.raises(InvalidValueError, match=message.replace("|", r"\|")) as caught:
        columns(**changed)
    assert caught.value.field in changed


def test_an_absent_feature_is_named():
    with pytest.raises(InvalidValueError, match="'age' is not given; give all that were declared"):
        read_features(DECLARED).read({})


@pytest.mark.parametrize("given", [5, "x", [1, 2], None])
def test_names_are_needed(given):
    with pytest.raises(InvalidValueError, match="give them by name"):
        read_features({"a": float}).read(given)


@pytest.mark.parametrize("given", [5, "xyz", [1, 2], {"a": 1, "b": 2, "c": 3}])
def test_an_array_has_its_length(given):
    with pytest.raises(InvalidValueError, match="give 3 numbers"):
        read_features(3).read(given)
    with pytest.raises(InvalidValueError, match=r"'\[1\]' is nan"):
        read_features(3).read([1, math.nan, 2])


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({}, "give a mapping from names to kinds"),
        ([1], "give a mapping from names to kinds"),
        ("age", "give a mapping from names to kinds"),
        (0, "features is 0; give a whole number"),
        (2.5, "features is 2.5; give a whole number"),
        (1001, "features is 1001"),
        ({5: float}, "a feature's name is 5"),
        ({"a": str}, "'a' is declared as"),
        ({"a": "numbr"}, "'a' is declared as 'numbr'; give float"),
        ({"a": ["x"]}, "two or more, all different"),
        ({"a": ["x", "x"]}, "two or more, all different"),
        ({"a": ["x", 1.5]}, "a category of 'a' is 1.5"),
        ({"a": [str(i) for i in range(1_000_000)]}, "1,000,000 columns"),
    ],
)
def test_impossible_declarations_are_refused(declared, message):
    with pytest.raises(InvalidValueError, match=message):
        read_features(declared)


def test_a_declaration_is_plain_data_and_back():
    for declared in (DECLARED, 7):
        features = read_features(declared)
        assert read_features(features.to_data()) == features
    assert read_features(DECLARED) != read_features(7)
    assert read_features(None) is None
