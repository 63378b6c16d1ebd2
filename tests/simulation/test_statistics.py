import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize, stats

import lowbid
from lowbid.simulation import estimate, estimates, mean_curves
from lowbid.simulation._statistics import ENOUGH_RUNS, student_quantile

SKEWED = [
    np.array([1.0, 1.0, 2.0, 30.0]),
    np.array([-30.0, 5.0, 5.0, 6.0, 6.5]),
    np.random.default_rng(0).exponential(size=25),
    np.random.default_rng(1).lognormal(0.0, 1.5, size=12),
    np.random.default_rng(2).normal(size=40),
    np.array([3.0, 5.0]),
]


def naive_interval(samples, confidence):
    """Student's interval and Hall's, by numerical search, and the wider of them on each side."""
    n, mean, sd = len(samples), np.mean(samples), np.std(samples, ddof=1)
    skew = stats.skew(samples, bias=False) if n > 2 else 0.0
    quantile = stats.t(n - 1).ppf((1 + confidence) / 2)

    def pivot(mu):
        t = (mean - mu) / sd
        g = t + skew * t**2 / 3 + skew**2 * t**3 / 27 + skew / (6 * n)
        return math.sqrt(n) * g

    reach = 1000 * sd
    ends = [
        optimize.brentq(lambda mu, q=q: pivot(mu) - q, mean - reach, mean + reach, xtol=1e-13)
        for q in (quantile, -quantile)
    ]
    half = quantile * sd / math.sqrt(n)
    return min(ends[0], mean - half), max(ends[1], mean + half)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.995])
@pytest.mark.parametrize("samples", SKEWED, ids=len)
def test_intervals_are_the_wider_of_student_s_and_hall_s(samples, confidence):
    found = estimate(samples, confidence)
    assert (found.low, found.high) == pytest.approx(naive_interval(samples, confidence), rel=1e-4)


@pytest.mark.parametrize("samples", SKEWED, ids=len)
def test_the_confidence_is_95_percent_unless_another_is_given(samples):
    assert estimate(samples) == estimate(samples, 0.95)
    assert estimate(samples, 0.9).high < estimate(samples).high


def test_student_quantiles_agree_with_scipy():
    for df in [*range(1, 60), 99, 999, 10**5]:
        for p in (0.6, 0.9, 0.975, 0.999):
            assert student_quantile(p, df) == pytest.approx(stats.t(df).ppf(p), rel=2e-5)


def covered(draw, truth, runs, trials=4000):
    found = estimates(draw(np.random.default_rng(0), (runs, trials)), at_least=0.0)
    return np.mean((found.low <= truth) & (truth <= found.high))


@pytest.mark.parametrize("runs", [ENOUGH_RUNS, 100])
@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (lambda rng, size: 5 + rng.normal(size=size), 5.0),
        (lambda rng, size: rng.exponential(size=size), 1.0),
        (lambda rng, size: 2 + rng.gamma(0.5, size=size), 2.5),
        (lambda rng, size: 3 - rng.beta(5, 1, size=size), 3 - 5 / 6),
    ],
    ids=["normal", "exponential", "gamma", "beta"],
)
def test_intervals_of_skewed_data_cover_the_mean(draw, truth, runs):
    standard_error = np.sqrt(0.95 * 0.05 / 4000)
    assert covered(draw, truth, runs) > 0.95 - 4 * standard_error


def test_intervals_are_not_much_wider_than_they_must_be():
    samples = np.random.default_rng(0).normal(size=(50, 2000))
    found = estimates(samples)
    student = 2 * student_quantile(0.975, 49) * found.se
    assert 1.0 <= np.mean((found.high - found.low) / student) < 1.05


def test_one_sample_has_no_interval_and_equal_samples_one_without_width():
    assert np.isnan(estimate(np.array([3.0]))[1:]).all()
    assert estimate(np.full(7, 2.5)) == (2.5, 0.0, 0.0, 2.5, 2.5)


@given(arrays(float, st.tuples(st.integers(2, 9), st.integers(1, 3)), elements=st.floats(0, 1e6)))
def test_every_column_is_as_if_alone_and_every_interval_holds_its_mean(samples):
    found = estimates(samples, at_least=0.0)
    for column in range(samples.shape[1]):
        alone = estimate(samples[:, column], at_least=0.0)
        assert alone == pytest.approx([part[column] for part in found], rel=1e-9, abs=1e-9)
        assert 0.0 <= alone.low <= alone.mean * (1 + 1e-12)
        assert alone.mean <= alone.high * (1 + 1e-12)


@pytest.mark.parametrize("unit", [1e-130, 1e-3, 1e90])
def test_the_unit_does_not_matter(unit):
    for samples in SKEWED:
        plain, scaled = estimate(samples), estimate(unit * samples)
        assert np.array(scaled) / unit == pytest.approx(np.array(plain), rel=1e-9)


def test_tables_bands_and_differences_have_one_formula():
    arms = lowbid.Bernoulli([0.1, 0.3, 0.5])
    policies = {"ucb": lowbid.UCB1(), "batch": lowbid.BatchEnsemble(batches=1)}
    result = lowbid.simulate(policies, arms, horizon=100, runs=9, seed=3)
    for name, curve in mean_curves(result).items():
        for i, step in enumerate(result.checkpoints):
            row = result.summary(int(step)).row(name)
            assert (row.mean, row.low, row.high) == pytest.approx(
                (curve.mean[i], curve.low[i], curve.high[i]), rel=1e-12
            )
            assert row.low >= 0.0
    ours, theirs = result.regret[:, :, -1]
    difference = result.difference("ucb", "batch")
    assert (difference.low, difference.high) == pytest.approx(
        naive_interval(ours - theirs, 0.95), rel=1e-4
    )
    assert result.summary().row("batch").high == pytest.approx(
        naive_interval(theirs, 0.95)[1], rel=1e-4
    )


def test_intervals_of_regret_do_not_reach_below_zero():
    """After one step of three runs, some of which began with the worse arm."""
    arms = lowbid.Bernoulli([0.1, 0.9])
    result = lowbid.simulate(lowbid.UCB1(), arms, horizon=10, runs=3, checkpoints=[1, 10])
    assert estimate(result.regret[0, :, 0]).low < 0.0
    (curve,) = mean_curves(result).values()
    (row,) = result.summary(1)
    assert row.low == curve.low[0] == 0.0 < row.mean


def test_tables_say_when_runs_are_too_few():
    arms = lowbid.Bernoulli([0.1, 0.3])
    few, enough = (
        str(lowbid.simulate(lowbid.UCB1(), arms, horizon=10, runs=runs).summary())
        for runs in (ENOUGH_RUNS - 1, ENOUGH_RUNS)
    )
    assert few.splitlines()[-1].startswith("With fewer than 20 runs")
    assert "fewer" not in enough
