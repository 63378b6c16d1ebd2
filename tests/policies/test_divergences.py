import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lowbid.policies import _families as families
from naive import families as naive

FAMILIES = {
    "bernoulli": (families.BernoulliFamily, naive.bernoulli, 1.0),
    "exponential": (families.ExponentialFamily, naive.exponential, 1e6),
    "poisson": (families.PoissonFamily, naive.poisson, 1e6),
}
COUNTS = st.integers(1, 10**7)
BUDGETS = st.floats(1e-6, 400.0)


def solves(family, index: float, mean: float, budget: float, count: int) -> bool:
    """Whether n D(m, index) = f to 1e-9, or the index is 0 and almost 0 is within the budget."""
    if index <= mean * 1e-300:
        return family.divergence(mean, max(mean * 1e-290, 5e-324), 1.0) <= budget
    error = count * abs(family.divergence(mean, index, 1.0) - budget)
    # The index is a floating point number: less than its last place is out of reach.
    resolution = count * abs(family.steepness(mean, index, 1.0)) * math.ulp(index)
    return error <= 1e-9 * max(1, count * budget) + resolution


@pytest.mark.parametrize("name", FAMILIES)
@given(share=st.floats(0.0, 1.0), count=COUNTS, f=BUDGETS)
@example(share=1.0, count=1, f=700.0)
@example(share=5e-324, count=1, f=10.0)
@example(share=1 - 2**-53, count=10, f=10.0)
@example(share=0.265625, count=9999999, f=0.5)
@settings(max_examples=300, deadline=None)
def test_the_lowest_mean_solves_its_equation(name, share, count, f):
    family, _, largest = FAMILIES[name]
    mean, budget = share * largest, f / count
    index = family.lowest_mean(mean, budget, 1.0)
    assert 0.0 <= index <= mean
    if mean > 1e-300 and not (name == "bernoulli" and mean > 1 - 1e-12):
        assert solves(family, index, mean, budget, count)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("mean", [0.0, 1e-6, 0.01, 0.3, 0.5, 0.7, 0.99, 1.0])
@pytest.mark.parametrize("budget", [1e-6, 1e-3, 0.1, 1.0, 5.0])
def test_the_lowest_mean_is_that_of_bisection(name, mean, budget):
    family, divergence, _ = FAMILIES[name]
    expected = naive.lowest_mean(divergence, mean, budget, low=0.0)
    assert family.lowest_mean(mean, budget, 1.0) == pytest.approx(expected, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("name", FAMILIES)
@given(x=st.floats(0, 1), y=st.floats(0, 1))
@settings(max_examples=300, deadline=None)
def test_divergences_are_those_of_the_book(name, x, y):
    family, divergence, _ = FAMILIES[name]
    ours = family.divergence(x, y, 1.0)
    assert ours >= 0.0
    if x > 1e-300 and y > 1e-300:
        assert ours == pytest.approx(divergence(x, y), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("x", "y"), [(0.5, 0.2), (0.9, 0.01), (1.0, 0.7)])
def test_steepness_is_the_derivative(name, x, y):
    family, divergence, _ = FAMILIES[name]
    slope = (divergence(x, y + 1e-6) - divergence(x, y - 1e-6)) / 2e-6
    assert family.steepness(x, y, 1.0) == pytest.approx(slope, rel=1e-5)


@given(sd=st.floats(1e-3, 1e3), budget=st.floats(1e-6, 300), mean=st.floats(-1e3, 1e3))
@settings(max_examples=100, deadline=None)
def test_gaussian_means_solve_their_equations(sd, budget, mean):
    for family in (families.GaussianFamily, families.ScaledGaussianFamily):
        index = family.lowest_mean(mean, budget, sd)
        resolution = 1e-12 * (abs(mean) / sd + 1) / math.sqrt(budget)
        assert family.divergence(mean, index, sd) == pytest.approx(budget, rel=1e-9 + resolution)


def test_a_sample_without_spread_rules_out_every_other_mean():
    assert families.ScaledGaussianFamily.divergence(1.0, 0.5, 0.0) == math.inf
    assert families.ScaledGaussianFamily.divergence(1.0, 1.0, 0.0) == 0.0
    assert families.ScaledGaussianFamily.lowest_mean(1.0, 3.0, 0.0) == 1.0
