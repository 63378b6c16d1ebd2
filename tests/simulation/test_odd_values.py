"""Whatever a function is given, it works or says in our own words what is wrong, at once."""

import decimal

import numpy as np
import pytest

import lowbid
from lowbid.errors import LowbidError
from lowbid.experiments import Case
from lowbid.simulation import FixedDelay, GeometricDelay, ObservedDelay
from lowbid.validation import SOURCES, compare

ODD = {
    "None": None,
    "True": True,
    "False": False,
    "nan": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "huge float": 1e308,
    "denormal": 5e-324,
    "huge": 10**400,
    "-huge": -(10**400),
    "2**63": 2**63,
    "-1": -1,
    "0": 0,
    "1.5": 1.5,
    "complex": 2 + 3j,
    "text": "yes",
    "no text": "",
    "bytes": b"yes",
    "NumPy float": np.float32(2.5),
    "NumPy nan": np.float64("nan"),
    "NumPy int": np.int64(3),
    "NumPy bool": np.bool_(True),
    "array": np.array([1, 2]),
    "array of objects": np.array([None, "a"], dtype=object),
    "decimal": decimal.Decimal("1.5"),
    "list": [],
    "ragged list": [[1], [2, 3]],
    "mapping": {},
    "mapping of odd": {"a": None},
    "class": int,
    "function": lambda *_: 10**9,
    "object": object(),
}
ARMS = lowbid.Bernoulli([0.1, 0.5])
GOOD = {"policies": lowbid.UCB1(), "environment": ARMS, "horizon": 10, "runs": 3, "seed": 0}
RESULT = lowbid.simulate(**GOOD)


def ours(make):
    """Works, or raises one of our errors with a message that ends like a sentence."""
    message = "."
    try:
        make()
    except LowbidError as error:
        message = str(error)
    assert message.endswith((".", "?"))


odd = pytest.mark.parametrize("value", ODD.values(), ids=ODD)


@odd
@pytest.mark.parametrize(
    "parameter",
    [*GOOD, "checkpoints", "workers", "progress", "delay", "lost", "batch"],
)
def test_simulate(parameter, value):
    ours(lambda: lowbid.simulate(**{**GOOD, parameter: value}))


@odd
def test_delays(value):
    for delay in (FixedDelay, GeometricDelay, ObservedDelay):
        ours(lambda delay=delay: delay(value).table())


@odd
def test_what_a_result_is_asked(value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours(lambda: RESULT.summary(value))
    ours(lambda: RESULT.summary().row(value))
    ours(lambda: RESULT.difference(value, "UCB1"))
    ours(lambda: RESULT.difference("UCB1", "UCB1", value))
    ours(lambda: RESULT[value])
    ours(lambda: RESULT.save(value))


@odd
@pytest.mark.parametrize("parameter", ["environment", "policies", "horizon", "runs", "seed"])
def test_cases(parameter, value):
    good = {**GOOD, "key": "key", "title": "title", "policies": {"ucb": lowbid.UCB1()}}
    ours(lambda: Case(**{**good, parameter: value}))


@odd
@pytest.mark.parametrize("parameter", ["cells", "runs", "seed", "progress"])
def test_published_figures(parameter, value):
    good = {"cells": SOURCES["five-tests"][:1], "runs": 2, "seed": 0, "progress": False}
    ours(lambda: compare(**{**good, parameter: value}))


def test_what_is_refused_says_what_to_give():
    for given, words in [
        ({"policies": None}, "policies is None; give a policy such as"),
        ({"horizon": 10**400}, "give at most 1e.15"),
        ({"runs": 10**12}, "the result would take .* GB"),
        ({"progress": 3}, "progress is 3; give True, False, a text"),
        ({"checkpoints": [[1], [2, 3]]}, "increasing whole numbers"),
    ]:
        with pytest.raises(LowbidError, match=words):
            lowbid.simulate(**{**GOOD, **given})


def test_a_very_small_mean_delay_is_none_at_all():
    assert -1 < float(GeometricDelay(5e-324).table()[0]) < 0
    late = lowbid.simulate(**GOOD, delay=GeometricDelay(1e-30))
    assert np.array_equal(late.regret, RESULT.regret)


def test_delays_of_numpy_s_numbers_are_described_like_others():
    assert repr(FixedDelay(np.int64(3))) == "FixedDelay(steps=3)"
    assert repr(ObservedDelay(np.array([1, 2]))) == "ObservedDelay(steps=(1, 2))"
