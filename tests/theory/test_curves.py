"""All bounds that apply to an environment."""

import numpy as np
import pytest

import lowbid
from bounds import EASY, TEST1
from lowbid.theory import (
    curves_for,
    textbook,
    theorem1,
    theorem2,
)


def test_curves_for_given_arms():
    found = curves_for(TEST1, horizon=2000)
    by_name = {curve.name: curve for curve in found.curves}
    assert found.refused == {}
    assert {curve.values.shape for curve in found.curves} == {found.steps.shape}
    curve = by_name["Theorem 2"]
    start = curve.informative_from
    assert theorem2.variance_form(TEST1, start) < 0.299 * start
    assert theorem2.variance_form(TEST1, start - 1) >= 0.299 * (start - 1)
    assert f"t = {start}" in curve.note
    # Runs planned for the horizon: one bound for all steps up to it.
    assert by_name["Theorem 1"].values == pytest.approx(theorem1.variance_form(TEST1, 2000))
    assert by_name["Lai-Robbins"].kind == "lower"


def test_arms_of_which_none_is_worse():
    for arms in (lowbid.Bernoulli([0.3]), lowbid.Bernoulli([0.3, 0.1 + 0.2])):
        found = curves_for(arms, horizon=100)
        assert all((curve.values == 0).all() for curve in found.curves)
        by_name = {curve.name: curve for curve in found.curves}
        assert by_name["Theorem 1"].informative_from == 1
        assert "vacuous" in by_name["Lai-Robbins"].note
        assert theorem1.pulls(arms, 100) == pytest.approx(100)


def test_curves_for_other_arms():
    found = curves_for(lowbid.Gaussian([0.0, 1.0]), horizon=100, steps=[1, 10, 100])
    assert [curve.name for curve in found.curves] == ["Lai-Robbins"]
    assert "Theorem 1" in found.refused
    drawn = curves_for(lowbid.RandomArms(lowbid.Bernoulli, 3), horizon=3000, runs=5)
    assert "Lai-Robbins" in drawn.refused
    curve = next(curve for curve in drawn.curves if curve.name == "UCB1")
    assert (np.diff(curve.values) >= 0).all()
    assert "over instances" in curve.note


def test_values_by_name_are_what_a_chart_takes():
    steps = [1, 10, 100]
    found = curves_for(EASY, horizon=100, steps=steps)
    assert list(found.values) == [curve.name for curve in found.curves]
    assert found.values["UCB1"] == pytest.approx(textbook.ucb1(EASY, steps))
