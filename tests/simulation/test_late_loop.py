"""Feedback that is late, lost, or comes in batches."""

from typing import NamedTuple

import numpy as np
import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble
from lowbid._compile import interpreted, kernel
from lowbid._random import key, stream_of_run
from lowbid.simulation import FixedDelay, GeometricDelay, _simulate, loss_of
from lowbid.simulation._delays import Late

ARMS = lowbid.Bernoulli([0.2, 0.3, 0.4, 0.5])
POLICIES = [
    BatchEnsemble(batches=4),
    BatchEnsemble(growth="redistribute", baseline="minimum"),
    lowbid.UCB1(),
    lowbid.BetaThompson(),
    lowbid.LBSDA(),
]


class Ignoring(BatchEnsemble):
    hold = None


def same(first, second):
    np.testing.assert_array_equal(first.regret, second.regret)
    np.testing.assert_array_equal(first.pulls, second.pulls)


def test_no_delay_is_the_plain_loop_bit_for_bit(monkeypatch):
    plain = lowbid.simulate(POLICIES, ARMS, 800, runs=5)
    monkeypatch.setattr(_simulate, "read_late", lambda *_: Late(FixedDelay(0), 0.0, 1))
    same(plain, lowbid.simulate(POLICIES, ARMS, 800, runs=5))


LATE = [{"delay": 7}, {"delay": [0, 0, 90], "batch": 16}, {"batch": 50}, {"delay": 5, "lost": 0.3}]


@pytest.mark.parametrize(
    ("policy", "late"),
    [(policy, late) for policy in POLICIES[:4] for late in LATE]
    + [(POLICIES[0], {"delay": GeometricDelay(20.0), "lost": 0.2})],
    ids=str,
)
def test_the_online_bandit_makes_the_same_choices(policy, late):
    steps = 300
    result = lowbid.simulate(policy, ARMS, steps, runs=1, seed=3, **late)
    with interpreted():
        same(result, lowbid.simulate(policy, ARMS, steps, runs=1, seed=3, **late))
    bandit = Bandit(4, policy, seed=3, horizon=steps)
    chosen = online(bandit, steps, seed=3, **late)
    assert np.bincount(chosen, minlength=4).tolist() == result.pulls[0, 0].tolist()


def online(bandit, steps, seed, delay=0, lost=0.0, batch=1):
    """The same run through `decide`, with a list of what is on its way."""
    delay = _simulate.read_late(delay, lost, batch).delay
    chance = stream_of_run(key(seed, "delays"), 0)
    table, counts, chosen, post = ARMS.table(), [0] * 4, [], []
    for step in range(1, steps + 1):
        decision = bandit.decide()
        arm = decision.arm
        loss = loss_of(ARMS, table, seed, 0, arm, counts[arm])
        is_lost = lowbid._random.uniform(chance) < lost
        arrival = step + type(delay).draw(delay.table(), chance)
        while arrival % batch and arrival < -(-step // batch) * batch:
            arrival += 1
        post.append((arrival, decision, None if is_lost else loss))
        for _, known, value in [parcel for parcel in post if parcel[0] == step]:
            if value is None:
                bandit.forget(known)
            else:
                bandit.update(known, loss=value)
        counts[arm] += 1
        chosen.append(arm)
    return chosen


def test_filling_in_pending_losses_keeps_a_burst_from_herding():
    arms = lowbid.Bernoulli([0.4] + [0.5] * 9)
    result = lowbid.simulate(
        {"fills": BatchEnsemble(batches=8), "ignores": Ignoring(batches=8)},
        arms,
        horizon=20_000,
        runs=30,
        seed=0,
        delay=1000,
    )
    assert result.difference("fills", "ignores").high < -400


class PlainState(NamedTuple):
    counts: np.ndarray
    sums: np.ndarray
    pending: np.ndarray


class Plain(lowbid.Policy):
    """One batch with ties to the first arm, in plain Python."""

    def init(self, n_arms, capacity):
        return PlainState(np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms))

    def select(self, state, step, stream):
        return int(np.argmin(state.sums / (state.counts + 2.0)))

    def update(self, state, arm, loss, step, stream):
        state.counts[arm] += 1
        state.sums[arm] += loss


@pytest.mark.parametrize("late", [*LATE, {"lost": 0.5}, {"delay": GeometricDelay(4.0)}], ids=str)
def test_a_plain_python_policy_takes_late_feedback_as_a_compiled_one_does(late):
    compiled = Ignoring(batches=1, ties="first")
    result = lowbid.simulate({"mine": Plain(), "ours": compiled}, ARMS, 120, runs=3, **late)
    same(result["mine"], result["ours"])


def test_a_plain_python_policy_can_count_what_is_pending():
    seen = []

    class Counting(Plain):
        def hold(self, state, arm, change):
            state.pending[arm] += change
            seen.append(int(state.pending.sum()))

    lowbid.simulate(Counting(), ARMS, 40, runs=1, delay=3, workers=1)
    assert max(seen) == 4
    assert min(seen) >= 0
    assert seen[:4] == [1, 2, 3, 4]


def test_a_plain_subclass_uses_the_compiled_hold_of_its_parent():
    @kernel
    def count(parameters, state, arm, change):
        state.pending[arm] += change

    class Counting(Plain):
        hold = count

        def update(self, state, arm, loss, step, stream):
            assert state.pending[arm] >= 1
            super().update(state, arm, loss, step, stream)

    lowbid.simulate(Counting(), ARMS, 40, runs=1, delay=3)


class Recording(lowbid.Policy):
    """Play the arms in turn, and write down which loss came after which step."""

    seen: list = []  # noqa: RUF012

    def init(self, n_arms, capacity):
        self.seen.append([])
        return PlainState(np.zeros(n_arms), np.zeros(0), np.zeros(0))

    def select(self, state, step, stream):
        return (step - 1) % len(state.counts)

    def update(self, state, arm, loss, step, stream):
        self.seen[-1].append((arm, loss, step))


def test_each_run_has_delays_of_its_own_and_an_update_is_passed_the_step_of_its_arrival():
    # So many runs that one call of the loop plays several.
    arms, steps, runs, seed, lost = lowbid.Gaussian([0.0, 1.0, 2.0]), 60, 9, 7, 0.25
    delay = GeometricDelay(6.0)
    Recording.seen.clear()
    lowbid.simulate(
        Recording(), arms, steps, runs=runs, seed=seed, delay=delay, lost=lost, workers=1
    )
    expected = []
    for run in range(runs):
        chance, known = stream_of_run(key(seed, "delays"), run), []
        for step in range(1, steps + 1):
            arm, n = (step - 1) % 3, (step - 1) // 3
            kept = lowbid._random.uniform(chance) >= lost
            arrival = step + GeometricDelay.draw(delay.table(), chance)
            if kept and arrival <= steps:
                loss = loss_of(arms, arms.table(), seed, run, arm, n)
                known.append((arrival, step, arm, loss))
        expected.append([(arm, loss, arrival) for arrival, _, arm, loss in sorted(known)])
    assert Recording.seen == expected
    arrivals = [[(arm, step) for arm, _, step in run] for run in expected]
    assert arrivals[0] != arrivals[1] != arrivals[2]
