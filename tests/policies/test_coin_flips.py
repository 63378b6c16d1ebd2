import math

import numpy as np
import pytest

import lowbid
from lowbid import BatchEnsemble, CoinFlips
from lowbid.errors import InvalidValueError


def test_bernoulli_fication_keeps_means_and_uses_only_the_two_ends():
    policy = CoinFlips(BatchEnsemble(batches=2), scale=4.0)
    bandit = lowbid.Bandit(1, policy, seed=0)
    n = 20_000
    for _ in range(n):
        bandit.update(0, loss=1.0)
    total = bandit.state.policy.batches.sums.sum()
    assert total % 4.0 == 0.0
    standard_error = 4.0 * math.sqrt(0.25 * 0.75 / n)
    assert total / n == pytest.approx(1.0, abs=4 * standard_error)


def test_coins_are_dealt_again_as_they_fell():
    policy = CoinFlips(
        BatchEnsemble(batches=lambda t: 1 + t // 50, growth="redistribute"), scale=2.0
    )
    bandit = lowbid.Bandit(2, policy, seed=1)
    for _ in range(120):
        bandit.update(bandit.select(), loss=0.7)
    assert set(np.unique(bandit.state.policy.batches.sums % 2.0)) == {0.0}


def test_refuses_losses_that_no_coin_has_for_its_mean():
    with pytest.raises(InvalidValueError, match=r"scale is 0\.0"):
        CoinFlips(scale=0.0)
    bandit = lowbid.Bandit(2, CoinFlips(scale=4.0))
    with pytest.raises(InvalidValueError, match=r"5\.0"):
        bandit.update(0, loss=5.0)
