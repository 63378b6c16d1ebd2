import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize

import lowbid
from lowbid import schedules
from lowbid.errors import InvalidValueError
from lowbid.theory import (
    GARNETT,
    PAPER,
    SYMMETRIC,
    curves_for,
    instances,
    printed,
    textbook,
    theorem1,
    theorem2,
)

TEST1 = lowbid.Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3])
EASY = lowbid.Bernoulli([0.1, 0.9])
SCALED = lowbid.ScaledBernoulli(mean=[1.0, 2.0, 0.9], scale=[50.0, 4.0, 1.0])


def sums(means, scales=1.0):
    """(gap, variance, scale) of each suboptimal arm, written out."""
    means = np.asarray(means)
    scales = np.broadcast_to(scales, means.shape)
    best = means.min()
    return [(m - best, m * (b - m), b) for m, b in zip(means, scales, strict=True) if m > best]


@pytest.mark.parametrize("arms", [TEST1, SCALED])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_theorem1_recomputed(arms, delta):
    scale = getattr(arms, "scale", 1.0)
    rows, best, t = sums(arms.mean, scale), arms.mean.min(), 5000
    log = math.log(6 * t * arms.n_arms / delta)
    variance = sum(2 * v / g + 2 * b for g, v, b in rows) * 3.5 * log**2
    mean = sum(2 * b * best / g + 4 * b for g, v, b in rows) * 3.5 * log**2
    noise = min(best * sum(b for *_, b in rows), sum(v for _, v, _ in rows))
    free = math.sqrt(28 * t * noise) * log + 14 * sum(b for *_, b in rows) * log**2
    assert theorem1.variance_form(arms, t, delta) == pytest.approx(variance)
    assert theorem1.mean_form(arms, t, delta) == pytest.approx(mean)
    assert theorem1.independent_form(arms, t, delta) == pytest.approx(free)
    assert variance <= mean
    per_arm = theorem1.pulls(arms, t, delta)
    gaps = arms.mean - best
    assert (per_arm * gaps).sum() == pytest.approx(variance)
    assert per_arm[gaps == 0] == pytest.approx(t)


def test_theorem2_recomputed():
    rows, best, t = sums(TEST1.mean), 0.001, 5000
    log = math.log(72 * t)
    variance = sum(9 * (8 * v / g + 4 / 3) for g, v, _ in rows) * log**2
    mean = sum(9 * (8 * best / g + 28 / 3) for g, *_ in rows) * log**2
    free = 17 * math.sqrt(t * min(best * 4, sum(v for _, v, _ in rows))) * log + 84 * 4 * log**2
    assert theorem2.variance_form(TEST1, t) == pytest.approx(variance)
    assert theorem2.mean_form(TEST1, t) == pytest.approx(mean)
    assert theorem2.independent_form(TEST1, t) == pytest.approx(free)
    gaps = TEST1.mean - best
    assert (theorem2.pulls(TEST1, t) * gaps).sum() == pytest.approx(variance)


def test_printed_theorem1_recomputed():
    rows, t, delta = sums(TEST1.mean), 5000, 0.1
    log = math.log(6 * t * 5 / delta)
    assert printed.theorem1_variance_form(TEST1, t, delta) == pytest.approx(
        3.5 * sum(v / g + 2 for g, v, _ in rows) * log**2
    )
    assert printed.theorem1_mean_form(TEST1, t, delta) == pytest.approx(
        3.5 * sum(0.001 / g + 3 for g, *_ in rows) * log**2
    )
    assert printed.theorem1_independent_form(TEST1, t, delta) == pytest.approx(
        math.sqrt(14 * t * min(0.005, sum(v for _, v, _ in rows))) * log + 55 * log**2
    )


def largest_batch(gap, linear, root):
    """The largest m with gap <= linear / m + root / sqrt(m), by bisection."""
    low, high = 0.0, 1e12
    for _ in range(200):
        middle = (low + high) / 2
        inside = gap <= linear / middle + root / math.sqrt(middle)
        low, high = (middle, high) if inside else (low, middle)
    return low


@given(st.floats(0.01, 0.99), st.floats(0.01, 1.0), st.integers(1, 10**6), st.floats(1e-6, 0.9))
def test_corrected_step_of_the_proof_holds(mean, part, horizon, delta):
    gap, variance, n_arms = mean * part, mean * (1 - mean), 2
    log, larger = math.log(2 * horizon * n_arms / delta), math.log(6 * horizon * n_arms / delta)
    size = largest_batch(gap, 2 * mean + log / 3, math.sqrt(2 * variance * log))
    assert size <= (2 * variance / gap**2 + 2 / gap) * larger * (1 + 1e-9)


