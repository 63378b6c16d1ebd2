import numpy as np
import pytest

import lowbid
from lowbid import BatchEnsemble, QuantileOfMeans
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from naive import quantile_of_means as naive
from naive.batch_ensemble import dealt
from replay import lowest_arms, replay

ARMS = lowbid.Mixed([lowbid.Bernoulli([0.2, 0.4, 0.5]), lowbid.Uniform(0.1, 0.9)])


@pytest.mark.parametrize("batches", [1, 3, 12])
@pytest.mark.parametrize("quantile", [0.01, 0.25, 0.5, 1.0])
def test_a_quantile_of_means_stands_for_the_lowest(batches, quantile):
    policy = QuantileOfMeans(quantile=quantile, batches=batches)
    assert policy.padding == 1.0
    with interpreted():
        for moment in replay(policy, ARMS, horizon=250, seed=1):
            split = [dealt(losses, batches) for losses in moment.losses]
            expected = naive.indices(split, quantile=quantile, padding=1.0)
            assert moment.arm in lowest_arms(expected)


def test_a_quantile_that_is_the_lowest_changes_no_choice():
    result = lowbid.simulate(
        {
            "lowest": BatchEnsemble(batches=8, ties="first"),
            "quantile": QuantileOfMeans(batches=8, ties="first", quantile=0.125, padding=2.0),
        },
        ARMS,
        horizon=500,
        runs=10,
    )
    assert np.array_equal(result.regret[0], result.regret[1])


def test_a_quantile_waits_for_batches_that_warm_up():
    bandit = lowbid.Bandit(2, QuantileOfMeans(batches=4, warmup=2, quantile=0.5), seed=0)
    for _ in range(16):
        arm = bandit.select()
        bandit.update(arm, loss=[0.1, 0.9][arm])
    assert bandit.counts() == {0: 8, 1: 8}


@pytest.mark.parametrize(("quantile", "batches", "rank"), [(0.07, 100, 7), (0.28, 25, 7)])
def test_a_rank_is_not_off_by_rounding(quantile, batches, rank):
    bandit = lowbid.Bandit(1, QuantileOfMeans(batches=batches, quantile=quantile, padding=0.0))
    for loss in range(1, batches + 1):
        bandit.update(0, loss=float(loss))
    assert bandit.indices() == {0: float(rank)}


@pytest.mark.parametrize("quantile", [0.0, 1.5, float("nan")])
def test_refuses_what_is_no_quantile(quantile):
    with pytest.raises(InvalidValueError, match=f"quantile is {quantile}"):
        QuantileOfMeans(quantile=quantile)
