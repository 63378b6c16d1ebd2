import inspect

import numpy as np
import pytest

import lowbid
from lowbid import environments
from lowbid.errors import InvalidValueError
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
]


@pytest.mark.parametrize("environment", EXAMPLES, ids=lambda e: repr(e)[:40])
def test_keeps_the_promises_of_all_environments(environment):
    check_environment(environment)


def test_every_environment_is_tried():
    public = {getattr(environments, name) for name in environments.__all__}
    classes = {each for each in public if isinstance(each, type)}
    concrete = {cls for cls in classes if "draw" in inspect.getsource(cls)} - {environments.Arms}
    assert {type(example) for example in EXAMPLES} == concrete - {environments.Environment}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.Bernoulli([0.5, 1.5]), r"mean of arm 1 is 1\.5; give means from 0 to 1"),
        (lambda: lowbid.Bernoulli([-0.1]), r"mean of arm 0 is -0\.1"),
        (lambda: lowbid.Bernoulli([]), "mean is empty"),
        (lambda: lowbid.Bernoulli([0.1, np.nan]), "mean contains nan"),
        (lambda: lowbid.Bernoulli([[0.1]]), "2 dimensions"),
        (lambda: lowbid.Bernoulli("half"), "give a list of numbers"),
        (
            lambda: lowbid.ScaledBernoulli([0.5], [0.4]),
            "no smaller than the mean",
        ),
        (lambda: lowbid.ScaledBernoulli([0.5], [-1.0]), "positive scale"),
        (lambda: lowbid.Gaussian([0.0, 1.0], [1.0, 2.0, 3.0]), "mean has 2, sd has 3"),
        (lambda: lowbid.Gaussian([0.0], [-1.0]), "sd of arm 0 is -1"),
        (lambda: lowbid.ExponentialByMean([0.0]), "positive mean"),
        (lambda: lowbid.ExponentialByRate([-1.0]), "positive rate"),
        (lambda: lowbid.Beta([0.0], [1.0]), "a of arm 0 is 0"),
        (lambda: lowbid.Uniform([1.0], [0.0]), "no less than the lower"),
        (lambda: lowbid.Empirical([]), "at least one arm"),
        (lambda: lowbid.Empirical([[1.0], []]), "data of arm 1 is empty"),
        (lambda: lowbid.Mixed([]), "at least one arm"),
        (
            lambda: lowbid.Mixed([lowbid.RandomArms(lowbid.Bernoulli, 2)]),
            "arms drawn at random",
        ),
        (lambda: lowbid.RandomArms(lowbid.Bernoulli, 0), "n_arms is 0"),
        (lambda: lowbid.RandomArms(lowbid.Bernoulli, 3, high=2.0), "mean of arm 1 is 2"),
        (lambda: lowbid.RandomArms(lowbid.Bernoulli, 3, low=1.0, high=0.0), "finite low < high"),
        (lambda: lowbid.RandomArms(lowbid.Gaussian, 3, variance=1.0), "no parameter 'variance'"),
        (lambda: lowbid.RandomArms("bernoulli", 3), "give a class"),
        (lambda: lowbid.RandomArms(lowbid.Empirical, 3), "cannot be drawn at random"),
        (lambda: lowbid.RandomArms(lowbid.Uniform, 3), "cannot be drawn at random"),
        (lambda: lowbid.RandomArms(lowbid.Gaussian, 3, sd=[1, 2]), r"sd is \[1, 2\]"),
        (lambda: lowbid.RandomArms(lowbid.Gaussian, 3, low="a"), "low is 'a'"),
        (lambda: lowbid.ExponentialByRate([1e-320]), "mean or variance of arm 0 is too large"),
        (lambda: lowbid.Empirical([[1e308, 1e308]]), "mean is not a number"),
        (lambda: lowbid.Empirical(5), "give a list of losses"),
        (lambda: lowbid.LogNormal([0.0]), "mean of arm 0 is 0; give a positive mean"),
        (lambda: lowbid.LogNormal([1.0], [1e3]), "variance of arm 0 is too large"),
        (lambda: lowbid.Orders([1.5]), "rate of arm 0 is 1.5; give a chance"),
        (lambda: lowbid.Orders([0.1], size=-1.0), "size of arm 0 is -1; give a positive"),
        (lambda: lowbid.Orders([0.1], refunds=2.0), "refunds of arm 0 is 2; give a chance"),
        (lambda: lowbid.Pareto([1.0], shape=1.0), "shape of arm 0 is 1; give a power above 1"),
        (lambda: lowbid.StudentT([0.0], df=2.0), "df of arm 0 is 2; give degrees"),
        (lambda: lowbid.Rewards([0.1]), "environment is \\[0.1\\]; give arms"),
        (lambda: lowbid.Contaminated(lowbid.Bernoulli([0.1]), 1.0, 1.5), "chance is 1.5"),
        (lambda: lowbid.Contaminated(lowbid.Bernoulli([0.1]), 1e200, 0.1), "value is 1e"),
        (lambda: lowbid.Mixed(lowbid.Bernoulli([0.5])), "give a list of environments"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()


def test_random_arms_depend_on_seed_and_run_alone():
    arms = lowbid.RandomArms(lowbid.Bernoulli, n_arms=4, low=0.2, high=0.6)
    few, many = arms.table(seed=3, runs=5), arms.table(seed=3, runs=50)
    assert np.array_equal(few, many[:5])
    assert not np.array_equal(few, arms.table(seed=4, runs=5))
    means = arms.means_of(arms.table(seed=3, runs=5000))
    assert 0.2 <= means.min() < means.max() < 0.6
    standard_error = 0.4 / np.sqrt(12 * means.size)
    assert abs(means.mean() - 0.4) < 4 * standard_error


def test_the_two_readings_of_an_exponential_differ():
    assert lowbid.ExponentialByMean([4.0]).means == 4.0
    assert lowbid.ExponentialByRate([4.0]).means == 0.25


def test_contaminated_losses_are_wrong_as_often_as_stated_and_count_as_right():
    arms = lowbid.Contaminated(lowbid.Bernoulli([0.2, 0.3]), value=-1e6, chance=0.1)
    table = arms.table(0, 1)
    losses = np.array([lowbid.simulation.loss_of(arms, table, 0, 0, 1, n) for n in range(4000)])
    wrong = (losses == -1e6).mean()
    assert abs(wrong - 0.1) < 4 * np.sqrt(0.1 * 0.9 / 4000)
    assert abs(losses[losses >= 0].mean() - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 3600)
    assert arms.means.tolist() == [0.2, 0.3]
    assert arms.support == (-1e6, 1.0)
