import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowbid.errors import InvalidValueError
from lowbid.schedules import (
    Anytime,
    Fixed,
    HighProbability,
    Logarithmic,
    growth_steps,
    require_schedule,
)

NAMED = [Fixed(12), Logarithmic(0.3), Logarithmic(2.0), Anytime(), HighProbability(0.05, 2000)]


@pytest.mark.parametrize("schedule", NAMED, ids=repr)
def test_growth_steps_are_where_the_schedule_grows(schedule):
    capacity = 3000
    steps = growth_steps(schedule, capacity)
    for step in range(1, capacity + 1):
        assert (steps <= step).sum() == schedule(step)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60))
def test_growth_steps_of_any_function(increments):
    table = [1 + sum(increments[: i + 1]) for i in range(len(increments))]
    steps = growth_steps(lambda t: table[t - 1], len(table))
    assert [(steps <= step).sum() for step in range(1, len(table) + 1)] == table


def test_the_paper_s_step_near_800():
    assert growth_steps(Logarithmic(0.3), 2000)[:-1].tolist() == [1, 786]


def test_formulas_of_the_theorems():
    assert HighProbability(0.1, 5000)(1) == math.ceil(3.5 * math.log(2 * 5000 / 0.1))
    assert Anytime()(1) == 1
    assert Anytime()(10_000) == math.ceil(8 * math.log(10_000))


def test_the_horizon_is_filled_in_only_where_it_is_missing():
    assert HighProbability(0.05).at_horizon(2000)(1) == HighProbability(0.05, 2000)(1)
    assert HighProbability(0.05, 10).at_horizon(2000).horizon == 10
    with pytest.raises(InvalidValueError, match="needs a horizon"):
        HighProbability(0.05)(1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Fixed(0),
        lambda: Fixed(1.5),
        lambda: Logarithmic(0.0),
        lambda: Logarithmic(math.nan),
        lambda: HighProbability(0.0),
        lambda: HighProbability(1.0),
        lambda: HighProbability(0.1, 0),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises(InvalidValueError, match="give a"):
        make()


def test_a_schedule_that_shrinks_is_refused():
    with pytest.raises(InvalidValueError, match="shrinks from 3 to 2 batches at step 5"):
        growth_steps(lambda step: 3 if step < 5 else 2, 10)


@pytest.mark.parametrize("batches", [10**9, 0, 1.5, None, True])
def test_a_function_that_gives_no_number_of_batches_is_refused(batches):
    with pytest.raises(InvalidValueError, match="the schedule's number of batches at step 1 is"):
        growth_steps(lambda step: batches, 10)
    with pytest.raises(InvalidValueError, match="the schedule's number of batches at step 1 is"):
        require_schedule(lambda step: batches)


def test_too_many_batches_are_refused():
    for make in (lambda: Fixed(10**9), lambda: Logarithmic(1e308), lambda: Logarithmic(1.0, 10**9)):
        with pytest.raises(InvalidValueError, match="at most"):
            make()
