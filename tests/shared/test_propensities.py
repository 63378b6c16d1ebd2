import math

import numpy as np
import pytest

import lowbid
from lowbid._compile import interpreted
from lowbid._random import stream_of_run
from lowbid.policies._base import copy_of
from lowbid.shared._propensities import DRAWS, DrawnChoice, Estimator, estimated_chance, is_small


def chances_of(policy, losses):
    """How often each arm is chosen from the state after some losses, by plain repetition."""
    parameters, state = policy.start(3, None, 100)
    stream = stream_of_run(np.uint64(1), 0)
    for step, (arm, loss) in enumerate(losses, 1):
        policy.kernels.update(parameters, state, arm, loss, step, stream)
    step, counts = len(losses) + 1, np.zeros(3)
    for draw in range(1500):
        stream = stream_of_run(np.uint64(2), draw)
        counts[policy.kernels.select(parameters, copy_of(state), step, stream)] += 1
    return parameters, state, step, counts / 1500


@pytest.mark.parametrize(
    "policy", [lowbid.BetaThompson(), lowbid.GaussianThompson(), lowbid.PHE()], ids=lambda p: p.name
)
def test_estimates_are_as_often_as_it_happens(policy):
    with interpreted():
        require_estimates(policy)


def require_estimates(policy):
    losses = [(0, 1.0), (0, 0.0), (1, 1.0), (1, 1.0), (2, 0.0), (2, 1.0), (2, 1.0)]
    parameters, state, step, often = chances_of(policy, losses)
    before = repr(copy_of(state))
    for arm in range(3):
        choice = DrawnChoice(f"abcd-{arm}", arm, policy, parameters, copy_of(state), step)
        error = math.sqrt(often[arm] * (1 - often[arm]) * (1 / 1500 + 1 / DRAWS)) + 2 / DRAWS
        assert abs(estimated_chance(choice) - often[arm]) < 4 * error
        assert estimated_chance(choice) == estimated_chance(choice)
    assert repr(copy_of(state)) == before


def test_estimates_are_in_the_log_a_little_later(url):
    given = {"reward_range": (0, 1), "patience": 60.0}  # on a busy machine they take seconds
    bandit = lowbid.open(url, "b", 3, lowbid.BetaThompson(), **given)
    decisions = bandit.decide(5)
    assert [each.propensity for each in decisions] == [None] * 5
    bandit.close()  # waits for them
    found = {}
    for entry in bandit.log():
        if entry.event == "estimated":
            assert entry.fields["draws"] == DRAWS
            found |= entry.fields["chances"]
    assert set(found) == {each.id for each in decisions}
    assert all(0.2 < chance < 0.5 for chance in found.values())


def test_more_than_there_is_room_for_is_left_out(monkeypatch):
    policy = lowbid.BetaThompson()
    parameters, state = policy.start(2, None, 10)
    monkeypatch.setattr("lowbid.shared._propensities.DRAWS", 1)
    found = {}
    estimator = Estimator(found.update)
    choices = [DrawnChoice(str(i), 0, policy, parameters, state, 1) for i in range(5000)]
    monkeypatch.setattr("lowbid.shared._propensities.estimated_chance", lambda choice: 0.5)
    estimator.add(choices)
    estimator.wait(20)
    assert 1000 <= len(found) <= 5000


def test_large_states_are_not_copied():
    assert is_small((np.zeros(5), (np.zeros(3),)))
    assert not is_small((np.zeros(5), (np.zeros(10**6),)))
