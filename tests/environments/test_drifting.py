import pytest

import lowbid
from lowbid.errors import InvalidValueError

ARMS = lowbid.Gaussian([0.2, 0.5], sd=[1.0, 2.0])


def test_only_the_means_move():
    arms = lowbid.Drifting(ARMS, [[0.2, 0.5], [0.3, 0.6], [0.1, 0.9]])
    assert arms.means_at([1, 2, 3, 9]).tolist() == [[0.2, 0.5], [0.3, 0.6], [0.1, 0.9], [0.1, 0.9]]
    assert arms.variances_of(arms.table_at(3)).tolist() == [[1.0, 4.0]]


def test_the_support_reaches_as_far_as_the_means():
    arms = lowbid.Drifting(lowbid.Deterministic([0.2, 0.5]), lowbid.Wave(0.5, period=10))
    assert arms.support == (-0.3, 1.0)


@pytest.mark.parametrize(
    ("environment", "path", "match"),
    [
        (lowbid.Beta([1.0, 2.0], 2.0), lowbid.RandomWalk(0.1), "not the mean"),
        (lowbid.Empirical([[0.1], [0.2]]), lowbid.RandomWalk(0.1), "not the mean"),
        (lowbid.RandomArms(lowbid.Bernoulli, 3), lowbid.RandomWalk(0.1), "drawn at random"),
        (lowbid.Bernoulli([0.2, 0.5]), lowbid.RandomWalk(0.1, high=2.0), "means from 0 to 1"),
        (lowbid.Bernoulli([0.2, 0.5]), lowbid.Wave(0.3, 10), "means from 0 to 1"),
        (lowbid.Bernoulli([0.2, 0.5]), [[0.2, 1.5]], "means from 0 to 1"),
        (lowbid.Bernoulli([0.2, 0.5]), [[0.2]], "1 columns for 2 arms"),
        (lowbid.Bernoulli([0.2, 0.5]), lambda step: [0.1, 0.2], "GivenMeans.of"),
        (lowbid.Bernoulli([0.2, 0.5]), lowbid.RandomWalk(0.1, low=0.4), "outside the walk"),
    ],
)
def test_refuses_what_cannot_drift(environment, path, match):
    with pytest.raises(InvalidValueError, match=match):
        lowbid.Drifting(environment, path)
