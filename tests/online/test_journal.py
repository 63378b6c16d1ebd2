"""Changes are passed on, and counted once by everyone."""

import copy
import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowbid
from lowbid import Bandit
from lowbid.errors import InvalidValueError, LowbidError, UnknownNameError
from online_play import ENSEMBLE, Listener

ARMS = ["a", "b", "c"]


def worker(seed=0, policy=ENSEMBLE, arms=ARMS, **options):
    return Bandit(arms, policy, seed=seed, keep_changes=True, **options)


def sent(bandit):
    """Changes after a journey as JSON."""
    return json.loads(json.dumps(bandit.changes()))


def exchange(*bandits):
    """Everyone applies what everyone hands over, their own included."""
    parcels = [sent(bandit) for bandit in bandits]
    for bandit in bandits:
        for parcel in parcels:
            bandit.apply(parcel)


@pytest.mark.parametrize("policy", [ENSEMBLE, lowbid.UCB1(), lowbid.LBSDA()], ids=str)
def test_a_pool_brings_its_bandits_together_again_and_again(policy):
    pool = [worker(seed, policy) for seed in range(3)]
    values = []
    for _ in range(4):
        for number, bandit in enumerate(pool):
            for i in range(10):
                arm, loss = bandit.select(), (3 * i + number) % 7 / 8
                bandit.update(arm, loss=loss)
                values.append((arm, loss))
        exchange(*pool)
        for bandit in pool:
            everything = {arm: [x for other, x in values if other == arm] for arm in ARMS}
            assert bandit.counts() == {arm: len(x) for arm, x in everything.items()}
            assert bandit.means() == pytest.approx(
                {arm: sum(x) / len(x) for arm, x in everything.items() if x}, nan_ok=True
            )
            assert bandit.step == len(values) + 1


def test_what_was_applied_is_what_the_policy_would_have_been_told():
    here, there = worker(), Bandit(ARMS, ENSEMBLE, seed=0)
    for i in range(30):
        here.update(ARMS[i % 3], loss=(7 * i % 10) / 10)
    there.apply(here.changes())
    twin = Bandit(ARMS, ENSEMBLE, seed=0)
    for i in range(30):
        twin.update(ARMS[i % 3], loss=(7 * i % 10) / 10)
    assert there.select() == twin.select()
    for ours, theirs in zip(there.state.batches, twin.state.batches, strict=True):
        assert ours.tolist() == theirs.tolist()


def test_changes_are_counted_once_however_often_they_are_applied():
    here, there = worker(), Bandit(ARMS, ENSEMBLE)
    here.update_many(ARMS, losses=[0.25, 0.5, 0.75])
    changes = here.changes()
    assert there.apply(changes) == 3
    assert there.apply(changes) == 0
    assert here.apply(changes) == 0  # its own
    assert here.changes()["parts"] == []
    here.update("a", loss=1.0)
    assert there.apply(here.changes()) == 1
    assert there.counts() == here.counts() == {"a": 2, "b": 1, "c": 1}


@pytest.mark.parametrize(
    "copied",
    [
        lambda bandit: Bandit.from_json(bandit.to_json(), keep_changes=True),
        lambda bandit: copy.deepcopy(bandit),
        lambda bandit: pickle.loads(pickle.dumps(bandit)),
    ],
    ids=["json", "deepcopy", "pickle"],
)
def test_a_common_past_counts_once(copied):
    past = worker()
    past.update_many(ARMS * 5, losses=[0.5] * 15)
    past.decide(2)
    pool = [copied(past) for _ in range(3)]
    waiting = sent(pool[0])  # what the past had not handed over yet
    assert len(waiting["parts"][0]["events"]) == 17
    for bandit in pool:
        assert bandit.apply(waiting) == 0
        bandit.update(bandit.select(), loss=0.25)
        bandit.update(bandit.decide(), loss=0.25)
    exchange(*pool)
    for bandit in pool:
        assert sum(bandit.counts().values()) == 15 + 6
        assert len(bandit.pending()) == 2
        assert bandit.step == past.step + 6
    assert len({decision.id for bandit in pool for decision in bandit.decide(3)}) == 9


def test_a_decision_may_be_answered_elsewhere():
    here, there, third = worker(), worker(1), worker(2)
    first, second, given_up = here.decide(3)
    exchange(here, there, third)
    assert there.pending() == third.pending() == [first, second, given_up]
    assert there.update(first, loss=0.5) is None
    assert third.update(second, loss=0.25) is None
    assert third.forget(given_up) is None
    exchange(here, there, third)
    for bandit in (here, there, third):
        assert bandit.pending() == []
        assert sum(bandit.counts().values()) == 2
        assert bandit.state.batches.pending.tolist() == [0, 0, 0]
        assert bandit.update(first, loss=0.5) == "closed"