@given(
    st.lists(st.tuples(st.floats(0.001, 0.999), st.floats(0.01, 100.0)), min_size=2, max_size=6),
    st.integers(1, 10**7),
    st.floats(1e-9, 0.99),
    st.sampled_from([PAPER, GARNETT]),
)
def test_corrected_plays_follow_from_the_good_event(arms, horizon, delta, proof):
    scales = np.array([scale for _, scale in arms])
    means = np.array([part for part, _ in arms]) * scales
    bound = theorem1.pulls(lowbid.ScaledBernoulli(means, scales), horizon, delta, proof)
    batches = math.ceil(proof.batches_per_log * math.log(2 * horizon / delta))
    log = math.log(2 * horizon * len(arms) / delta)
    for mean, scale, most in zip(means, scales, bound, strict=True):
        if mean - means.min() > 1e-9 * means.max():
            root = math.sqrt(2 * mean * (scale - mean) * log)
            size = largest_batch(mean - means.min(), 2 * mean + scale * log / 3, root)
            assert 1 + batches * (size - 1) <= most * (1 + 1e-9)


def test_printed_step_of_the_proof_fails():
    gap, variance, log = 0.1, 0.25, math.log(2 * 10_000 * 2 / 0.05)
    larger = log + math.log(3)
    size = largest_batch(gap, 2 * larger, math.sqrt(variance * log))
    assert size > 1.2 * (variance / gap**2 + 2 / gap) * larger


def test_printed_scaled_mean_form_is_not_above_the_variance_form():
    arms = lowbid.ScaledBernoulli(mean=[1.0, 2.0], scale=100.0)
    printed_mean = printed.theorem1_mean_form(arms, 1000)
    assert printed_mean < printed.theorem1_variance_form(arms, 1000)
    assert theorem1.mean_form(arms, 1000) >= theorem1.variance_form(arms, 1000)


def test_sharp_form_recomputed_and_sharper():
    t, delta = 20_000, 0.05
    batches = math.ceil(3.5 * math.log(2 * t / delta))
    log = math.log(2 * t * 2 / delta)
    size = largest_batch(0.8, 2 * 0.9 + log / 3, math.sqrt(2 * 0.09 * log))
    expected = 0.8 * (1 + batches * (size - 1))
    assert theorem1.sharp_form(EASY, t, delta) == pytest.approx(expected, rel=1e-6)
    for arms in (EASY, TEST1, SCALED):
        at = np.array([100, 10_000, 10**6])
        assert (theorem1.sharp_form(arms, at) <= theorem1.variance_form(arms, at)).all()


def test_batches_are_those_of_the_schedule():
    for t in (10, 2000, 10**6):
        assert theorem1.batches(t, 0.05) == schedules.HighProbability(0.05, horizon=t)(1)


def test_regret_of_1000_runs_lies_under_theorem1():
    delta, horizon = 0.05, 5000
    policy = lowbid.BatchEnsemble(batches=schedules.HighProbability(delta))
    result = lowbid.simulate(policy, EASY, horizon, runs=1000, seed=0)
    bound = theorem1.sharp_form(EASY, horizon, delta)
    assert bound < 0.8 * horizon  # it says something here
    assert (result.regret[0, :, -1] <= bound).mean() >= 1 - delta
    assert (result.pulls[0] <= theorem1.pulls(EASY, horizon, delta)).all(axis=1).mean() >= 1 - delta


def test_mean_plays_lie_under_lemma_nta():
    horizon = 10_000
    policy = lowbid.BatchEnsemble(batches=schedules.Anytime(), growth="redistribute")
    result = lowbid.simulate(policy, EASY, horizon, runs=50, seed=0)
    plays = result.pulls[0, :, 1]
    bound = theorem2.pulls(EASY, horizon)[1]
    assert bound < horizon
    assert plays.mean() + 3 * plays.std(ddof=1) / math.sqrt(50) < bound


