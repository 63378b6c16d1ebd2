"""Names, units and signs; late feedback; the same choices as in a simulation."""

import numpy as np

import lowbid
from lowbid import Bandit, BatchEnsemble, schedules


def test_losses_are_scaled_for_a_policy_that_needs_it():
    bandit = Bandit(2, lowbid.BetaThompson(), loss_range=(-100.0, 300.0))
    bandit.update(0, loss=300.0)
    bandit.update(1, loss=-100.0)
    assert bandit.state.bad.tolist() == [2.0, 1.0]
    assert bandit.state.good.tolist() == [1.0, 2.0]
    assert bandit.means() == {0: 300.0, 1: -100.0}


def test_negating_rewards_into_the_plain_rule_is_the_trap_that_the_default_avoids():
    """A reward is 1 with chance 0.9, 0.8, ...: as a loss -1, where the plain rule hopes for 0."""
    arms = lowbid.Empirical([[-1.0] * n + [0.0] * (100 - n) for n in (90, 80, 75, 70)])
    plain, ours = BatchEnsemble(batches=2), BatchEnsemble(batches=2, baseline="minimum")
    result = lowbid.simulate([plain, ours], arms, 2000, runs=50, seed=0)
    regret = result.regret[:, :, -1].mean(axis=1)
    assert regret[0] > 2 * regret[1]


def test_a_loss_of_minus_zero_reaches_the_policy_as_it_is():
    bandit = Bandit(2, BatchEnsemble(batches=schedules.Logarithmic(1.0), growth="redistribute"))
    bandit.update(0, loss=-0.0)
    assert np.signbit(bandit.state.batches.history_losses[0])
