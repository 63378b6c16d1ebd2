import copy
import json
import warnings

import pytest

import lowbid
from lowbid.shared._bandit_settings import read_settings
from lowbid.shared._events import (
    BY_POLICY,
    HELD_OUT,
    STICKY,
    ArmChanged,
    Created,
    Reported,
    logged,
)
from lowbid.shared._replica import DecideCommand, Replica


def two_replicas(**given):
    settings = read_settings({"arms": ["x", "y", "z"], "reward_range": (0, 1), **given})
    created = Created(settings.to_data(), "abcd")
    return [Replica(created, 1, 0, given.get("policy")) for _ in range(2)]


@pytest.mark.parametrize("policy", [lowbid.BatchLikelihood(), lowbid.BetaThompson()])
def test_what_one_replica_decides_another_follows(policy):
    first, second = two_replicas(policy=policy, holdout=0.5, control="x", window=60)
    commands = [
        DecideCommand(BY_POLICY * 3, "r", "ann"),
        DecideCommand(HELD_OUT + BY_POLICY),
        DecideCommand(STICKY * 2, arm="y"),
        DecideCommand(BY_POLICY + STICKY),
    ]
    for number, command in enumerate(commands, 2):
        event = first.decide(number, 10**7 * number, command)
        before = copy.deepcopy(event)
        second.apply(number, 10**7 * number, event)
        assert event == before
        assert len(event.ids) == len(command.ways) == len(set(event.ids))
        assert first.to_data() == second.to_data()
    assert event.arms[0] == event.arms[1]
    assert first.pending == second.pending
    assert len(first.pending) == sum(len(command.ways) for command in commands)


@pytest.mark.parametrize("policy", [lowbid.UCB1(), lowbid.BetaThompson()], ids=str)
def test_replicas_leave_out_a_new_arm_alike(policy):
    first, second = two_replicas(policy=policy)
    events = [
        Reported("reward", [[None, arm, i % 2] for i in range(20) for arm in "xyz"]),
        ArmChanged("added", "new"),
    ]
    for number, event in enumerate(events, 2):
        first.apply(number, number, event)
        second.apply(number, number, event)
    chosen = []
    for number in range(4, 24):
        event = first.decide(number, number, DecideCommand(BY_POLICY))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            second.apply(number, number, event)
        assert first.to_data() == second.to_data()
        second = Replica.from_data(json.loads(json.dumps(second.to_data())), policy)
        chosen += event.arms
    assert 1 <= chosen.count("new") <= 5
    assert len(set(chosen)) > 1


def test_a_replica_follows_the_log_where_it_would_have_chosen_otherwise():
    first, second = two_replicas()
    event = first.decide(2, 1, DecideCommand(BY_POLICY))
    event.arms = ["y" if event.arms == ["x"] else "x"]
    with pytest.warns(RuntimeWarning, match="event 2 chose arm"):
        second.apply(2, 1, event)
    assert [each.arm for each in second.pending] == event.arms
    with warnings.catch_warnings():  # it is said once
        warnings.simplefilter("error")
        for number in range(3, 13):
            event = first.decide(number, 1, DecideCommand(BY_POLICY))
            event.arms = ["z"]
            second.apply(number, 1, event)


def test_events_hold_what_was_decided():
    first, _ = two_replicas(holdout=0.5, control="z")
    event = first.decide(2, 1, DecideCommand(HELD_OUT + BY_POLICY, "r", "ann"))
    assert (event.arms[0], event.chances[0], event.request_id, event.unit) == ("z", 1.0, "r", "ann")
    assert logged(2, 1, event, "").body.startswith('{"ways": "hp", "ids": ["abcdh-1", "abcd-1"]')
