import numpy as np
import pytest

import lowbid
from lowbid import BatchEnsemble
from lowbid._random import key, stream_of_run
from lowbid.errors import InvalidValueError
from lowbid.simulation import Delay, FixedDelay, GeometricDelay, ObservedDelay

ARMS = lowbid.Bernoulli([0.2, 0.3, 0.4, 0.5])


def test_delays_have_the_distribution_that_they_say():
    stream = stream_of_run(key(0, "test"), 0)
    for delay, mean in [(GeometricDelay(30.0), 30.0), (ObservedDelay([1, 2, 9]), 4.0)]:
        draws = [type(delay).draw(delay.table(), stream) for _ in range(20_000)]
        standard_error = np.std(draws) / np.sqrt(len(draws))
        assert abs(np.mean(draws) - mean) < 4 * standard_error
        assert min(draws) >= 0
    zeros = [GeometricDelay.draw(GeometricDelay(1.0).table(), stream) == 0 for _ in range(4000)]
    assert abs(np.mean(zeros) - 0.5) < 4 * 0.5 / np.sqrt(4000)


def test_a_delay_of_ones_own():
    class Lunch(Delay):
        @staticmethod
        def draw(table, stream):
            return 5

    policy = BatchEnsemble(batches=2)
    ours, fixed = (lowbid.simulate(policy, ARMS, 100, runs=2, delay=d) for d in (Lunch(), 5))
    np.testing.assert_array_equal(ours.regret, fixed.regret)


@pytest.mark.parametrize(
    "wrong",
    [
        {"delay": -1},
        {"delay": 1.5},
        {"delay": []},
        {"delay": [1, -2]},
        {"delay": "long"},
        {"lost": 1.0},
        {"lost": -0.1},
        {"lost": float("nan")},
        {"batch": 0},
    ],
    ids=str,
)
def test_settings_that_make_no_sense(wrong):
    with pytest.raises(InvalidValueError):
        lowbid.simulate(BatchEnsemble(), ARMS, 100, **wrong)
    with pytest.raises(InvalidValueError):
        GeometricDelay(0.0)


def test_delays_of_numpy_s_numbers_are_described_like_others():
    assert repr(FixedDelay(np.int64(3))) == "FixedDelay(steps=3)"
    assert repr(ObservedDelay(np.array([1, 2]))) == "ObservedDelay(steps=(1, 2))"
