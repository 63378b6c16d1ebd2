"""WR-SDA compared with its naive twin, and with BESA."""

import numpy as np
import pytest

import lowbid
from duelling import DRAWS, follow
from naive import duels


@pytest.mark.parametrize("draws", DRAWS)
def test_plays_the_same_rounds_as_its_naive_twin(draws):
    samples = duels.SubSamples()

    class Twin(duels.NaiveRounds):
        def update(self, arm, loss):
            samples.see(loss)
            super().update(arm, loss)

    follow(lowbid.WRSDA(), Twin(5, samples.duel), 5, DRAWS[draws])


def plays(policy, arms):
    return lowbid.simulate(policy, arms, horizon=200, runs=2000, seed=3).pulls[0, :, 1]


def test_with_two_arms_it_is_besa_where_means_do_not_tie():
    smooth = lowbid.Gaussian([0.0, 0.4])
    ours, theirs = plays(lowbid.WRSDA(), smooth), plays(lowbid.BESA(), smooth)
    error = np.hypot(ours.std(), theirs.std()) / np.sqrt(len(ours))
    assert abs(ours.mean() - theirs.mean()) < 4 * error


def test_where_means_tie_besa_plays_the_arm_with_fewer_losses():
    equal = lowbid.Deterministic([0.5, 0.5])
    assert set(plays(lowbid.BESA(), equal)) == {100}
    assert len(set(plays(lowbid.WRSDA(), equal))) > 10
