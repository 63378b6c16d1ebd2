import numpy as np
import pytest

import lowbid
from lowbid.online._ledger import ABOVE, BELOW, COUNT, MEAN, SQUARES, empty_ledger
from lowbid.shared import _lift
from lowbid.shared._lift import average_intervals, record_surprise

MEANS = np.array([0.2, 0.5, 0.6])


def test_each_part_of_the_mixture_is_a_supermartingale():
    p, guess = np.meshgrid(np.linspace(0.001, 0.999, 60), np.linspace(0.0, 1.0, 60))
    for rate, cost in zip(_lift._RATES, _lift._COSTS, strict=True):
        won = np.exp(rate * (1.0 - p) - cost * (1.0 - guess) ** 2)
        lost = np.exp(-rate * p - cost * guess**2)
        assert (p * won + (1.0 - p) * lost).max() <= 1.0 + 1e-12


def test_the_mixture_starts_at_one_and_ends_at_its_limit():
    assert 0.9 < np.exp(_lift._LOG_WEIGHTS).sum() <= 1.0
    surprises = np.array([0.0, 1.0, 30.0, 2e3, 5e7])
    for error in (0.2, 0.01, 1e-6):
        sums = _lift._deviation(surprises, error)
        parts = _lift._LOG_WEIGHTS - _lift._COSTS * surprises[:, None]
        mixture = np.exp(parts + _lift._RATES * sums[:, None]).sum(axis=1)
        assert mixture == pytest.approx(1.0 / error, rel=1e-6)
        assert (mixture >= (1.0 - 1e-9) / error).all()


def test_a_surprise_is_the_difference_from_a_guess_made_before():
    ledger, surprises = empty_ledger(2), np.zeros(2)
    expected, total = 0.0, 0.5
    for count, value in enumerate([1.0, 1.0, 0.0, 0.25], 1):
        expected += (value - total / count) ** 2
        total += value
        record_surprise(ledger, surprises, 1, 10.0 + 4.0 * value, 10.0, 4.0)
    assert surprises.tolist() == [0.0, pytest.approx(expected)]


@pytest.mark.parametrize("declared", [(0.0, 1.0), None])
@pytest.mark.parametrize("changing", [False, True])
def test_the_interval_of_a_greedy_player_s_average_holds_at_all_times(declared, changing):
    runs, steps, rng = 1000, 1500, np.random.default_rng(7)
    ledger, surprises = empty_ledger(runs), np.zeros(runs)
    counts, sums = np.zeros((runs, 3)), np.zeros((runs, 3))
    truth, missed, row = np.zeros(runs), np.zeros(runs, bool), np.arange(runs)
    for step in range(steps):
        greedy = np.argmax(sums / np.maximum(counts, 1.0), axis=1)
        arms = np.where(rng.random(runs) < 0.1, rng.integers(3, size=runs), greedy)
        means = MEANS[(arms + (step > steps // 2)) % 3] if changing else MEANS[arms]
        values = (rng.random(runs) < means).astype(float)
        np.add.at(counts, (row, arms), 1.0)
        np.add.at(sums, (row, arms), values)
        truth += means
        _record_all(ledger, surprises, values, 0.0 if declared is None else 1.0)
        if step % 10 == 9:
            low, high = average_intervals(ledger, surprises, declared, 0.2).T
            average = truth / (step + 1)
            missed |= (average < low) | (average > high)
    # Misses are allowed in 20% of the runs; too few would mean that the interval is too wide.
    assert 0.01 < missed.mean() < 0.2


def _record_all(ledger, surprises, values, width):
    """`record_surprise` for a row of every run, all at once."""
    count, mean = ledger[:, COUNT].copy(), ledger[:, MEAN].copy()
    if width:
        surprises += (values - (0.5 + count * mean) / (count + 1.0)) ** 2
    ledger[:, COUNT] += 1.0
    ledger[:, MEAN] += (values - mean) / ledger[:, COUNT]
    square = (values - mean) * (values - ledger[:, MEAN])
    ledger[:, SQUARES] += square
    above = values > mean
    ledger[:, ABOVE] += np.where(above, square**1.5, 0.0)
    ledger[:, BELOW] += np.where(above, 0.0, square**1.5)


def play(bandit, n):
    rewards = {"x": 0.0, "y": 0.5, "z": 1.0}
    decisions = bandit.decide(n)
    bandit.update_many(decisions, rewards=[rewards[each.arm] for each in decisions])


def test_another_control_is_compared_anew(url):
    bandit = lowbid.open(
        url, "b", ["x", "y", "z"], holdout=0.5, control="x", reward_range=(0, 1), seed=1
    )
    play(bandit, 400)
    assert bandit.lift().verdict == "better"
    late = [each for each in bandit.decide(20) if each.way == "holdout"]
    bandit.change(control="z")
    assert bandit.lift().decided_count == bandit.lift().held_out_count == 0
    bandit.update_many(late, rewards=[0.0] * len(late))  # of the control before
    play(bandit, 400)
    lift = bandit.lift()
    assert lift.held_out == 1.0
    assert lift.low <= lift.difference <= 0.0
    assert lift.verdict == "undecided"
    bandit.change(holdout=0.4, control="z")
    assert bandit.lift() == lift


def test_an_arm_that_is_hardly_played_does_not_make_it_infinite(url):
    bandit = lowbid.open(url, "b", ["x", "y"], holdout=0.5, control="x", kind="reward")
    for _ in range(200):
        play(bandit, 10)
    assert min(bandit.counts().values()) < 50
    lift = bandit.lift()
    assert np.isinf(lift.high)  # the control only ever brought 0
    decisions = bandit.decide(2000)
    chance = np.random.default_rng(2)
    rewards = [float(chance.random() < 0.5) for _ in decisions]
    bandit.update_many(decisions, rewards=rewards)
    lift = bandit.lift()
    assert np.isfinite([lift.low, lift.high]).all()


@pytest.mark.parametrize("kind", ["reward", "loss"])
@pytest.mark.parametrize(
    ("others", "verdict"), [(1.0, "better"), (0.0, "worse"), (0.5, "undecided")]
)
def test_better_and_worse_are_told_apart(url, kind, others, verdict):
    """The control arm brings 0.5; for losses, the other way round."""
    bounds = {f"{kind}_range": (0, 1)}
    bandit = lowbid.open(
        url, "b", ["x", "y", "z"], lowbid.UniformPlay(), holdout=0.5, control="x", **bounds
    )
    decisions = bandit.decide(400)
    values = [0.5 if each.arm == "x" else others for each in decisions]
    if kind == "loss":
        values = [1.0 - value for value in values]
    bandit.update_many(decisions, **{"losses" if kind == "loss" else "rewards": values})
    assert bandit.lift().verdict == verdict
