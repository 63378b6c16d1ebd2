import math
import random

import pytest

import lowbid
from lowbid.errors import InvalidValueError
from lowbid.shared._holdout import is_held_out


def test_units_keep_their_arm(url):
    bandit = lowbid.open(url, "b", 5, lowbid.UniformPlay(), sticky=True, reward_range=(0, 1))
    first = {f"c{i}": bandit.decide(unit=f"c{i}") for i in range(20)}
    assert len({each.arm for each in first.values()}) > 1
    again = {unit: bandit.decide(unit=unit) for unit in first}
    assert {u: d.arm for u, d in first.items()} == {u: d.arm for u, d in again.items()}
    assert {each.way for each in first.values()} == {"policy"}
    assert {(each.way, each.propensity) for each in again.values()} == {("sticky", 1.0)}
    assert len({each.id for each in [*first.values(), *again.values()]}) == 40
    burst = bandit.decide(4, unit="new")
    assert len({each.arm for each in burst}) == 1


def test_units_keep_their_arm_for_a_time(url, clock):
    bandit = lowbid.open(url, "b", 50, lowbid.UniformPlay(), sticky="1d")
    first = bandit.decide(unit="c")
    clock.seconds += 86399
    assert bandit.decide(unit="c").arm == first.arm
    clock.seconds += 1
    later = bandit.decide(unit="c")
    assert later.way == "policy"
    assert bandit.decide(unit="c").arm == later.arm


def test_a_unit_whose_arm_is_paused_gets_another_one(url):
    bandit = lowbid.open(url, "b", ["x", "y"], sticky=True)
    first = bandit.decide(unit="c")
    bandit.pause_arm(first.arm)
    second = bandit.decide(unit="c")
    assert second.arm != first.arm
    bandit.resume_arm(first.arm)
    assert bandit.decide(unit="c").arm == second.arm


def test_sticky_decisions_are_learned_from(url):
    bandit = lowbid.open(url, "b", ["x", "y"], sticky=True, reward_range=(0, 1))
    arm = bandit.decide(unit="c").arm
    for _ in range(3):
        bandit.update(bandit.decide(unit="c"), reward=1.0)
    assert bandit.counts()[arm] == 3


def test_the_holdout_gets_the_control_and_is_not_learned_from(url):
    settings = {"seed": 3, "reward_range": (0, 1)}
    bandit = lowbid.open(url, "b", ["x", "y"], holdout=0.3, control="y", **settings)
    plain, held = lowbid.Bandit(["x", "y"], **settings), 0
    for number in range(200):
        unit = f"c{number % 120}"
        decision = bandit.decide(unit=unit)
        reward = 0.2 if decision.arm == "x" else 0.9
        assert (decision.way == "holdout") == is_held_out(unit, 3, 0.3)
        if decision.way == "holdout":
            held += 1
            assert (decision.arm, decision.propensity) == ("y", 1.0)
        else:
            own = plain.decide()
            assert own.arm == decision.arm
            plain.update(own, reward=reward)
        assert bandit.update(decision, reward=reward) is None
        assert bandit.update(decision, reward=reward) == "repeated"
    assert bandit.means() == plain.means()
    assert bandit.counts() == plain.counts()
    assert bandit.lift().held_out_count == held == bandit.summary().held_out
    assert bandit.lift().held_out == pytest.approx(0.9)
    with pytest.raises(InvalidValueError, match="control"):
        bandit.remove_arm("y")


def test_the_share_of_the_holdout_is_the_share_that_was_asked_for():
    held = sum(is_held_out(f"unit {number}", 7, 0.05) for number in range(20_000))
    assert abs(held - 1000) < 4 * math.sqrt(20_000 * 0.05 * 0.95)


def test_without_units_each_decision_is_its_own(url):
    bandit = lowbid.open(url, "b", 2, holdout=0.25, control=1, reward_range=(0, 1))
    ways = [each.way for each in bandit.decide(400)]
    assert abs(ways.count("holdout") - 100) < 4 * math.sqrt(400 * 0.25 * 0.75)
    ids = bandit.decide(3, request_id="r")
    assert bandit.decide(3, request_id="r") == ids


def test_lift_tells_a_better_policy_from_its_control(url):
    chance = random.Random(1)
    bandit = lowbid.open(
        url, "b", ["x", "y"], holdout=0.5, control="x", reward_range=(0, 1), seed=1
    )
    nothing = bandit.lift()
    assert math.isnan(nothing.difference)
    assert nothing.verdict == "undecided"
    for _ in range(40):
        decisions = bandit.decide(50)
        rates = {"x": 0.2, "y": 0.8}
        bandit.update_many(
            decisions, rewards=[float(chance.random() < rates[each.arm]) for each in decisions]
        )
    lift = bandit.lift()
    assert lift.verdict == "better"
    assert lift.low < lift.difference < lift.high
    assert lift.low < 0.6 < lift.high + 0.1
    assert lift.decided == pytest.approx(lift.held_out + lift.difference)


def test_bandits_with_the_same_seed_hold_out_the_same_units(url):
    def ways(name, seed):
        bandit = lowbid.open(url, name, ["x", "y"], seed=seed, holdout=0.5, control="x")
        return [bandit.decide(unit=f"unit {number}").way for number in range(40)]

    assert ways("one", 0) == ways("two", 0) != ways("three", 1)


def test_a_paused_control_is_still_shown_to_the_holdout(url):
    bandit = lowbid.open(url, "b", ["x", "y"], holdout=0.5, control="x")
    bandit.pause_arm("x")
    decisions = bandit.decide(40)
    assert {(each.way, each.arm) for each in decisions} == {("holdout", "x"), ("policy", "y")}
