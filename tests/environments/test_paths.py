import math

import numpy as np
import pytest

import lowbid
from lowbid._compile import interpreted
from lowbid.environments.random_walk import folded
from lowbid.errors import InvalidValueError

ARMS = lowbid.Bernoulli([0.5, 0.5, 0.5])


def test_a_walk_takes_normal_steps_of_its_sd():
    walk = lowbid.Drifting(lowbid.Gaussian([0.0, 0.0]), lowbid.RandomWalk(0.5, -1e6, 1e6))
    steps = np.diff(walk.means_at(np.arange(1, 3002), seed=2), axis=0).ravel()
    n = len(steps)
    assert abs(steps.mean()) < 4 * 0.5 / math.sqrt(n)
    assert abs(steps.std() - 0.5) < 4 * 0.5 / math.sqrt(2 * n)
    arms = np.corrcoef(steps.reshape(-1, 2).T)[0, 1]
    assert abs(arms) < 4 / math.sqrt(n / 2)


def test_a_walk_stays_within_its_walls():
    means = lowbid.Drifting(ARMS, lowbid.RandomWalk(sd=0.4)).means_at(np.arange(1, 500))
    assert means.min() >= 0.0
    assert means.max() <= 1.0
    assert means.min() < 0.02
    assert means.max() > 0.98


@pytest.mark.parametrize(
    ("x", "there"), [(0.3, 0.3), (1.25, 0.75), (-0.25, 0.25), (2.25, 0.25), (-3.0, 1.0), (8.0, 0.0)]
)
def test_walls_reflect_as_often_as_it_takes(x, there):
    with interpreted():
        assert folded(x, 0.0, 1.0) == pytest.approx(there)
        assert folded(10 * x - 5, -5.0, 5.0) == pytest.approx(10 * there - 5)


def test_waves_have_their_own_height_period_and_phase():
    wave = lowbid.Wave([0.1, 0.2, 0.3], period=[10, 20, 30], phase=[0.0, 0.25, 0.5])
    means = lowbid.Drifting(ARMS, wave).means_at(np.arange(1, 100))
    t = np.arange(99)[:, None]
    angle = 2 * np.pi * (t / np.array([10, 20, 30]) + np.array([0.0, 0.25, 0.5]))
    np.testing.assert_allclose(means, 0.5 + np.array([0.1, 0.2, 0.3]) * np.sin(angle), atol=1e-12)


def test_by_default_each_arm_is_the_best_in_turn():
    means = lowbid.Drifting(ARMS, lowbid.Wave(0.3, period=300)).means_at(np.arange(1, 301))
    assert np.bincount(means.argmin(axis=1)).tolist() == pytest.approx([100, 100, 100], abs=2)


def test_a_function_is_worked_out_for_its_steps():
    path = lowbid.GivenMeans.of(lambda step: [0.1 * step, 0.5], steps=3)
    np.testing.assert_allclose(path.means, [[0.1, 0.5], [0.2, 0.5], [0.3, 0.5]])


def test_other_means_have_another_fingerprint():
    paths = [lowbid.GivenMeans([[0.1, 0.5]]), lowbid.GivenMeans([[0.1, 0.6]])]
    assert paths[0].describe() != paths[1].describe()


@pytest.mark.parametrize(
    "make",
    [
        lambda: lowbid.RandomWalk(0.0),
        lambda: lowbid.RandomWalk(0.1, low=1.0, high=1.0),
        lambda: lowbid.Wave(-0.1, 10),
        lambda: lowbid.Wave(0.1, 0),
        lambda: lowbid.Drifting(ARMS, lowbid.Wave([0.1, 0.2], 10)),
        lambda: lowbid.GivenMeans([]),
        lambda: lowbid.GivenMeans([[0.1], [0.1, 0.2]]),
        lambda: lowbid.GivenMeans([[math.nan, 0.1]]),
        lambda: lowbid.GivenMeans.of([[0.1]], 3),
        lambda: lowbid.GivenMeans.of(lambda step: [0.1, 0.2], 0),
    ],
)
def test_refuses_what_is_no_path(make):
    with pytest.raises(InvalidValueError):
        make()
