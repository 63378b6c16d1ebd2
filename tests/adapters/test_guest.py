import random

import numpy as np
import pytest

from lowbid._random import key, stream_of_run
from lowbid.adapters._guest import GlobalRandomness, GuestPolicy


class Recorder(GuestPolicy):
    """Remembers its seeds and the rewards it received."""

    def __init__(self):
        super().__init__("recorder", 1.0)
        self.seeds, self.told = [], []

    def player(self, n_arms, seed):
        self.seeds.append(seed)
        return self

    def choose(self):
        return 1

    def learn(self, arm, reward):
        self.told.append((arm, reward))


def test_a_seat_is_taken_once_with_a_seed_of_its_own():
    policy = Recorder()
    for run in range(3):
        stream = stream_of_run(key(0, "x"), run)
        seat = policy.init(2, 10)
        assert policy.select(seat, 1, stream) == 1
        policy.update(seat, 1, 0.25, 1, stream)
        assert policy.select(seat, 2, stream) == 1
    assert len(set(policy.seeds)) == 3
    assert policy.told == [(1, 0.75)] * 3


def test_feedback_may_come_first():
    policy = Recorder()
    policy.update(policy.init(2, 10), 0, 0.5, 1, stream_of_run(key(0, "x"), 0))
    assert policy.told == [(0, 0.5)]


def test_the_base_class_has_no_player():
    with pytest.raises(NotImplementedError):
        GuestPolicy("x", 0.0).player(2, 0)


def test_global_generators_are_lent_and_given_back():
    def draws(randomness, n):
        found = []
        for _ in range(n):
            with randomness.lent():
                found.append((np.random.random(), random.random()))  # noqa: NPY002
        return found

    outside = np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002
    first, second = GlobalRandomness(1), GlobalRandomness(1)
    by_turns = [pair for _ in range(5) for pair in (*draws(first, 1), *draws(second, 1))]
    assert by_turns[::2] == by_turns[1::2]
    assert len(set(by_turns)) == 5
    assert np.array_equal(np.random.get_state()[1], outside[0])  # noqa: NPY002
    assert random.getstate() == outside[1]
