import numpy as np
import pytest

import lowbid
from lowbid import BatchLikelihood
from lowbid.errors import InvalidValueError
from naive import race

ARMS = {
    "two values": lowbid.Bernoulli([0.2, 0.3, 0.4, 0.6]),
    "gaussian": lowbid.Gaussian([0.3, 0.0, 0.2, 0.9], sd=[1.0, 0.5, 0.2, 2.0]),
    "skewed": lowbid.Rewards(lowbid.Orders([0.3, 0.35, 0.4], log_sd=1.0)),
}


@pytest.mark.parametrize("arms", ARMS.values(), ids=ARMS)
@pytest.mark.parametrize("batches", [2, 7, 32])
def test_follows_the_rule_by_the_book(arms, batches):
    """The stake is found to a thousandth, so indices agree to about a millionth of the evidence."""
    policy = BatchLikelihood(batches=batches, recheck=0.1)
    evidence = race.batch_evidence(batches, policy.pooling)
    follower = race.Follower(arms.n_arms, evidence, policy.patience, 0.1)
    race.follow(policy, arms, follower, tolerance=1e-4, horizon=250)


def test_follows_the_rule_with_a_declared_range():
    policy = BatchLikelihood(batches=8, patience=1.0, low=0.0, high=1.0)
    evidence = race.batch_evidence(8, policy.pooling)
    arms = lowbid.Mixed([lowbid.Bernoulli([0.3, 0.1]), lowbid.Deterministic([0.2, 0.4])])
    follower = race.Follower(4, evidence, 1.0, policy.recheck, 0.0, 1.0)
    race.follow(policy, arms, follower, tolerance=1e-4, horizon=250)


def test_merged_batches_are_as_large_as_if_dealt_in_one_go():
    policy = BatchLikelihood(batches=4)
    states = []
    for n in (6, 7, 13):
        parameters, state = policy.start(1, None, 100)
        for step in range(1, n + 1):  # the first loss is 0 and all others are 1
            loss = 0.0 if step == 1 else 1.0
            policy.kernels.update(parameters, state, 0, loss, step, np.ones(1, np.uint64))
        states.append(state)
    merged = policy.merge(*states[:2])
    assert states[2].sums[0].tolist() == [3.0, 3.0, 3.0, 3.0]  # of 4, 3, 3 and 3 losses
    assert merged.sums[0].tolist() == [3.0, 3.0, 2.0, 3.0]


def test_one_batch_is_too_few():
    with pytest.raises(InvalidValueError, match="batches is 1; give a whole number, 2 or larger"):
        BatchLikelihood(batches=1)
