"""Bounds refuse what they are not for, and say what to do."""

import math

import pytest

import lowbid
from bounds import EASY, SCALED
from lowbid.errors import InvalidValueError
from lowbid.theory import (
    curves_for,
    instances,
    printed,
    textbook,
    theorem2,
)


def test_refusals_say_what_to_do():
    beta = lowbid.Beta([1.0, 2.0], 2.0)
    for bound in (theorem2.variance_form, printed.theorem1_variance_form):
        with pytest.raises(InvalidValueError, match=r"lowbid\.theory\.theorem1 with proof="):
            bound(beta, 100)
    for what in (None, [0.1, 0.2]):
        with pytest.raises(InvalidValueError, match="give arms"):
            textbook.ucb1(what, 100)
    for t in (math.inf, math.nan, "soon", 0.5):
        with pytest.raises(InvalidValueError, match="give steps"):
            textbook.ucb1(EASY, t)
    with pytest.raises(InvalidValueError, match="RandomArms"):
        instances(EASY)
    for steps in ([0, 10], [], 7):
        with pytest.raises(InvalidValueError, match="steps"):
            curves_for(EASY, 100, steps)


def test_other_bounds_refuse_too():
    gaussian = lowbid.Gaussian([0.0, 1.0])
    for bound in (
        theorem2.variance_form,
        theorem2.mean_form,
        theorem2.independent_form,
        theorem2.pulls,
        textbook.ucb1,
        textbook.ucb_v,
        textbook.kl_ucb,
    ):
        with pytest.raises(InvalidValueError):
            bound(gaussian, 100)
    with pytest.raises(InvalidValueError, match="from 0 to 1"):
        textbook.kl_ucb(SCALED, 100)
