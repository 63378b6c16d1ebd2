"""Top two: as the formula says, and as fast as was measured."""

import math

import numpy as np
import pytest

import lowbid
from lowbid import Bandit, TopTwo
from lowbid._random import integer
from lowbid.errors import InvalidValueError
from naive.evidence import above, above_without_range, pair
from naive.rules import makes_the_same_choices


def first_by_lot(values, stream):
    """Where the lowest value is; of several, each is taken with the same probability."""
    best, tied = 0, 1
    for i in range(1, len(values)):
        if values[i] < values[best]:
            best, tied = i, 1
        elif values[i] == values[best] != math.inf:
            tied += 1
            best = i if integer(stream, tied) == 0 else best
    return best


def naive(rule, usable):
    """The rule, written out; `usable` losses are needed before there is evidence."""
    looked = {"until": 0.0, "pair": None}

    def choose(losses, step, stream):
        plays = [len(x) for x in losses]
        if min(plays) < 2:
            tied = [arm for arm, n in enumerate(plays) if n == min(plays)]
            return tied[integer(stream, len(tied)) if len(tied) > 1 else 0]
        if sum(plays) >= looked["until"]:
            gains = [[-x if rule is above_without_range else 1.0 - x for x in xs] for xs in losses]
            means = [sum(x) / len(x) for x in gains]
            leader = first_by_lot(
                [(-mean, -n) for mean, n in zip(means, plays, strict=True)], stream
            )

            def weight(arm):
                enough = min(plays[arm], plays[leader]) >= usable
                better = means[leader] > means[arm]
                found = pair(gains[leader], gains[arm], rule=rule) if enough and better else 0.0
                return max(found, 0.0) + math.log(plays[arm])

            weights = [math.inf if arm == leader else weight(arm) for arm in range(len(means))]
            pair_now = leader, first_by_lot(weights, stream)
            looked.update(pair=pair_now, until=1.01 * sum(plays) + 1.0)
        return looked["pair"][integer(stream, 2)]

    return choose


def test_it_follows_the_naive_rule():
    arms = lowbid.Bernoulli([0.2, 0.5, 0.9])
    makes_the_same_choices(TopTwo(low=0.0, high=1.0), arms, naive(above, 1), horizon=60)
    arms = lowbid.Uniform(0.0, [0.5, 0.9, 1.0])
    makes_the_same_choices(TopTwo(), arms, naive(above_without_range, 50), horizon=180)


def test_its_propensities_are_exact():
    policy = TopTwo(low=0.0, high=1.0)
    _, state = policy.start(4)
    assert policy.chance(state, 1, 2) == 0.25
    state.sums[:, 0] = 5.0
    state.newcomers[0] = 0
    state.pair[:] = 3, 1
    assert policy.chance(state, 21, 3) == policy.chance(state, 21, 1) == 0.5


def test_a_burst_is_split_among_young_arms_and_then_by_coins():
    bandit = Bandit(["a", "b", "c"], TopTwo(), seed=0, reward_range=(0, 1))
    first = [decision.arm for decision in bandit.decide(60)]
    assert all(abs(first.count(arm) - 20) <= 1 for arm in "abc")  # no outcome is known
    other = Bandit(["a", "b"], TopTwo(), seed=0, reward_range=(0, 1))
    for i in range(200):
        other.update("a", reward=float(i % 2))
        other.update("b", reward=float(i % 4 == 0))
    other.add_arm("new")
    burst = [decision.arm for decision in other.decide(100)]
    assert burst[:2] == ["new", "new"]
    assert burst.count("new") < 70  # its pending plays count, but it has no outcome yet


def test_with_one_arm_there_is_nothing_to_choose():
    bandit = Bandit(["a"], TopTwo(), reward_range=(0, 1))
    for _ in range(9):
        assert bandit.select() == "a"
        bandit.update("a", reward=0.5)


def test_it_is_sooner_sure_than_uniform_play():
    """Half of the decisions: 3,330 against 6,900 with standard deviations of 700 and 2,900."""
    means, steps = [0.7, 0.6, *[0.5] * 6], {}
    for policy in (TopTwo(), lowbid.UniformPlay()):
        steps[policy.name] = []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            bandit = Bandit(8, policy, seed=seed, reward_range=(0, 1), confidence=0.9)
            while bandit._core.verdicts.kept is None:
                arm = bandit.select()
                bandit.update(arm, reward=float(rng.random() < means[arm]))
            assert bandit.recommend().arm == 0
            steps[policy.name].append(bandit.step)
    assert np.mean(steps["TopTwo"]) < 0.8 * np.mean(steps["UniformPlay"])


def test_two_bandits_merge():
    one, other = (Bandit(["a", "b"], TopTwo(), seed=0, reward_range=(0, 1)) for _ in range(2))
    for bandit in (one, other):
        bandit.update_many(["a", "b"] * 30, rewards=[1.0, 0.0] * 30)
    one.merge(other)
    assert one.counts() == {"a": 60, "b": 60}
    assert one.select() in ("a", "b")


@pytest.mark.parametrize("recheck", [-0.1, math.nan, "often"])
def test_refuses_what_is_no_part(recheck):
    with pytest.raises(InvalidValueError, match="recheck is"):
        TopTwo(recheck=recheck)
