"""What can be seen of a bandit, and how sure it is."""

import math

import numpy as np
import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble
from lowbid.errors import InvalidValueError
from lowbid.online._ledger import (
    COUNT,
    MEAN,
    SQUARES,
    empty_ledger,
    intervals,
    merged_ledger,
    record,
)


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


def test_the_asymptotic_sequence_is_the_papers():
    values = np.array([(i * 37 % 11) / 10 for i in range(400)])
    ledger = empty_ledger(1)
    for value in values:
        record(ledger, 0, value, 0.0, 0.0)
    error, n = 0.05, 400
    rho2 = (-2 * math.log(error) + math.log(-2 * math.log(error) + 1)) / 1000
    half = values.std() * math.sqrt(
        2 * (n * rho2 + 1) / (n**2 * rho2) * math.log(math.sqrt(n * rho2 + 1) / error)
    )
    assert intervals(ledger, None, error)[0] == pytest.approx(
        [values.mean() - half, values.mean() + half]
    )


@pytest.mark.parametrize(
    ("declared", "draw", "mean"),
    [
        ((0.0, 1.0), lambda rng, n: (rng.random(n) < 0.1).astype(float), 0.1),
        ((-1.0, 3.0), lambda rng, n: rng.uniform(-1.0, 3.0, n), 1.0),
        (None, lambda rng, n: rng.normal(5.0, 2.0, n), 5.0),
        (None, lambda rng, n: rng.exponential(1.0, n), 1.0),
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
    for step in range(length):
        for run in range(runs):
            record.compiled(ledger, run, values[run, step], low, width)
        bounds = intervals(ledger, declared, 0.1)
        missed |= (bounds[:, 0] > mean) | (bounds[:, 1] < mean)
    assert missed.sum() <= 128
    assert np.isfinite(bounds).all()


def test_merged_ledgers_are_the_ledger_of_all_values():
    values = [(i * 37 % 11) / 10 for i in range(50)]
    parts, whole = [empty_ledger(1), empty_ledger(1)], empty_ledger(1)
    for i, value in enumerate(values):
        record(parts[i % 3 > 0], 0, value, 0.0, 0.0)
        record(whole, 0, value, 0.0, 0.0)
    merged = merged_ledger(*parts)
    assert merged[0, [COUNT, MEAN, SQUARES]] == pytest.approx(whole[0, [COUNT, MEAN, SQUARES]])
    np.testing.assert_array_equal(merged_ledger(whole, empty_ledger(1)), whole)


@pytest.mark.parametrize("kind", ["loss", "reward"])
def test_it_recommends_the_best_arm_and_is_sure_in_time(kind):
    rng = np.random.default_rng(1)
    bandit = Bandit(["a", "b", "c"], seed=0, **{f"{kind}_range": (0.0, 1.0)})
    means = {"a": 0.5, "b": 0.2, "c": 0.8}
    best = "b" if kind == "loss" else "c"
    nothing = bandit.recommend()
    assert not nothing.sure
    assert math.isnan(nothing.mean)
    for i in range(3000):
        arm = ["a", "b", "c"][i % 3]
        bandit.update(arm, **{kind: float(rng.random() < means[arm])})
    found = bandit.recommend()
    assert found.arm == best
    assert found.sure
    assert found.low < means[best] < found.high
    assert found.mean == bandit.means()[best]
    assert not Bandit(2).recommend().sure


def test_indices_and_bids_are_in_the_callers_units():
    bandit = Bandit(["a", "b"], BatchEnsemble(batches=2, baseline="minimum"), seed=0)
    for arm, reward in [("a", 10.0), ("a", 30.0), ("b", 20.0), ("b", 20.0)]:
        bandit.update(arm, reward=reward)
    # As losses above the best, 30: a has 20 and 0, b has 10 and 10.
    assert bandit.indices() == {"a": 30.0, "b": pytest.approx(30 - 10 / 3)}
    assert [tuple(bid) for bid in bandit.bids()] == [("b", pytest.approx(30 - 10 / 3)), ("a", 30.0)]
    assert bandit.explain().winners == ["a"]
    assert bandit.select() == "a"


@pytest.mark.parametrize("policy", [lowbid.UCB1(), lowbid.UCBV()], ids=str)
def test_the_best_index_is_chosen(policy):
    bandit = Bandit(4, policy, seed=0)
    for i in range(200):
        arm = bandit.select()
        if i > 20:
            assert arm in bandit.explain().winners
        bandit.update(arm, loss=(i * 7 % 10) / 10)


def test_what_a_policy_does_not_have_is_refused():
    with pytest.raises(InvalidValueError, match="no batches"):
        Bandit(2, lowbid.UCB1()).bids()
    with pytest.raises(InvalidValueError, match="no indices"):
        Bandit(2, lowbid.BetaThompson()).indices()
    assert Bandit(2, lowbid.BetaThompson()).explain().winners == []
    assert "does not rank" in str(Bandit(2, lowbid.BetaThompson()).explain())


def test_looking_changes_nothing():
    bandit = Bandit(["a", "b<script>", "c"], seed=0)
    for i in range(100):
        bandit.update(bandit.select(), loss=(i * 7 % 10) / 10)
    bandit.pause_arm("c")
    before = bandit.to_json()
    shown = bandit._repr_html_()
    assert "<svg" in shown
    assert "<script>" not in shown
    assert "(paused)" in shown
    assert "paused" in str(bandit.explain())
    assert repr(bandit) == (
        "<Bandit ['a', 'b<script>'], 1 paused, BatchEnsemble(baseline='minimum'), 100 losses>"
    )
    bandit.indices(), bandit.bids(), bandit.recommend(), bandit.means(), bandit.pending()
    assert bandit.to_json() == before
    assert repr(Bandit(2)) == "<Bandit [0, 1], BatchEnsemble(baseline='minimum')>"
    assert "<svg" in Bandit(2)._repr_html_()


@pytest.mark.parametrize("growth", ["append", "redistribute"])
def test_what_is_shown_is_what_the_next_choice_goes_by(growth):
    """At every step, those at which a batch is added and those with pending decisions included."""
    policy = BatchEnsemble(batches=lambda step: 1 + step // 40, growth=growth, baseline="minimum")
    bandit = Bandit(["a", "b", "c"], policy, seed=0)
    bandit.update_many(["a", "b", "c"], rewards=[0.5, 0.25, 0.75])
    for i in range(130):
        told = bandit.explain()
        for arm in told.arms:
            assert arm.index == pytest.approx(max(arm.batch_estimates))
        assert max(bid.estimate for bid in bandit.bids()) == pytest.approx(
            max(bandit.indices().values())
        )
        if i % 7 == 0:
            chosen = bandit.decide().arm
        else:
            chosen = bandit.select()
            bandit.update(chosen, reward=(i * 7 % 10) / 10)
        assert chosen in told.winners


def test_removed_arms_are_not_waited_for():
    bandit = Bandit(["a", "b"], BatchEnsemble(ties="first"))
    bandit.decide(2)
    bandit.remove_arm("a")
    assert repr(bandit) == "<Bandit ['b'], BatchEnsemble(ties='first')>"


def test_values_that_are_all_the_same_do_not_make_it_sure():
    bandit = Bandit(["a", "b"], seed=0)
    for i in range(400):
        bandit.update("a", reward=0.0)  # orders are rare: none yet proves little
        bandit.update("b", reward=float(i % 4 == 0))
    found = bandit.recommend()
    assert found.arm == "b"
    assert not found.sure
