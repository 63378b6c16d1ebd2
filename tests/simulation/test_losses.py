import numpy as np

import lowbid
from lowbid.simulation import loss_of


def test_losses_depend_on_seed_run_arm_and_number_and_on_nothing_else():
    arms = lowbid.Gaussian([0.0, 0.0])
    table = arms.table()
    like = {"seed": 0, "run": 0, "arm": 0, "n": 0}
    first = loss_of(arms, table, **like)
    assert first == loss_of(arms, table, **like)
    assert len({first, *(loss_of(arms, table, **{**like, key: 1}) for key in like)}) == 5


def test_random_arms_have_the_losses_of_their_own_run():
    arms = lowbid.RandomArms(lowbid.Deterministic, n_arms=3)
    table = arms.table(5, 2)
    means = arms.means_of(table)
    losses = [[loss_of(arms, table, 5, run, arm, 7) for arm in range(3)] for run in range(2)]
    np.testing.assert_allclose(losses, means)
