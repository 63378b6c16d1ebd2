"""Checks at the library's edge."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import lowbid
from lowbid import _require as require
from lowbid.errors import InvalidValueError, LowbidError
from lowbid.experiments import names


@pytest.mark.parametrize("value", [1, 3, np.int8(3), 2**63 - 1])
def test_whole_numbers_become_python_s_own(value):
    assert type(require.require_whole("n", value)) is int
    assert require.require_whole("n", value) == value


@pytest.mark.parametrize("value", [0, -1, 1.0, True, np.bool_(1), "1", None, math.nan, -(10**400)])
def test_what_is_not_a_whole_number_is_refused(value):
    with pytest.raises(InvalidValueError, match=r"n is .*; give a whole number, 1 or larger\."):
        require.require_whole("n", value)


def test_too_large_a_whole_number_is_refused_in_few_words():
    with pytest.raises(InvalidValueError, match="n is 11; give at most 10"):
        require.require_whole("n", 11, at_most=10)
    with pytest.raises(InvalidValueError, match="a whole number of 1329 bits; give at most 92233"):
        require.require_whole("n", 10**400)


@pytest.mark.parametrize("value", [1, 0.5, np.float32(0.5), np.int64(2), 1e100, 1e-100])
def test_finite_numbers_are_taken(value):
    require.require_finite("x", value, above=0.0)


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, "1", None, True, 1j, Fraction(1)])
def test_what_is_not_a_finite_number_above_the_bound_is_refused(value):
    with pytest.raises(InvalidValueError, match=r"x is .*; give a finite number above 0\."):
        require.require_finite("x", value, above=0.0)


def test_bounds_may_be_allowed_and_numbers_negative():
    require.require_finite("x", 0.0, above=0.0, or_equal=True)
    require.require_finite("x", -3.0, above=-math.inf)
    with pytest.raises(InvalidValueError, match=r"give a finite number at least 0\."):
        require.require_finite("x", -1e-9, above=0.0, or_equal=True)


@pytest.mark.parametrize("value", [1e101, -1e101, 10**400])
def test_numbers_that_could_overflow_are_refused(value):
    with pytest.raises(InvalidValueError, match=r"give at most 1e\+100 in size"):
        require.require_finite("x", value, above=-math.inf)


def test_numbers_that_could_underflow_are_refused():
    with pytest.raises(InvalidValueError, match="too close to 0; give at least 1e-100"):
        require.require_finite("x", 5e-324, above=0.0)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 1.1, math.nan, True, "0.5", None])
def test_probabilities_lie_between_0_and_1(value):
    with pytest.raises(InvalidValueError, match="give a probability between 0 and 1"):
        require.require_probability("delta", value)
    if value in (0.0, 1.0) and value is not True:
        require.require_probability("epsilon", value, ends=True)


@pytest.mark.parametrize(
    ("check", "field", "value"),
    [
        (lambda: require.require_whole("n", 0), "n", 0),
        (lambda: require.require_finite("x", -1.0, above=0.0), "x", -1.0),
        (lambda: require.require_choice("on", "moon", ("sun",)), "on", "moon"),
        (lambda: lowbid.Bernoulli([0.5, 2.0]), "mean", 2.0),
        (lambda: lowbid.UCB1(scale=-1), "scale", -1),
        (lambda: lowbid.simulate(lowbid.UCB1(), lowbid.Bernoulli([0.5]), horizon=0), "horizon", 0),
        (lambda: lowbid.Bandit(2, reward_range=(0, 1)).update(0, reward=3), "reward", 3),
        (lambda: names.policy("ubc1"), "policy", "ubc1"),
    ],
)
def test_an_error_has_the_field_and_the_value_it_is_about(check, field, value):
    with pytest.raises(LowbidError) as caught:
        check()
    error = caught.value
    assert (error.field, error.value) == (field, value)
    assert field in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.field, copy.value) == (str(error), field, value)


def test_an_error_about_no_single_value_has_no_field():
    assert (LowbidError("all is wrong").field, LowbidError().value) == (None, None)


def test_flags_and_choices():
    require.require_flag("on", np.bool_(False))
    require.require_choice("ties", "first", ("random", "first"))
    for value in (1, "True", None):
        with pytest.raises(InvalidValueError, match=r"on is .*; give True or False"):
            require.require_flag("on", value)
    for value in ("last", None, 0, np.array(["first"])):
        with pytest.raises(InvalidValueError, match="choose one of 'random', 'first'"):
            require.require_choice("ties", value, ("random", "first"))


def test_arrays_of_numbers():
    found = require.require_numbers("n", [1, Fraction(1, 2)], "numbers")
    assert found.tolist() == [1.0, 0.5]
    for value in ("1", [True], 1j, math.nan, [1.0, 2e100], 10**400, None, [[1], [2, 3]]):
        with pytest.raises(InvalidValueError, match=r"n is .*; give numbers"):
            require.require_numbers("n", value, "numbers")


@pytest.mark.parametrize("arm", [-1, 3, 1.0, True, None, "0"])
def test_a_choice_is_the_number_of_an_arm(arm):
    assert require.require_arm(np.int64(2), "mine", 3) == 2
    with pytest.raises(InvalidValueError, match=r"select of mine returned .* an arm, 0 to 2"):
        require.require_arm(arm, "mine", 3)
