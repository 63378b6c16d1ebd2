"""Confidence sequences: as in the papers, and as wide as they must be."""

import math

import numpy as np
import pytest

from lowbid._evidence import ABOVE, BELOW
from lowbid.online._ledger import empty_ledger, record
from lowbid.online._sequences import intervals


def naive_empirical_bernstein(values, error):
    """Theorem 2 of Waudby-Smith and Ramdas (2024), written out, with c = 1/2."""
    above = below = spread = 0.0
    for t, x in enumerate(values, start=1):
        past = values[: t - 1]
        mean = (0.5 + sum(past)) / t
        means = [(0.5 + sum(values[: i + 1])) / (i + 2) for i in range(t - 1)]
        variance = (0.25 + sum((y - m) ** 2 for y, m in zip(past, means, strict=True))) / t
        weight = min(math.sqrt(2 * math.log(2 / 0.05) / (variance * t * math.log(1 + t))), 0.5)
        above += weight * x
        below += weight
        spread += 4 * (x - mean) ** 2 * (-math.log(1 - weight) - weight) / 4
    half = (math.log(2 / error) + spread) / below
    return above / below - half, above / below + half


def test_the_empirical_bernstein_sequence_is_the_papers():
    values = [(i * 37 % 11) / 10 for i in range(60)]
    ledger = empty_ledger(2)
    for value in values:
        record(ledger, 1, 20.0 * value - 5.0, -5.0, 20.0)
    low, high = naive_empirical_bernstein(values, 0.1)
    bounds = intervals(ledger, (-5.0, 15.0), 0.1)
    assert bounds[1] == pytest.approx([20 * low - 5, 20 * high - 5])
    assert bounds[0].tolist() == [-5.0, 15.0]


def naive_z(n, error):
    """Theorem 2.2 of Waudby-Smith et al. (2024): how many standard errors, narrowest at 1000."""
    rho2 = (-2 * math.log(error) + math.log(-2 * math.log(error) + 1)) / 1000
    return math.sqrt(2 * (n * rho2 + 1) / (n * rho2) * math.log(math.sqrt(n * rho2 + 1) / error))


def ledger_of(values):
    ledger = empty_ledger(1)
    for value in values:
        record(ledger, 0, float(value), 0.0, 0.0)
    return ledger


def test_the_asymptotic_sequence_is_the_papers_and_wider_where_values_are_skewed():
    values = np.array([(i * 37 % 11) ** 2 / 10 for i in range(400)])
    ledger, n, error = ledger_of(values), 400, 0.05
    z, squares = naive_z(n, error), n * values.var()
    below, above = ledger[0, [BELOW, ABOVE]] / squares**1.5
    assert above > 1.5 * below > 0
    ends = [z + 4 * ratio * (1 + 2 * z**2) / 6 for ratio in (below, above)]
    error_of_mean = values.std() / math.sqrt(n)
    assert intervals(ledger, None, error)[0] == pytest.approx(
        [values.mean() - ends[0] * error_of_mean, values.mean() + ends[1] * error_of_mean]
    )


@pytest.mark.parametrize(
    ("values", "known"),
    [
        ([1.0, 2.0] * 24 + [1.0], False),  # 49 values
        ([1.0, 2.0] * 25, True),
        ([1.0] * 400, False),  # all the same
        ([0.0] * 400 + [5.0], False),  # all but one
        ([0.0] * 380 + [5.0] * 12, False),  # Lyapunov's ratio is about 1 / sqrt(12)
        ([0.0] * 380 + [5.0] * 20, True),
        ([0.0] * 380 + [5.0] * 20 + [40.0, -40.0], False),  # a large order that was returned
    ],
)
def test_nothing_is_said_before_the_values_tell_enough(values, known):
    assert np.isfinite(intervals(ledger_of(values), None, 0.05)).all() == known


def dollars(rng, n):
    """5% of visitors order, for a lognormal amount."""
    return (rng.random(n) < 0.05) * rng.lognormal(0.0, 1.5, n)


@pytest.mark.parametrize(
    ("declared", "draw", "mean"),
    [
        ((0.0, 1.0), lambda rng, n: (rng.random(n) < 0.1).astype(float), 0.1),
        ((-1.0, 3.0), lambda rng, n: rng.uniform(-1.0, 3.0, n), 1.0),
        (None, lambda rng, n: rng.normal(5.0, 2.0, n), 5.0),
        (None, lambda rng, n: rng.exponential(1.0, n), 1.0),
        (None, lambda rng, n: dollars(rng, n), 0.05 * math.exp(1.5**2 / 2)),
        (None, lambda rng, n: -dollars(rng, n), -0.05 * math.exp(1.5**2 / 2)),
    ],
)
def test_the_intervals_hold_at_all_times_at_once(declared, draw, mean):
    """1000 sequences looked at after each of 1000 values: at most 10% may ever miss.

    If exactly 10% missed, more than 128 of 1000 would miss with a chance of 0.2%.
    """
    rng = np.random.default_rng(0)
    runs, length = 1000, 1000
    values = draw(rng, (runs, length))
    ledger, missed = empty_ledger(runs), np.zeros(runs, bool)
    low, width = (declared[0], declared[1] - declared[0]) if declared else (0.0, 0.0)
    note, _ = record.bind(ledger, 0, 0.0, 0.0, 0.0)
    for step in range(length):
        for run in range(runs):
            note(run, values[run, step], low, width)
        bounds = intervals(ledger, declared, 0.1)
        missed |= (bounds[:, 0] > mean) | (bounds[:, 1] < mean)
    assert missed.sum() <= 128
    assert np.isfinite(bounds).any()


def test_hardly_any_confidence_is_an_interval_too():
    ledger = empty_ledger(1)
    for i in range(100):
        record(ledger, 0, i * 37 % 11 / 10, 0.0, 1.0)
    low, high = intervals(ledger, None, 1.0)[0]
    assert low < 0.5 < high
    assert high - low < np.diff(intervals(ledger, None, 0.1)[0])
