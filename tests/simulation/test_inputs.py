"""Whatever a function is given, it works or raises one of our errors, at once."""

import decimal

import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError, LossesWarning, LowbidError
from lowbid.experiments import Case
from lowbid.simulation import FixedDelay, GeometricDelay, ObservedDelay, _inputs
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
        ({"horizon": 10**400}, "horizon is a whole number of 1329 bits; give at most"),
        ({"runs": 10**12}, "the result would take .* GB"),
        ({"progress": 3}, "progress is 3; give True, False, a string"),
        ({"checkpoints": [[1], [2, 3]]}, "increasing whole numbers"),
    ]:
        with pytest.raises(LowbidError, match=words):
            lowbid.simulate(**{**GOOD, **given})


def test_a_very_small_mean_delay_is_none_at_all():
    assert -1 < float(GeometricDelay(5e-324).table()[0]) < 0
    late = lowbid.simulate(**GOOD, delay=GeometricDelay(1e-30))
    assert np.array_equal(late.regret, RESULT.regret)


def test_checkpoints():
    result = lowbid.simulate(lowbid.UCB1(), ARMS, horizon=50, runs=1, checkpoints=[1, 10, 20])
    assert result.checkpoints.tolist() == [1, 10, 20, 50]
    for horizon in (1, 2, 7, 200, 2000, 10**7):
        steps = _inputs.default_checkpoints(horizon)
        assert steps[0] == 1
        assert steps[-1] == horizon
        assert (np.diff(steps) > 0).all()
        assert len(steps) <= 262


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"horizon": 0}, "horizon is 0"),
        ({"horizon": 2.5}, r"horizon is 2\.5"),
        ({"runs": 0}, "runs is 0"),
        ({"workers": -1}, "workers is -1"),
        ({"seed": -3}, "seed is -3"),
        ({"policies": []}, r"policies is \[\]; give at least one"),
        ({"policies": [lowbid.UCB1]}, r"give an object such as UCB1\(\)"),
        ({"policies": [lowbid.UCB1(), lowbid.UCB1()]}, "two policies are named 'UCB1'"),
        ({"environment": [0.1, 0.2]}, "environment is"),
        ({"checkpoints": [5, 4]}, "increasing whole numbers"),
        ({"checkpoints": [0, 4]}, "increasing whole numbers"),
        ({"checkpoints": [4, 400]}, "increasing whole numbers"),
        ({"checkpoints": [0.5]}, "increasing whole numbers"),
        ({"checkpoints": np.array([400, 4], np.uint64)}, "increasing whole numbers"),
        ({"environment": lowbid.Deterministic([1e150, 0.0])}, "would overflow; scale the arms"),
        (
            {"policies": lowbid.BetaThompson(), "environment": lowbid.Gaussian([0.5])},
            "takes losses from 0 to 1, but",
        ),
        (
            {"policies": lowbid.BetaThompson(), "environment": lowbid.Deterministic([-0.5, 0.5])},
            "gives losses from -0.5 to 0.5",
        ),
        (
            {"policies": lowbid.BetaThompson(), "environment": lowbid.Deterministic([0.5, 1.5])},
            "gives losses from 0.5 to 1.5",
        ),
    ],
)
def test_bad_input_is_named(arguments, message):
    good = {"policies": lowbid.UCB1(), "environment": ARMS, "horizon": 10, "runs": 1}
    with pytest.raises(InvalidValueError, match=message):
        lowbid.simulate(**{**good, **arguments})


def test_a_policy_without_a_rule_is_named():
    class Empty(lowbid.Policy):
        pass

    with pytest.raises(InvalidValueError, match="Empty has no rule"):
        lowbid.simulate(Empty(), ARMS, horizon=10, runs=1)


NEGATIVE = lowbid.Gaussian([-5.0, -4.0])


def test_a_policy_that_takes_losses_it_is_not_made_for_says_so_once():
    policies = [lowbid.BatchEnsemble(), lowbid.BatchEnsemble(baseline="minimum"), lowbid.UCB1()]
    with pytest.warns(
        LossesWarning, match=r'BatchEnsemble assumes .* -5: .* baseline="minimum"'
    ) as w:
        lowbid.simulate(policies, NEGATIVE, horizon=10, runs=1)
    assert len(w) == 1


def test_mean_losses_that_floating_point_cannot_tell_apart_are_said_so_of():
    far = lowbid.Gaussian([1e15, 1e15 + 4])
    with pytest.warns(LossesWarning, match="floating point of 64 bits ends. Subtract") as w:
        lowbid.simulate(lowbid.BatchLikelihood(), far, horizon=10, runs=1)
    assert len(w) == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("means", [[1e14, 1e14 + 4], [-1e14, -1e14 + 4], [1e15, 1e15], [0.0, 0.0]])
def test_mean_losses_far_from_0_that_differ_enough_are_fine(means):
    lowbid.simulate(lowbid.BatchLikelihood(), lowbid.Gaussian(means), horizon=10, runs=1)


@pytest.mark.filterwarnings("error")
def test_losses_below_0_with_means_above_it_are_fine():
    lowbid.simulate(lowbid.BatchEnsemble(), lowbid.Gaussian([0.0, 1.0]), horizon=10, runs=1)
