"""SW-LB-SDA compared with its naive twin."""

import pytest

import lowbid
from duelling import DRAWS, follow
from naive.forgetting import NaiveWindowDuels


@pytest.mark.parametrize("draws", ["coins", "normal", "three values", "constant"])
@pytest.mark.parametrize("window", [4, 30, 200])
def test_plays_the_same_rounds_as_its_naive_twin(draws, window):
    policy = lowbid.SlidingWindowLBSDA(window)
    follow(policy, NaiveWindowDuels(4, window), 4, DRAWS[draws], steps=600)


def test_with_arms_that_change_it_plays_the_same_rounds_too():
    steps = iter(range(1, 10_000))

    def draw(rng, arm):
        best = 0 if (next(steps) // 150) % 2 else 2
        return float(rng.random() < (0.2 if arm == best else 0.6))

    follow(lowbid.SlidingWindowLBSDA(80), NaiveWindowDuels(3, 80), 3, draw, steps=900)


def test_arms_are_looked_at_again_when_others_win_all_the_time():
    steps = iter(range(1, 10_000))

    def draw(rng, arm):
        return (0.5, 0.1 if next(steps) > 400 else 0.9, 0.8)[arm] + 0.01 * rng.random()

    twin = NaiveWindowDuels(3, 300)
    follow(lowbid.SlidingWindowLBSDA(300), twin, 3, draw, steps=800)
    assert twin.overdue > 0
