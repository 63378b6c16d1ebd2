import math

import numpy as np
import pytest

import lowbid
from lowbid._random import exponential, stream_of_run
from naive.rules import lowest, makes_the_same_choices


@pytest.mark.parametrize("sd", [1.0, 0.2])
def test_follows_the_naive_rule(sd):
    def rule(losses, step, stream):
        indices = [-math.inf if not x else index(x, stream) for x in losses]
        return lowest(indices, stream)

    def index(x, stream):
        return sum(x) / len(x) - math.sqrt(sd**2 / len(x)) * gumbel(stream)

    def gumbel(stream):
        return -math.log(exponential(stream))

    arms = lowbid.Gaussian([-0.2, 0.0, 0.5], sd=0.5)
    makes_the_same_choices(lowbid.BoltzmannGumbel(sd), arms, rule)


def test_with_equal_counts_it_is_boltzmann_exploration():
    """An arm is played with a probability proportional to exp(-m sqrt(n) / C)."""
    policy, draws = lowbid.BoltzmannGumbel(sd=2.0), 20_000
    parameters, state = policy.start(3)
    stream = stream_of_run(np.uint64(7), 0)
    means = np.array([0.0, 0.5, 1.5])
    for arm, mean in enumerate(means):
        for step in range(9):
            policy.kernels.update(parameters, state, arm, mean, step + 1, stream)
    played = [policy.kernels.select(parameters, state, 28, stream) for _ in range(draws)]
    weights = np.exp(-means * math.sqrt(9) / 2.0)
    expected = weights / weights.sum()
    errors = np.sqrt(expected * (1 - expected) / draws)
    assert (abs(np.bincount(played, minlength=3) / draws - expected) < 4 * errors).all()
