"""Each estimator is what its definition says, is right on average, and knows its error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowbid.offline._estimators import ESTIMATORS, Weighted, arm_means, effective_size
from naive import offline as naive

TARGET = np.array([0.1, 0.6, 0.3])
MEANS = np.array([0.2, 0.7, 0.4])


@st.composite
def tables(draw):
    """A log that has tried all three arms."""
    arms = [0, 1, 2, *draw(st.lists(st.integers(0, 2), max_size=20))]
    size = len(arms)
    values = draw(st.lists(st.floats(-10, 10), min_size=size, max_size=size))
    chances = draw(st.lists(st.floats(0.01, 1.0), min_size=size, max_size=size))
    return arms, values, chances


def _weighted(arms, values, chances, target=TARGET, cap=np.inf):
    arms = np.array(arms)
    return Weighted(arms, np.array(values, float), target[arms] / np.array(chances), target, cap)


@given(tables(), st.floats(0.5, 20.0))
def test_they_are_their_definitions(table, cap):
    log, target = _weighted(*table, cap=cap), dict(enumerate(TARGET))
    close = {"rel": 1e-9, "abs": 1e-9}
    assert ESTIMATORS["ips"](log).value == pytest.approx(naive.ips(*table, target), **close)
    assert ESTIMATORS["snips"](log).value == pytest.approx(naive.snips(*table, target), **close)
    expected = naive.ips(*table, target, cap)
    assert ESTIMATORS["capped"](log).value == pytest.approx(expected, **close)
    expected = naive.doubly_robust(*table, target)
    assert ESTIMATORS["dr"](log).value == pytest.approx(expected, **close)


@given(tables())
def test_replay_is_the_mean_of_the_arm(table):
    one = np.array([0.0, 1.0, 0.0])
    found = ESTIMATORS["replay"](_weighted(*table, target=one))
    assert found.value == pytest.approx(naive.replay(*table[:2], arm=1), abs=1e-9)


@given(tables(), st.floats(0.5, 20.0))
def test_what_the_cap_cuts_off(table, cap):
    weights = naive.weights(table[0], table[2], dict(enumerate(TARGET)))
    lost = ESTIMATORS["capped"](_weighted(*table, cap=cap)).lost
    expected = naive.mean(weights) - naive.mean(min(weight, cap) for weight in weights)
    assert lost == pytest.approx(expected, abs=1e-9)


@given(tables())
def test_a_constant_is_found_by_all_that_know_the_total_weight(table):
    """Adding a number to every value adds it to SNIPS and the doubly robust estimate."""
    arms, values, chances = table
    for method in ("snips", "dr"):
        before = ESTIMATORS[method](_weighted(arms, values, chances)).value
        after = ESTIMATORS[method](_weighted(arms, np.add(values, 5.0), chances)).value
        assert after - before == pytest.approx(5.0, abs=1e-6)


def _simulated(rng, n):
    """A log whose chances differ from line to line, drawn from what is known of the arms."""
    chances = 0.1 / 3 + 0.9 * rng.dirichlet(np.ones(3), n)
    arms = (rng.random(n)[:, None] > chances.cumsum(axis=1)).sum(axis=1).clip(max=2)
    values = (rng.random(n) < MEANS[arms]).astype(float)
    return _weighted(arms, values, chances[np.arange(n), arms])


@pytest.mark.parametrize("method", ["ips", "snips", "dr"])
def test_they_find_the_truth_and_their_error(method):
    rng = np.random.default_rng(0)
    logs = 400
    found = [ESTIMATORS[method](_simulated(rng, 1000)) for _ in range(logs)]
    values = np.array([each.value for each in found])
    errors = np.array([each.errors.std() / np.sqrt(len(each.errors)) for each in found])
    truth = TARGET @ MEANS
    assert abs(values.mean() - truth) < 4.5 * values.std() / np.sqrt(logs)
    # A standard deviation from 400 values is known to 3.5%.
    assert np.sqrt((errors**2).mean()) == pytest.approx(values.std(), rel=4 * 0.035)


def test_errors_make_up_for_what_a_line_knows_of_itself():
    """An arm's mean of two values has twice the error that its residuals show."""
    log = _weighted([1, 1], [0.0, 1.0], [1.0, 1.0], target=np.array([0.0, 1.0, 0.0]))
    for method in ("snips", "dr", "replay"):
        assert sorted(ESTIMATORS[method](log).errors) == pytest.approx([-1.0, 1.0])


def test_effective_sizes():
    assert effective_size(np.ones(10)) == pytest.approx(10)
    assert effective_size(np.array([1.0, 0.0, 0.0])) == pytest.approx(1)
    assert effective_size(np.array([3.0, 1.0])) == pytest.approx(16 / 10)
    assert effective_size(np.zeros(3)) == 0.0


def test_means_of_arms():
    means, counts = arm_means(np.array([0, 2, 2]), np.array([1.0, 2.0, 4.0]), 4)
    assert means.tolist() == [1.0, 0.0, 3.0, 0.0]
    assert counts.tolist() == [1.0, 0.0, 2.0, 0.0]
