import inspect

import pytest

import lowbid
from lowbid import environments
from lowbid.testing import check_environment

EXAMPLES = [
    lowbid.Bernoulli([0.0, 0.2, 1.0]),
    lowbid.ScaledBernoulli([0.2, 3.0], [1.0, 10.0]),
    lowbid.Gaussian([0.0, -1.0], [1.0, 3.0]),
    lowbid.ExponentialByMean([1.0, 0.2]),
    lowbid.ExponentialByRate([3.0, 0.2]),
    lowbid.Beta([1.0, 0.2, 1e-3], [2.0, 0.3, 2e-3]),
    lowbid.Uniform([0.0, -1.0], [1.0, 4.0]),
    lowbid.Deterministic([1.0, 0.3]),
    lowbid.Empirical([[1.0, 2.0, 3.0], [4.0, 5.0]]),
    lowbid.Mixed(
        [
            lowbid.Bernoulli([0.2, 0.3]),
            lowbid.Gaussian([4.0], 2.0),
            lowbid.Empirical([[1.0, 2.0, 8.0]]),
            lowbid.Deterministic([0.5]),
        ]
    ),
    lowbid.LogNormal([1.0, 30.0], [0.5, 0.0]),
    lowbid.Orders([0.3, 0.5], [50.0, 20.0], 0.5, [0.0, 0.2]),
    lowbid.Pareto([1.0, 2.0], shape=[6.0, 9.0]),
    lowbid.StudentT([0.0, -1.0], [1.0, 3.0], df=[6.0, 9.0]),
    lowbid.Rewards(lowbid.ScaledBernoulli([0.2, 3.0], [1.0, 10.0])),
    lowbid.Contaminated(lowbid.Bernoulli([0.2, 0.3]), value=7.0, chance=0.0),
    lowbid.RandomArms(lowbid.Gaussian, 3, sd=2.0),
    lowbid.RandomArms(lowbid.ExponentialByRate, 2),
    lowbid.Switching([lowbid.Bernoulli([0.2, 0.3]), lowbid.Gaussian([0.4, 0.1])], after=[1, 300]),
    lowbid.Switching([lowbid.Bernoulli([0.2, 0.3]), lowbid.Bernoulli([0.4, 0.1])], chance=0.02),
    lowbid.Drifting(lowbid.Gaussian([0.2, 0.3], 0.5), lowbid.RandomWalk(0.05)),
    lowbid.Drifting(lowbid.Bernoulli([0.5, 0.5]), lowbid.Wave(0.3, period=100)),
    lowbid.Drifting(lowbid.Bernoulli([0.5, 0.5]), [[0.5, 0.4], [0.1, 0.2]]),
]


@pytest.mark.parametrize("environment", EXAMPLES, ids=lambda e: repr(e)[:40])
def test_keeps_the_promises_of_all_environments(environment):
    check_environment(environment)


def test_every_environment_is_tried():
    public = {getattr(environments, name) for name in environments.__all__}
    classes = {each for each in public if isinstance(each, type)}
    concrete = {cls for cls in classes if "draw" in inspect.getsource(cls)} - {environments.Arms}
    assert {type(example) for example in EXAMPLES} == concrete - {
        environments.Environment,
        environments.Changing,
    }
