import pytest

from lowbid.errors import LowbidError
from lowbid.experiments.sweeps._grids import settings_of, values_of


@pytest.mark.parametrize(
    ("given", "values"),
    [
        (3, [3]),
        ("log(0.3)", ["log(0.3)"]),
        ([1, 2, 4], [1, 2, 4]),
        ({"from": 1, "to": 7, "step": 2}, [1, 3, 5, 7]),
        ({"from": 1, "to": 8, "step": 2}, [1, 3, 5, 7]),
        ({"from": 0.1, "to": 0.3, "step": 0.1}, [0.1, 0.2, 0.3]),
        ({"from": 0, "to": 1, "count": 5}, [0.0, 0.25, 0.5, 0.75, 1.0]),
        ({"from": 2, "to": 8, "count": 4}, [2, 4, 6, 8]),
        ({"from": 1, "to": 1000, "count": 4, "log": True}, [1, 10, 100, 1000]),
        ({"from": 2, "to": 4, "count": 4}, [2, 2.66666666667, 3.33333333333, 4]),
        ({"from": 0.01, "to": 1, "count": 3, "log": True}, [0.01, 0.1, 1.0]),
    ],
)
def test_lists_and_ranges(given, values):
    """Whole numbers, as many parameters need, if the ends are written as such."""
    found = values_of("x", given)
    assert found == values
    whole = not isinstance(given, dict) or isinstance(given["from"], int)
    assert all(isinstance(each, int) for each in found if whole and each in range(1, 1001))


def test_products_and_pairs():
    found = settings_of({"a": [1, 2], "b": ["x", "y"]}, pairs=[{"c": 1, "d": 2}, {"c": 3, "d": 4}])
    assert len(found) == 8
    assert {(each["c"], each["d"]) for each in found} == {(1, 2), (3, 4)}
    assert len({tuple(sorted(each.items())) for each in found}) == 8


@pytest.mark.parametrize(
    ("varied", "pairs", "message"),
    [
        ({"a": []}, None, r"a is \[\]; give at least one value"),
        ({"a": [1, 1]}, None, "1 twice"),
        ({"a": {"from": 1}}, None, "a is .*from = 1, to = 8"),
        ({"a": {"from": 1, "to": 2}}, None, "either its step or its count"),
        ({"a": {"from": 1, "to": 2, "step": 1, "count": 2}}, None, "either its step or its count"),
        (
            {"a": {"from": 2, "to": 1, "step": 1}},
            None,
            "give a number below its end, 1",
        ),
        ({"a": {"from": 1, "to": 2, "step": 0}}, None, "above 0"),
        ({"a": {"from": 0, "to": 2, "count": 3, "log": True}}, None, "above 0"),
        ({"a": {"from": 0, "to": float("nan"), "step": 1}}, None, "needs numbers"),
        ({"a": {"from": 0, "too": 1, "step": 1}}, None, "did you mean to"),
        ({"a": {"from": 0, "to": 1, "step": 1e-9}}, None, "values; give"),
        ({"a": list(range(400)), "b": list(range(400))}, None, "160,000 combinations"),
        ({}, [], "pairs is"),
        ({}, [{"a": 1}, {"b": 1}], "different names"),
        ({"a": [1]}, [{"a": 1}], "and so is a list"),
    ],
)
def test_mistakes_are_named(varied, pairs, message):
    with pytest.raises(LowbidError, match=message):
        settings_of(varied, pairs)
