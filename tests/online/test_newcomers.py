"""An arm that was added gets at most its fair share of decisions until its first outcome."""

import copy
import math

import pytest

import lowbid
from lowbid import Bandit, policies
from lowbid._compile import compiling
from lowbid.errors import InvalidValueError
from lowbid.online._newcomers import Newcomers, Share

DEFAULTS = [getattr(policies, name).variants()[0] for name in policies.__all__]
MEANS = {"a": 0.2, "b": 0.5, "c": 0.6, "d": 0.7}


def settled(policy, outcomes=400):
    bandit = Bandit(list(MEANS), policy, seed=3, horizon=4000)
    for i in range(outcomes):
        arm = bandit.select()
        bandit.update(arm, loss=float(i * 0.618034 % 1.0 < MEANS[arm]))
    return bandit


@pytest.mark.parametrize("policy", DEFAULTS, ids=lambda policy: policy.name)
def test_a_burst_without_outcomes_does_not_herd_on_a_new_arm(policy):
    with compiling("never"):
        bandit = settled(policy)
        bandit.add_arm("new")
        burst, share = 200, 2 / len(MEANS)
        chosen = [decision.arm for decision in bandit.decide(burst)]
    assert chosen.count("new") <= burst * share + 3 * math.sqrt(burst * share * (1 - share))


def test_explain_says_what_is_left_out_until_its_first_outcome():
    with compiling("never"):
        bandit = settled(lowbid.UCB1(), 100)
        bandit.add_arm("new")
        assert bandit.explain().winners == ["new"]
        first = bandit.decide()
        assert first.arm == "new"
        before = bandit.to_json()
        explanation = bandit.explain()
        assert [arm.arm for arm in explanation.arms if arm.left_out] == ["new"]
        assert "new" not in explanation.winners
        assert "left out" in str(explanation)
        assert bandit.to_json() == before
        assert [each.arm == "new" for each in bandit.decide(5)] == [False] * 4 + [True]
        assert bandit.arms == ["a", "b", "c", "d", "new"]
        bandit.update(first, loss=0.0)
        assert not any(arm.left_out for arm in bandit.explain().arms)
        assert "left out" not in str(bandit.explain())


def test_two_new_arms_keep_their_places_and_a_saved_bandit_its_counts():
    with compiling("never"):
        bandit = settled(lowbid.UCB1(), 100)
        bandit.add_arm("new")
        bandit.add_arm("newer")
        bandit.decide(7)
        again = Bandit.from_json(bandit.to_json())
        for one in (bandit, again):
            assert one.arms == ["a", "b", "c", "d", "new", "newer"]
        chosen = [[each.arm for each in one.decide(30)] for one in (bandit, again)]
    assert chosen[0] == chosen[1]
    assert chosen[0].count("new") == chosen[0].count("newer") == 5


@pytest.mark.parametrize("policy", [lowbid.UCB1(), lowbid.BetaThompson()], ids=str)
def test_without_pending_decisions_nothing_is_left_out(policy, monkeypatch):
    with compiling("never"):
        plain, fair = settled(policy, 50), settled(policy, 50)
        plain.add_arm("new")
        fair.add_arm("new")
        chosen = [[], []]
        for bandit, arms in zip((plain, fair), chosen, strict=True):
            if bandit is plain:
                monkeypatch.setattr(Newcomers, "left_out", lambda *_: [])
            else:
                monkeypatch.undo()
            for i in range(200):
                decision = bandit.decide()
                arms.append(decision.arm)
                bandit.update(decision, loss=float(i % 3 == 0))
    assert chosen[0] == chosen[1]


def test_shares_are_counted_while_an_arm_can_be_chosen():
    newcomers = Newcomers()
    newcomers.welcome("new")
    newcomers.count("new", ["a", "new"])
    assert newcomers.left_out(["a", "new"]) == ["new"]
    assert newcomers.left_out(["new"]) == []  # never all
    newcomers.count("a", ["a"])  # paused
    assert newcomers.left_out(["a", "new"]) == ["new"]
    newcomers.count("a", ["a", "new"])
    assert newcomers.left_out(["a", "new"]) == []
    assert newcomers == {"new": Share(1, 2)}
    other = copy.deepcopy(newcomers)
    other.merge(newcomers, ["new"])
    assert other == {"new": Share(2, 4)}
    other.merge(newcomers, [])
    assert other == {}


@pytest.mark.parametrize("row", [["x", 0, 1], ["a", 2, 1], ["a", -1, 1], ["a", 0, 0.5]], ids=str)
def test_saved_counts_that_cannot_be_are_refused(row):
    assert Newcomers.from_data({"newcomers": [["a", 1, 2]]}, ["a"]) == {"a": Share(1, 2)}
    with pytest.raises(InvalidValueError):
        Newcomers.from_data({"newcomers": [row]}, ["a"])
