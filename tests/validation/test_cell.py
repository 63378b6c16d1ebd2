import pytest

import lowbid
from lowbid.validation import Cell, Comparison


def cell(**more) -> Cell:
    return Cell("a table", "two arms", lowbid.Bernoulli([0.1, 0.2]), lowbid.UCB1(), 100, **more)


def test_the_error_follows_from_the_number_of_runs_and_from_rounding():
    published = cell(regret=20.0, unit=1.0, runs=400)
    assert published.standard_error(sd=8.0) == pytest.approx((0.4**2 + 1 / 12) ** 0.5)
    assert cell(regret=20.0, unit=0.0, error=0.03).standard_error(sd=8.0) == pytest.approx(0.6)


def test_a_figure_too_far_off_disagrees():
    published = cell(regret=20.0, unit=0.0, runs=100)
    assert Comparison(published, regret=23.0, sd=8.0, runs=100).agrees
    far = Comparison(published, regret=25.0, sd=8.0, runs=100)
    assert not far.agrees
    assert "DISAGREES by +4.4 se" in str(far)
