"""Checks against the same numbers computed by hand."""

import math

import numpy as np
import pytest

from lowbid.experiments.paper import _evidence as evidence
from lowbid.experiments.paper._evidence import Regret, Study
from lowbid.simulation import estimate

STEPS = np.arange(1, 2001)


def study(**regrets):
    """A study of one test with these policies, each given by its regret, (run, step)."""
    return Study({"test-1": {name: Regret(STEPS, x) for name, x in regrets.items()}}, {})


def noisy(seed, slope, runs=30):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.exponential(slope, (runs, len(STEPS))), axis=1)


def test_lower_is_the_paired_difference_at_the_horizon():
    a, b = noisy(1, 0.1), noisy(2, 0.2)
    found = evidence.lower("test-1", "a", "b").measure(study(a=a, b=b), 0.95)
    assert found == estimate(a[:, -1] - b[:, -1])


def test_a_shorter_result_is_compared_on_its_own_runs():
    a, b = noisy(1, 0.1, runs=4), noisy(2, 0.2)
    found = evidence.lower("test-1", "a", "b").measure(study(a=a, b=b), 0.95)
    assert found == estimate(a[:, -1] - b[:4, -1])


def test_close_is_a_part_of_the_way_to_a_third():
    a, b, c = noisy(1, 0.12), noisy(2, 0.1), noisy(3, 0.5)
    found = evidence.close("test-1", "a", "b", "c", 0.1).measure(study(a=a, b=b, c=c), 0.95)
    wanted = (a - b)[:, -1] - 0.1 * (c - b)[:, -1]
    assert found.mean == pytest.approx(wanted.mean())
    assert found.sd == pytest.approx(wanted.std(ddof=1))


def test_similar_bounds_the_difference_both_ways():
    a, b = noisy(1, 0.11), noisy(2, 0.1)
    above, below = evidence.similar("test-1", "a", "b", 0.25)
    one = study(a=a, b=b)
    assert above.measure(one, 0.95).mean == pytest.approx((a - 1.25 * b)[:, -1].mean())
    assert below.measure(one, 0.95).mean == pytest.approx((0.75 * b - a)[:, -1].mean())


@pytest.mark.parametrize(
    ("curve", "kind"),
    [(lambda t: t, "good"), (np.log, "bad"), (lambda t: np.minimum(t, 300), "bad")],
)
def test_near_linear_tells_lines_from_logarithms(curve, kind):
    regret = curve(STEPS) * np.linspace(0.9, 1.1, 20)[:, np.newaxis]
    assert evidence.near_linear("test-1", "a", 0.8).look(study(a=regret), 0.95).kind == kind


def test_near_linear_up_to_a_part_of_the_horizon():
    regret = np.minimum(STEPS, 300) * np.linspace(0.9, 1.1, 20)[:, np.newaxis]
    check = evidence.near_linear("test-1", "a", 0.8, until=0.1)
    assert check.look(study(a=regret), 0.95).kind == "good"


def test_a_jump_is_faster_growth_than_before_and_after():
    flat = np.linspace(0, 1, len(STEPS)) * np.linspace(0.9, 1.1, 20)[:, np.newaxis]
    jumping = flat + 5.0 * (STEPS > 786)
    for regret, kind in ((flat, "bad"), (jumping, "good")):
        checks = evidence.jump("test-1", "a", 800, 200)
        if kind == "bad":
            regret = np.round(regret, 12)
        kinds = {check.look(study(a=regret), 0.95).kind for check in checks}
        assert ("good" in kinds) == (kind == "good")
    late = flat + 5.0 * (STEPS > 1000)
    assert "bad" in {c.look(study(a=late), 0.95).kind for c in checks}


def test_wider_compares_variances_run_by_run():
    rng = np.random.default_rng(0)
    narrow = np.tile(rng.normal(10, 1, (200, 1)), len(STEPS))
    wide = np.tile(rng.normal(10, 3, (200, 1)), len(STEPS))
    one = study(a=wide, b=narrow)
    assert evidence.wider("test-1", "a", "b").look(one, 0.95).kind == "good"
    assert evidence.wider("test-1", "b", "a").look(one, 0.95).kind == "bad"
    found = evidence.wider("test-1", "a", "b").measure(one, 0.95)
    assert found.mean == pytest.approx(narrow[:, -1].var() - wide[:, -1].var())


def test_saved_parts_have_the_interval_of_a_ratio_of_means():
    regrets = {f"test-{i}": {"a": noisy(i, 0.1 * i, 400), "b": noisy(9, 1.0, 400)} for i in (1, 2)}
    one = Study({t: {n: Regret(STEPS, x) for n, x in r.items()} for t, r in regrets.items()}, {})
    found = evidence.saved(("test-1",), ("test-2",), "a", "b").measure(one, 0.95)
    ratios = [r["a"][:, -1].mean() / r["b"][:, -1].mean() for r in regrets.values()]
    assert found.mean == pytest.approx(ratios[0] - ratios[1])
    picks = np.random.default_rng(0).integers(0, 400, (300, 400))
    again = [
        [r["a"][pick, -1].mean() / r["b"][pick, -1].mean() for r in regrets.values()]
        for pick in picks
    ]
    bootstrap = np.std([x - y for x, y in again])
    assert found.se == pytest.approx(bootstrap, rel=4 / math.sqrt(2 * 300))


def test_times_are_compared_as_ratios():
    costs = {"seconds_per_step": {"a": {"T": [2.0, 2.2, 1.8]}, "b": {"T": [1.0, 1.0, 1.0]}}}
    one = Study({}, costs)
    a, b = ("a", "T"), ("b", "T")
    assert evidence.faster(a, b, 3.0, "").look(one, 0.95).kind == "good"
    assert evidence.faster(a, b, 1.1, "").look(one, 0.95).kind == "bad"
    assert evidence.slower(a, b, 1.1, "").look(one, 0.95).kind == "good"
    assert evidence.slower(a, b, 1.1, "").look(one, 0.95).text.startswith("1.99 times")


def test_sizes_are_exact():
    one = Study({}, {"bytes": {"a": {"T": 100, "2T": 300}}})
    assert evidence.smaller(("a", "2T"), ("a", "T"), 3.5, "").look(one, 0.95).kind == "good"
    assert evidence.smaller(("a", "2T"), ("a", "T"), 2.5, "").look(one, 0.95).kind == "bad"


def test_what_was_not_measured_decides_nothing():
    empty = Study({}, {})
    short = Study({"test-1": {"a": Regret(STEPS[:500], np.ones((3, 500)))}}, {})
    assert evidence.lower("test-1", "a", "b").look(empty, 0.95).kind == "none"
    assert evidence.faster(("a", "T"), ("b", "T"), 1.0, "").look(empty, 0.95).kind == "none"
    assert {c.look(short, 0.95).kind for c in evidence.jump("test-1", "a", 800, 200)} == {"none"}