def test_textbook_bounds_recomputed():
    t = 1000
    rows = sums(TEST1.mean)
    ucb1 = sum(8 * math.log(t) / g + (1 + math.pi**2 / 3) * g for g, *_ in rows)
    assert textbook.ucb1(TEST1, t) == pytest.approx(ucb1)
    assert textbook.ucb_v(TEST1, t) == pytest.approx(
        10 * sum(v / g + 2 for g, v, _ in rows) * math.log(t)
    )
    shifted = lowbid.Uniform(low=[-1.0, 0.0], high=[2.0, 3.0])  # width 4
    assert textbook.ucb1(shifted, t) == pytest.approx(8 * 16 * math.log(t) + (1 + math.pi**2 / 3))


def test_kl_ucb_lies_between_its_limit_and_one_choice():
    t, mean, gap = 10**5, 0.9, 0.8

    def kl(p, q):
        return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))

    budget = math.log(1 + t * math.log(t) ** 2)
    e = gap / 4
    choice = gap * (budget / kl(mean - e, 0.1 + e) + 0.5 / e**2 + 2 / e**2)
    found = textbook.kl_ucb(EASY, t)
    assert gap * budget / kl(mean, 0.1) < found <= choice * 1.01


@pytest.mark.parametrize(
    "bound",
    [
        theorem1.variance_form,
        theorem1.mean_form,
        theorem1.pulls,
        theorem1.sharp_form,
        theorem1.independent_form,
    ],
)
def test_theorem1_refuses_what_it_is_not_proved_for(bound):
    with pytest.raises(InvalidValueError, match="Bernoulli"):
        bound(lowbid.Beta([1.0, 2.0], 2.0), 100)
    assert np.isfinite(bound(lowbid.Beta([1.0, 2.0], 2.0), 100, proof=GARNETT)).all()
    with pytest.raises(InvalidValueError, match="non-negative bounded"):
        bound(lowbid.Gaussian([0.0, 1.0]), 100, proof=GARNETT)
    with pytest.raises(InvalidValueError, match="delta"):
        bound(EASY, 100, delta=1.5)
    with pytest.raises(InvalidValueError, match="steps"):
        bound(EASY, 0)
    with pytest.raises(InvalidValueError, match="instances"):
        bound(lowbid.RandomArms(lowbid.Bernoulli, 3), 100)


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


def test_the_proof_for_symmetric_losses_is_for_those_only():
    with pytest.raises(InvalidValueError, match="not known to be symmetric"):
        theorem1.variance_form(lowbid.Beta([1.0, 2.0], 2.0), 100, proof=SYMMETRIC)
    with pytest.raises(InvalidValueError, match="not known to be symmetric"):
        theorem1.variance_form(lowbid.Bernoulli([0.1, 0.5]), 100, proof=SYMMETRIC)
    with pytest.raises(InvalidValueError, match="non-negative bounded"):
        theorem1.variance_form(lowbid.Uniform([-1.0, 1.0], [2.0, 3.0]), 100, proof=SYMMETRIC)
    same = lowbid.Mixed(
        [
            lowbid.Uniform([0.0], [2.0]),
            lowbid.Beta([2.0], 2.0),
            lowbid.Bernoulli([0.5]),
            lowbid.Empirical([[0.0, 1.0, 2.0]]),
        ]
    )
    assert np.isfinite(theorem1.variance_form(same, 100, proof=SYMMETRIC))


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


def test_another_proof_changes_the_number_of_batches_only():
    ratio = theorem1.variance_form(EASY, 100, proof=GARNETT) / theorem1.variance_form(EASY, 100)
    assert ratio == pytest.approx(GARNETT.batches_per_log / PAPER.batches_per_log)


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


def test_kl_ucb_is_close_to_its_infimum():
    budget = math.log(1 + 10**6 * math.log(10**6) ** 2)
    for best, mean in ((0.1, 0.9), (0.3, 0.35), (0.3, 0.3 + 1e-7)):
        gap = mean - best

        def value(parts, gap=gap, mean=mean, best=best):
            # The divergence is the integral of (x - y) / (y (1 - y)) over y.
            first, second = gap * np.exp(parts)
            if first + second >= gap:
                return math.inf
            high, low = mean - first, best + second
            divergence = integrate.quad(lambda y: (high - y) / (y * (1 - y)), low, high)[0]
            return gap * (budget / divergence + 0.5 / first**2 + 2 / second**2)

        found = optimize.minimize(value, np.log([0.2, 0.3]), method="Nelder-Mead").fun
        assert found * 0.9999 <= textbook.kl_ucb(lowbid.Bernoulli([best, mean]), 10**6)
        assert textbook.kl_ucb(lowbid.Bernoulli([best, mean]), 10**6) <= found * 1.003


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
