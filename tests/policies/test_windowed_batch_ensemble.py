"""Batch Ensemble with a window: batches that are forgotten whole, oldest first."""

import numpy as np
import pytest

import lowbid
from forgetting import SWITCHING, assert_lowest, follow
from lowbid import BatchEnsemble, WindowedBatchEnsemble, schedules
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from naive import batch_ensemble as naive
from naive.windowed_batch_ensemble import dealt_and_forgotten


@pytest.mark.parametrize(("batches", "window"), [(1, 30), (2, 50), (3, 50), (4, 4), (5, 300)])
def test_follows_the_rule_with_what_is_left_in_each_batch(batches, window):
    with interpreted():
        for moment in follow(WindowedBatchEnsemble(batches, window=window), SWITCHING, horizon=260):
            split = []
            for arm in range(3):
                seen = [(x, s) for s, (a, x) in enumerate(moment.history, 1) if a == arm]
                losses, steps = [x for x, _ in seen], [s for _, s in seen]
                kept = dealt_and_forgotten(losses, steps, batches, window, moment.step)
                split.append(kept)
            assert_lowest(moment.arm, naive.indices(split))
            counts = [[len(batch) for batch in arm] for arm in split]
            assert moment.state.batches.counts[:, :batches].tolist() == counts


def test_no_loss_outlives_the_window():
    policy = WindowedBatchEnsemble(batches=4, window=40)
    bandit = lowbid.Bandit(1, policy, seed=0)
    for step in range(1, 200):
        bandit.select()
        assert bandit.state.batches.counts.sum() <= min(step - 1, 40)
        bandit.update(0, loss=1.0)


def test_the_number_of_batches_is_that_of_the_window_s_length():
    policy = WindowedBatchEnsemble(batches=schedules.Logarithmic(1.0), window=1000)
    assert policy.start(2, 10_000)[1].batches.in_use[0] == 6
    assert policy.start(2, 10)[1].batches.in_use[0] == 6


def test_pending_losses_count_as_the_mean_of_what_is_left():
    bandit = lowbid.Bandit(2, WindowedBatchEnsemble(batches=2, window=8), seed=0)
    for _ in range(5):  # after four steps batch 0 was emptied; the fifth loss is in it
        bandit.select()
        bandit.update(0, loss=1.0)
    bandit.update(1, loss=0.5)
    bandit.decide()
    batches = bandit.state.batches
    arm = int(batches.pending.argmax())
    left = batches.sums[arm].sum() / batches.counts[arm].sum()
    estimates = bandit.policy.estimates(bandit.state)[arm]
    expected = (batches.sums[arm] + left) / (batches.counts[arm] + 1 + 2)
    np.testing.assert_allclose(estimates, expected)


@pytest.mark.parametrize(("meanwhile", "left"), [(0, 4), (1, 2), (4, 2), (5, 0), (30, 0)])
def test_an_arm_that_comes_back_has_what_would_be_left(meanwhile, left):
    bandit = lowbid.Bandit(["a", "b"], WindowedBatchEnsemble(batches=2, window=8), seed=0)
    for _ in range(4):
        bandit.select()
        bandit.update("a", loss=1.0)
    bandit.pause_arm("a")
    for _ in range(meanwhile):
        bandit.select()
        bandit.update("b", loss=0.0)
    bandit.resume_arm("a")
    assert bandit.state.batches.counts[list(bandit.arms).index("a")].sum() == left


def test_it_learns_again_when_the_arms_change():
    arms = lowbid.Switching(
        [lowbid.Bernoulli([0.05, 0.8]), lowbid.Bernoulli([0.8, 0.05])], after=[400]
    )
    policies = [WindowedBatchEnsemble(batches=2, window=100), BatchEnsemble(batches=2)]
    with interpreted():
        regret = lowbid.simulate(policies, arms, 700, runs=4, seed=0).regret[:, :, -1]
    assert regret[0].mean() < 0.5 * regret[1].mean()


def test_refuses_what_does_not_go_with_a_window():
    with pytest.raises(InvalidValueError, match="leave out growth"):
        WindowedBatchEnsemble(growth="redistribute", window=100)
    with pytest.raises(InvalidValueError, match="window is 3; give at least one step for each"):
        WindowedBatchEnsemble(batches=4, window=3)
    bandits = [lowbid.Bandit(2, WindowedBatchEnsemble(window=100)) for _ in range(2)]
    with pytest.raises(InvalidValueError, match="no common order in time"):
        bandits[0].merge(bandits[1])


def test_a_saved_bandit_goes_on(tmp_path):
    bandit = lowbid.Bandit(3, WindowedBatchEnsemble(batches=3, window=30), seed=1)
    for i in range(100):
        bandit.update(bandit.select(), loss=(i * 7 % 10) / 10)
    bandit.save(tmp_path / "bandit")
    twin = lowbid.Bandit.load(tmp_path / "bandit")
    for i in range(100):
        arm = bandit.select()
        assert arm == twin.select()
        for each in (bandit, twin):
            each.update(arm, loss=(i * 3 % 10) / 10)
