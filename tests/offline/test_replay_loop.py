import numpy as np

from lowbid._compile import interpreted, specialise
from lowbid._random import key, stream_of_run
from lowbid.offline._replay_loop import fill_uniform, play_log
from lowbid.policies import UCB1


def _play(lines, horizon, runs):
    policy = UCB1()
    init, select, update = policy.kernels
    loop = specialise(play_log, init=init, select=select, update=update)
    rng = np.random.default_rng(0)
    arms, values = rng.integers(2, size=lines), rng.random(lines)
    totals, plays = np.zeros((runs, 2)), np.zeros((runs, 2), np.int64)
    parameters = policy.parameters(2, horizon, horizon)
    steps = np.array([horizon // 2, horizon])
    common = (key(0, "x"), steps, totals, plays)
    found = loop(parameters, 2, arms, values, 1.0 - values, *common)
    return found, totals, plays


def test_compiled_and_uncompiled_are_the_same_bits():
    compiled = _play(400, 20, 30)
    with interpreted():
        uncompiled = _play(400, 20, 30)
    assert compiled[0] == uncompiled[0]
    runs = compiled[0][0]
    assert 5 <= runs <= 15
    assert np.array_equal(compiled[1][:runs], uncompiled[1][:runs])
    assert np.array_equal(compiled[2], uncompiled[2])


def test_it_ends_when_all_runs_are_played():
    (runs, taken, arm), _, plays = _play(4000, 20, 3)
    assert (runs, arm) == (3, 0)
    assert taken < 400
    assert plays.sum() == 60


def test_uniform_numbers_are_the_streams_own():
    numbers = np.zeros(1000)
    fill_uniform(stream_of_run(key(0, "x"), 0), numbers)
    assert len(set(numbers)) == 1000
    assert abs(numbers.mean() - 0.5) < 4.5 / np.sqrt(12 * 1000)