def test_an_outcome_that_two_report_counts_once_for_each_bandit():
    here, there = worker(), worker(1)
    decision = here.decide()
    exchange(here, there)
    here.update(decision, loss=0.5)
    there.update(decision, loss=0.5)
    exchange(here, there)
    assert sum(here.counts().values()) == sum(there.counts().values()) == 1


@pytest.mark.parametrize("how", ["update", "forget"])
def test_an_answer_may_come_before_its_decision(how):
    here, there, third = worker(), worker(1), worker(2, Listener())
    decision = here.decide()
    made = sent(here)
    there.apply(made)
    answered = there.update(decision, loss=0.5) if how == "update" else there.forget(decision)
    assert answered is None
    third.apply(sent(there))
    assert sum(third.counts().values()) == (how == "update")
    third = Bandit.from_json(third.to_json(), policy=Listener())
    third.apply(made)
    assert third.pending() == []
    assert third.state.held.tolist() == [0, 0, 0]
    assert sum(third.counts().values()) == (how == "update")
    assert third.step == 1 + (how == "update")
    assert third.update(decision, loss=0.5) == "closed"


def test_an_answer_that_two_give_before_its_decision_comes_counts_once():
    here, there, third, fourth = (worker(seed) for seed in range(4))
    decision = here.decide()
    made = sent(here)
    for bandit in (there, third):
        bandit.apply(made)
        bandit.update(decision, loss=0.5)
        fourth.apply(sent(bandit))
    fourth.apply(made)
    assert sum(fourth.counts().values()) == 1
    assert fourth.step == 2


def test_what_concerns_removed_and_paused_arms():
    here, there = worker(), worker(1, Listener())
    there.pause_arm("a")
    there.remove_arm("b")
    decisions = here.decide(6)
    here.update_many(["a", "b", "c"], losses=[0.5, 0.5, 0.5])
    there.apply(sent(here))
    assert there.counts() == {"c": 1, "a": 1}
    assert {decision.arm for decision in there.pending()} <= {"a", "c"}
    for decision in decisions:
        here.update(decision, loss=0.25)
    there.apply(sent(here))
    assert there.pending() == []
    assert there.counts() == {arm: here.counts()[arm] for arm in ("c", "a")}
    there.resume_arm("a")
    assert there.state.held.tolist() == [0, 0]


def test_a_gap_is_seen_and_nothing_is_taken_in():
    here, there = worker(), Bandit(ARMS, ENSEMBLE)
    here.update("a", loss=0.5)
    lost = here.changes()
    here.update("b", loss=0.5)
    later = here.changes()
    unchanged(there, InvalidValueError, later, match="changes 1 to 1 of .* were not applied")
    there.apply(lost)
    there.apply(later)
    assert there.counts() == here.counts()


def unchanged(bandit, error, changes, match=None):
    before, given = bandit.to_json(), copy.deepcopy(changes)
    with pytest.raises(error, match=match):
        bandit.apply(changes)
    assert bandit.to_json() == before
    assert changes == given


def test_changes_that_do_not_fit_are_refused():
    here = worker()
    here.update_many(["a", "b"], losses=[0.5, 3.0])
    changes = here.changes()
    unchanged(Bandit(["a"], ENSEMBLE), UnknownNameError, changes, "arm 'b' is not known")
    narrow = Bandit(ARMS, ENSEMBLE, loss_range=(0.0, 1.0))
    unchanged(narrow, InvalidValueError, changes, "from 0 to 1")
    rewards = Bandit(ARMS, ENSEMBLE, reward_range=(0.0, 10.0))
    unchanged(rewards, InvalidValueError, changes, "takes rewards, but got a loss")
    with pytest.raises(InvalidValueError, match="keep_changes=True"):
        narrow.changes()


@pytest.mark.parametrize(
    "edit",
    [
        lambda c: None,
        lambda c: [],
        lambda c: "changes",
        lambda c: {},
        lambda c: {**c, "format": "other"},
        lambda c: {**c, "format_version": 2},
        lambda c: {**c, "kind": "cost"},
        lambda c: {**c, "kind": None},
        lambda c: {**c, "parts": 3},
        lambda c: {**c, "parts": [{"origin": "x"}]},
        lambda c: {**c, "parts": [{"origin": "x", "first": 0, "events": []}]},
        lambda c: with_event(["told", "a", 0.5]),
        lambda c: with_event(["measured", "a"]),
        lambda c: with_event(["measured", "a", "much"]),
        lambda c: with_event(["measured", "a", float("nan")]),
        lambda c: with_event(["measured", ["a"], 0.5]),
        lambda c: with_event(["outcome", "no number", "a", 0.5]),
        lambda c: with_event(["outcome", "w-1", "a", None]),
        lambda c: with_event(["decided", 3, "a"]),
        lambda c: with_event(["decided", f"w-{'9' * 30}", "a"]),
        lambda c: with_event([]),
        lambda c: with_event(7),
    ],
)
def test_what_are_not_changes_is_refused(edit):
    here = worker()
    here.update("a", loss=0.5)
    unchanged(Bandit(ARMS, ENSEMBLE), LowbidError, edit(here.changes()))


