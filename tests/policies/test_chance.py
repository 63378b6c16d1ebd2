"""The probabilities that policies report for their choices, and their frequencies."""

import math
from collections import Counter

import numpy as np
import pytest

import lowbid
from lowbid._compile import interpreted
from lowbid._random import stream_of_run
from lowbid.policies._base import copy_of

DRAWS = 600
SAYING = [
    lowbid.EpsilonGreedy(epsilon=0.3),
    lowbid.DecreasingEpsilonGreedy(c=1.0, gap=0.5),
    lowbid.UniformPlay(),
    lowbid.KLMaillard.bernoulli(),
    lowbid.Greedy(),
    lowbid.UCB1(),
    lowbid.UCBV(),
    lowbid.UCBTuned(),
    lowbid.UCBAlpha(),
    lowbid.MOSS(),
    lowbid.AnytimeMOSS(),
    lowbid.KLUCB.bernoulli(),
    lowbid.KLUCBPlus.bernoulli(),
    lowbid.KLUCBPlusPlus.bernoulli(),
    lowbid.IMED.bernoulli(),
    lowbid.SemiBoundedIMED(),
    lowbid.SemiBoundedKLUCB(),
    lowbid.BatchEnsemble(batches=2),
    lowbid.BatchLikelihood(),
    lowbid.MomentIMED(),
]


def states_of(policy, n_arms, steps):
    """States of a policy that saw losses of 0 and 1, so that indices often tie."""
    parameters, state = policy.start(n_arms, 200, 200)
    stream, chance = stream_of_run(np.uint64(3), 0), np.random.default_rng(5)
    for step in range(1, steps + 1):
        yield parameters, copy_of(state), step
        arm = policy.kernels.select(parameters, state, step, stream)
        loss = float(chance.random() < 0.5)
        policy.kernels.update(parameters, state, arm, loss, step, stream)


@pytest.mark.parametrize("policy", SAYING, ids=lambda policy: policy.name)
def test_a_choice_is_made_as_often_as_the_policy_says(policy):
    random_choices = 0
    with interpreted():
        for parameters, state, step in states_of(policy, n_arms=4, steps=12):
            seen, said = Counter(), {}
            for draw in range(DRAWS if step in (1, 3, 12) else 1):
                copy, stream = copy_of(state), stream_of_run(np.uint64(9), draw)
                before = int(stream[0])
                arm = policy.kernels.select(parameters, copy, step, stream)
                drawn = int(stream[0]) != before
                said[arm] = policy.chance(copy, step, arm) if drawn else 1.0
                seen[arm] += 1
            for arm, count in seen.items():
                error = math.sqrt(said[arm] * (1.0 - said[arm]) / DRAWS)
                if seen.total() == DRAWS:
                    assert abs(count / DRAWS - said[arm]) <= 4.5 * error, (step, arm)
            random_choices += max(said.values()) < 1.0
    assert random_choices > 0


def test_chances_of_all_arms_add_up():
    with interpreted():
        for policy in SAYING[:4]:
            for parameters, state, step in states_of(policy, n_arms=4, steps=10):
                policy.kernels.select(parameters, state, step, stream_of_run(np.uint64(1), step))
                total = sum(policy.chance(state, step, arm) for arm in range(4))
                assert total == pytest.approx(1.0)


def test_who_cannot_say_says_so():
    policy = lowbid.BetaThompson()
    assert policy.chance(policy.start(3)[1], 1, 0) is None