def with_event(event):
    good = ["measured", "b", 0.5]
    parts = [{"origin": "w", "first": 1, "events": [good, event]}]
    return {"format": "lowbid-changes", "format_version": 1, "kind": "loss", "parts": parts}


def test_an_answer_for_another_arm_than_was_decided_goes_to_the_one_that_was():
    here, there = worker(), Bandit(ARMS, ENSEMBLE)
    decision = here.decide()
    there.apply(here.changes())
    other = next(arm for arm in ARMS if arm != decision.arm)
    there.apply(with_event(["outcome", decision.id, other, 0.5]))
    assert there.counts()[decision.arm] == 1 + (decision.arm == "b")
    assert there.pending() == []


def test_what_waits_to_be_handed_over_is_saved(tmp_path):
    here, there = worker(), Bandit(ARMS, ENSEMBLE)
    here.update("a", loss=0.5)
    here.save(tmp_path / "worker.json")
    restored = Bandit.load(tmp_path / "worker.json")
    restored.update("b", loss=0.5)
    parts = sent(restored)
    assert [part["first"] for part in parts["parts"]] == [1, 1]  # two origins
    there.apply(parts)
    there.apply(sent(here))  # the process that was thought dead reports the same
    assert there.counts() == {"a": 1, "b": 1, "c": 0}
    quiet = Bandit.from_json(restored.to_json(), keep_changes=False)
    with pytest.raises(InvalidValueError, match="does not keep"):
        quiet.changes()
    twin = Bandit.from_json(restored.to_json())
    assert Bandit.from_json(twin.to_json()).counts() == twin.counts()


def test_copies_that_do_nothing_leave_no_trace():
    """A worker may be restored every minute for years."""
    bandit = worker()
    bandit.decide()
    for _ in range(20):
        bandit = Bandit.from_json(bandit.to_json())
    assert len(json.loads(bandit.to_json())["decisions"]["words"]) == 2


def test_a_merge_counts_as_applied():
    here, there = worker(), Bandit(ARMS, ENSEMBLE, seed=1)
    here.update("a", loss=0.5)
    there.merge(here)
    assert there.apply(here.changes()) == 0
    here.update("b", loss=0.5)
    assert there.apply(here.changes()) == 1
    assert there.counts() == {"a": 1, "b": 1, "c": 0}


def test_rewards_are_handed_over_in_the_callers_unit():
    here = worker(reward_range=(-20.0, 100.0))
    there = Bandit(ARMS, lowbid.UCB1(), reward_range=(-20.0, 100.0))
    here.update_many(["a", "b"], rewards=[35.0, -20.0])
    there.apply(sent(here))
    assert there.means()["a"] == 35.0
    assert there.means()["b"] == -20.0


@settings(max_examples=60, deadline=None)
@given(
    calls=st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["update", "decide", "answer", "exchange"])),
        max_size=40,
    )
)
def test_in_whatever_order_everyone_ends_with_the_same_counts(calls):
    pool = [worker(seed, Listener()) for seed in range(4)]
    parcels = []
    for number, call in calls:
        bandit = pool[number]
        if call == "update":
            bandit.update(ARMS[len(parcels) % 3], loss=0.5)
        elif call == "decide":
            bandit.decide()
        elif call == "answer" and bandit.pending():
            bandit.update(bandit.pending()[0], loss=0.5)
        elif call == "exchange":
            parcels.append(sent(bandit))
            deliver(parcels, number, bandit)
    parcels += [sent(bandit) for bandit in pool]
    for number, bandit in enumerate(pool):
        deliver(parcels, number, bandit)
    open_now = [{decision.id for decision in bandit.pending()} for bandit in pool]
    for bandit, still_open in zip(pool, open_now, strict=True):
        assert still_open == open_now[0]
        assert bandit.counts() == pool[0].counts()
        assert bandit.state.held.sum() == len(still_open)
        assert bandit.step == pool[0].step


def deliver(parcels, number, bandit):
    """Apply what was sent, the parcels of one sender in order, the senders in any."""
    senders = {}
    for parcel in parcels:
        for part in parcel["parts"]:
            senders.setdefault(part["origin"], []).append(parcel)
    for origin in sorted(senders, reverse=number % 2 == 1):
        for parcel in senders[origin]:
            bandit.apply(parcel)
