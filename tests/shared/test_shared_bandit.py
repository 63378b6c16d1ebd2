import enum
import json
import multiprocessing
import os
import random
import threading

import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.shared.stores._sql import SQLTransaction
from shared_replay import replayed


def state_of(bandit):
    """All that the policy knows, without the words that decisions are called by."""
    saved = json.loads(bandit.to_json())
    return {name: saved[name] for name in saved if name not in ("decisions", "checksum")}


def play(bandit, seed, calls):
    """Random calls of every kind."""
    chance, open_decisions = random.Random(seed), []
    for _ in range(calls):
        what = chance.random()
        if what < 0.5:
            open_decisions += bandit.decide(chance.randint(1, 3))
        elif what < 0.6 and open_decisions:
            bandit.forget(open_decisions.pop(chance.randrange(len(open_decisions))))
        elif open_decisions:
            chosen = [open_decisions.pop() for _ in range(min(2, len(open_decisions)))]
            bandit.update_many(chosen, rewards=[chance.random() for _ in chosen])
        elif what < 0.95:
            bandit.update(bandit.arms[0], reward=chance.random())


def test_the_example_of_the_readme(any_url):
    bandit = lowbid.open(any_url, "checkout", arms=["blue", "green"], reward_range=(0, 1))
    decision = bandit.decide(request_id="visit-4711")
    assert decision.arm in ("blue", "green")
    assert bandit.update(decision, reward=1.0) is None
    assert bandit.update(decision, reward=1.0) == "repeated"
    assert bandit.counts()[decision.arm] == 1
    again = lowbid.open(any_url, "checkout", arms=["blue", "green"], reward_range=(0, 1))
    assert again.decide(request_id="visit-4711") == decision
    assert again.update(decision, reward=0.0) == "conflict"
    assert again.means()[decision.arm] == 1.0


@pytest.mark.parametrize("policy", [None, lowbid.BetaThompson(), lowbid.EpsilonGreedy()])
def test_it_makes_the_choices_of_a_plain_bandit(any_url, policy):
    shared = lowbid.open(any_url, "b", arms=3, policy=policy, seed=4, reward_range=(0, 1))
    play(shared, seed=1, calls=60)
    shared.add_arm("new")
    shared.pause_arm(0)
    play(shared, seed=2, calls=40)
    shared.resume_arm(0)
    shared.remove_arm(1)
    play(shared, seed=3, calls=40)
    plain = replayed(shared, policy=policy, seed=4, reward_range=(0, 1))
    assert state_of(shared) == state_of(plain)


def public(cls):
    return {name for name in dir(cls) if not name.startswith("_")}


def test_everything_that_a_plain_bandit_shows_is_shown():
    files = {"save", "load", "load_or_new", "from_json", "merge"}
    inside = {"select", "state", "parameters", "stream", "capacity"}
    inside |= {"reopen"}  # a fact of its own in the log, which there is not yet
    assert public(lowbid.Bandit) - public(lowbid.SharedBandit) == files | inside


def test_views_are_those_of_a_plain_bandit(url):
    settings = {"policy": lowbid.BatchEnsemble(), "seed": 4, "horizon": 99, "reward_range": (0, 1)}
    shared = lowbid.open(url, "b", 3, **settings)
    play(shared, seed=1, calls=60)
    shared.pause_arm(2)
    plain = replayed(shared, **settings)
    for name in ("arms", "expiry", "horizon", "n_arms", "paused", "policy", "step"):
        assert getattr(shared, name) == getattr(plain, name), name
    for name in ("bids", "counts", "explain", "indices", "intervals", "means", "recommend"):
        assert repr(getattr(shared, name)()) == repr(getattr(plain, name)()), name
    assert [each.arm for each in shared.pending()] == [each.arm for each in plain.pending()]
    assert state_of(shared) == state_of(plain)


def test_two_objects_take_turns(any_url):
    settings = {"seed": 2, "reward_range": (0, 1)}
    first = lowbid.open(any_url, "b", arms=["x", "y", "z"], **settings)
    second = lowbid.open(any_url, "b")
    for turn in range(30):
        play((first, second)[turn % 2], seed=turn, calls=4)
    assert state_of(first) == state_of(second) == state_of(replayed(first, **settings))


def test_a_request_id_gives_its_decision_again(any_url):
    bandit = lowbid.open(any_url, "b", arms=3, reward_range=(0, 1))
    decisions = bandit.decide(3, request_id="r")
    before = bandit.summary().events
    assert bandit.decide(3, request_id="r") == decisions
    assert [each.version for each in bandit.decide(3, request_id="r")] == [1, 1, 1]
    assert bandit.summary().events == before
    with pytest.raises(InvalidValueError, match="another call"):
        bandit.decide(2, request_id="r")


def test_a_repeated_update_of_an_arm_counts_once_by_its_request_id(any_url):
    bandit = lowbid.open(any_url, "b", arms=3, reward_range=(0, 1))
    assert bandit.update(1, reward=0.5, request_id="r") is None
    assert bandit.update(1, reward=0.5, request_id="r") is None
    assert bandit.counts() == {0: 0, 1: 1, 2: 0}


def test_an_outcome_that_came_under_another_request_id_is_repeated(any_url):
    bandit = lowbid.open(any_url, "b", arms=3, reward_range=(0, 1))
    decision = bandit.decide()
    assert bandit.update(decision, reward=0.5, request_id="r") is None
    for other in ("s", None):
        assert bandit.update(decision, reward=0.5, request_id=other) == "repeated"
    assert bandit.update(decision, reward=0.5, request_id="r") is None
    another = bandit.decide()
    for _ in range(2):
        answers = bandit.update_many([another, another], rewards=[1.0, 1.0], request_id="t")
        assert answers == [None, "repeated"]


def test_a_request_id_of_another_unit_is_refused(any_url):
    bandit = lowbid.open(any_url, "b", arms=3, reward_range=(0, 1))
    decision = bandit.decide(unit="ann", request_id="r")
    for other in ({"unit": "bob"}, {}):
        with pytest.raises(InvalidValueError, match="'r' was used for another call"):
            bandit.decide(**other, request_id="r")
    assert bandit.decide(unit="ann", request_id="r") == decision
    assert bandit.decide(1, unit="ann", request_id="r") == [decision]
    with pytest.raises(InvalidValueError, match="another call"):
        bandit.update(decision, reward=1.0, request_id="r")
    assert bandit.summary().events == 2


def test_a_request_id_of_another_outcome_is_refused(any_url):
    bandit = lowbid.open(any_url, "b", arms=["x", "y"], reward_range=(0, 1))
    one, two = bandit.decide(2)
    assert bandit.update(one, reward=1, request_id="r") is None
    assert bandit.update(one, reward=np.float64(1.0), request_id="r") is None
    for what, reward in [(two, 1.0), (one, 0.0), (one.arm, 1.0), (one.id, 1.0)]:
        with pytest.raises(InvalidValueError, match="'r' was used for another call"):
            bandit.update(what, reward=reward, request_id="r")
    with pytest.raises(InvalidValueError, match="another call"):
        bandit.decide(request_id="r")
    assert bandit.pending() == [two]
    assert bandit.update(two, reward=0.0, request_id="s") is None


def test_a_request_id_of_outcomes_is_none_of_decisions(any_url):
    bandit = lowbid.open(any_url, "b", arms=["x", "y"], reward_range=(0, 1))
    bandit.decide(unit="ann", request_id="r")
    bandit.update("x", reward=1.0, request_id="s")
    for count in (2, 3):
        with pytest.raises(InvalidValueError, match="another call"):
            bandit.decide(count, request_id="r")
    with pytest.raises(InvalidValueError, match="another call"):
        bandit.update("x", reward=1.0, request_id="r")
    with pytest.raises(InvalidValueError, match="another call"):
        bandit.decide(request_id="s")


def test_outcomes_are_answered_one_by_one(any_url):
    bandit = lowbid.open(any_url, "b", arms=["x", "y"], reward_range=(0, 1))
    one, two, three, four = bandit.decide(4)
    bandit.forget(two)
    bandit.update(one, reward=0.25)
    ids = [one.id, one.id, two.id, three.id, three.id, "no-1", f"{one.id}0"]
    answers = bandit.answer(ids, rewards=[0.25, 0.5, 0.5, 1.0, 1.0, 0.0, 0.0])
    assert answers == ["repeated", "conflict", "late", None, "repeated", "unknown", "unknown"]
    bandit.remove_arm(four.arm)
    assert bandit.answer([four.id], rewards=[1.0]) == ["removed"]


@pytest.mark.parametrize("opened_again", [False, True])
def test_ids_that_cannot_be_ours_are_unknown(any_url, opened_again, monkeypatch):
    bandit = lowbid.open(any_url, "b", arms=["x", "y"], reward_range=(0, 1))
    known = bandit.decide().id
    bandit.answer([known], rewards=[1.0])
    if opened_again:
        bandit.close()
        bandit = lowbid.open(any_url, "b")
    looked_up, recall = [], SQLTransaction.recall
    monkeypatch.setattr(
        SQLTransaction, "recall", lambda *given: looked_up.append(given[3]) or recall(*given)
    )
    word, _, number = known.rpartition("-")
    alike = [f"{word}-0{number}", f"{word}-0", f"{word}-{number}\0", f"{word}\0-{number}"]
    odd = ["a\0b", "\ud800", "x" * 10_000_000, "", "-", "-1", f"{word}-", f"{word}-\u0661", *alike]
    ids = [*odd, known, None, 7]
    answers = bandit.answer(ids, rewards=[1.0] * len(ids))
    assert answers == [*["unknown"] * len(odd), "repeated", "unknown", "unknown"]
    assert looked_up == [[known]] * 2  # nothing else reached the store
    for each in odd:
        assert bandit.update(lowbid.Decision("x", each), reward=1.0) == "unknown"
        assert bandit.forget(lowbid.Decision("x", each)) == "unknown"


def test_a_number_of_decisions_that_would_never_end_is_refused(url):
    bandit = lowbid.open(url, "b", arms=2)
    for n in (100_001, 10**9, 10**30):
        with pytest.raises(InvalidValueError, match=f"n is {n}; give at most 100000"):
            bandit.decide(n)
    assert bandit.summary().decisions == 0


def test_many_are_taken_or_none(any_url):
    bandit = lowbid.open(any_url, "b", arms=["x", "y"], reward_range=(0, 1))
    one, two = bandit.decide(2)
    before = bandit.summary().events
    for what in ([one, two], [one, "no arm"]):
        with pytest.raises((InvalidValueError, UnknownNameError)):
            bandit.update_many(what, rewards=[1.0, 2.0 if what[1] == two else 1.0])
    with pytest.raises(InvalidValueError, match="not 'w'"):
        bandit.update(lowbid.Decision("w", one.id), reward=1.0)
    with pytest.raises(InvalidValueError, match="takes rewards"):
        bandit.update(one, loss=1.0)
    assert bandit.summary().events == before
    assert bandit.pending() == [one, two]
    assert bandit.update_many([one, two, one], rewards=[1.0, 0.5, 1.0]) == [None, None, "repeated"]


@pytest.mark.parametrize(
    "change",
    [
        lambda bandit: bandit.add_arm("x"),
        lambda bandit: bandit.add_arm(None),
        lambda bandit: bandit.remove_arm("w"),
        lambda bandit: bandit.pause_arm(3.5),
        lambda bandit: bandit.change(seed=3),
        lambda bandit: bandit.change(window="soon"),
        lambda bandit: bandit.change(if_silent=0.0),
        lambda bandit: bandit.change(holdout=0.1, control="w"),
        lambda bandit: bandit.decide(-1),
        lambda bandit: bandit.decide(unit=7),
        lambda bandit: bandit.decide(request_id=""),
        lambda bandit: bandit.decide(request_id="\ud800"),
        lambda bandit: bandit.update("x", 1.0),
        lambda bandit: bandit.update("w", reward=1.0),
        lambda bandit: bandit.update("x", reward=float("nan")),
        lambda bandit: bandit.forget("x"),
        lambda bandit: bandit.lift(confidence=2.0),
    ],
)
def test_what_is_refused_changes_nothing(any_url, change):
    bandit = lowbid.open(any_url, "b", arms=["x", "y"], reward_range=(0, 1))
    bandit.update(bandit.decide(), reward=1.0)
    before = bandit.summary().events, state_of(bandit)
    with pytest.raises((InvalidValueError, UnknownNameError)):
        change(bandit)
    assert (bandit.summary().events, state_of(bandit)) == before


def test_changes_are_in_the_history_with_who_made_them(any_url):
    bandit = lowbid.open(any_url, "b", arms=["x", "y"], actor="ann")
    bandit.add_arm("z", actor="bo")
    bandit.change(sticky=True, actor="cy")
    bandit.archive(actor="di")
    assert [change.get("actor") for change in bandit.history()] == ["ann", "bo", "cy", "di"]
    assert bandit.history()[1]["arm"] == "z"
    with pytest.raises(InvalidValueError, match="archived"):
        bandit.decide()
    bandit.archive(False)
    assert bandit.decide().arm in ("x", "y", "z")


def test_threads_go_into_one_commit(any_url):
    bandit = lowbid.open(any_url, "b", arms=3, reward_range=(0, 1), seed=1)

    def work(number):
        for turn in range(10):
            decision = bandit.decide(request_id=f"{number}-{turn}")
            assert bandit.update(decision, reward=0.5) is None

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(bandit.counts().values()) == 80
    assert max(bandit.commit_sizes) > 1
    assert state_of(bandit) == state_of(replayed(bandit, seed=1, reward_range=(0, 1)))


def _play_in_a_process(url, number):
    bandit = lowbid.open(url, "b")
    play(bandit, seed=number, calls=25)
    os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
def test_eight_processes_make_the_choices_of_one(any_url):
    settings = {"seed": 5, "reward_range": (0, 1)}
    bandit = lowbid.open(any_url, "b", arms=["x", "y", "z"], **settings)
    bandit.update(bandit.decide(), reward=0.5)
    context = multiprocessing.get_context("fork")
    processes = [
        context.Process(target=_play_in_a_process, args=(any_url, number)) for number in range(8)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert bandit.summary().events > 100
    assert state_of(bandit) == state_of(replayed(bandit, **settings))


class Colour(enum.StrEnum):
    BLUE = "blue"
    GREEN = "green"


@pytest.mark.parametrize(
    ("arms", "named"), [(2, np.int64), (["blue", "green"], Colour)], ids=["numpy", "enum"]
)
def test_names_of_arms_may_be_of_another_type(url, arms, named):
    bandit = lowbid.open(url, "b", arms=arms, reward_range=(0, 1))
    arm, identity = bandit.decide()
    assert bandit.update(lowbid.Decision(named(arm), identity), reward=1.0) is None
    assert bandit.update(named(arm), reward=0.0) is None
    bandit.pause_arm(named(arm))
    bandit.resume_arm(named(arm))
    late = bandit.decide()
    bandit.remove_arm(named(late.arm))
    assert bandit.update(lowbid.Decision(named(late.arm), late.id), reward=1.0) == "removed"
    logged = [entry.fields.get("arm") for entry in bandit.log()]
    assert all(type(each) in (str, int) for each in logged if each is not None)
    assert bandit.means().get(arm, 0.5) == 0.5


def test_an_outcome_for_another_arm_than_the_decision_s(url):
    bandit = lowbid.open(url, "b", arms=["x", "y"], reward_range=(0, 1))
    arm, identity = bandit.decide()
    wrong = lowbid.Decision("y" if arm == "x" else "x", identity)
    with pytest.raises(InvalidValueError, match=f"is for arm '{arm}'"):
        bandit.update(wrong, reward=1.0)
    assert bandit.update(lowbid.Decision(arm, identity), reward=1.0) is None


def test_the_outcome_of_an_arm_that_was_removed(any_url):
    bandit = lowbid.open(any_url, "b", arms=["x", "y", "z"], reward_range=(0, 1))
    decision = bandit.decide()
    bandit.remove_arm(decision.arm)
    assert bandit.update(decision, reward=1.0) == "removed"
    assert bandit.update(decision, reward=1.0) == "repeated"


def test_late_and_conflicting_outcomes_are_in_the_log_once(any_url):
    bandit = lowbid.open(any_url, "b", arms=["x", "y"], reward_range=(0, 1))
    kept, dropped, waiting = bandit.decide(3)
    assert bandit.update(kept, reward=1.0) is None
    assert bandit.forget(dropped) is None
    for _ in range(2):
        assert bandit.update(kept, reward=0.0) == "conflict"
        assert bandit.update(dropped, reward=0.5) == "late"
    assert bandit.update_many([waiting, kept, kept], rewards=[1.0, 0.5, 0.5], request_id="r") == [
        None, "conflict", "conflict",
    ]  # fmt: skip
    refused = [each for entry in bandit.log() for each in entry.fields.get("refused", ())]
    assert refused == [
        [kept.id, 0.0, "conflict"],
        [dropped.id, 0.5, "late"],
        [kept.id, 0.5, "conflict"],
    ]
    means = bandit.means()
    for one in (bandit, lowbid.open(any_url, "b")):
        assert (one.summary().late, one.summary().conflicts) == (1, 2)
        assert one.means() == means
        assert sum(one.counts().values()) == 2


def test_what_giving_up_is_answered_with(any_url):
    times = [1_700_000_000.0]
    settings = {"reward_range": (0, 1), "window": "1h", "clock": lambda: times[-1]}
    bandit = lowbid.open(any_url, "b", arms=["x", "y"], **settings)
    answered, dropped, silent = bandit.decide(3)
    bandit.update(answered, reward=1.0)
    assert [bandit.forget(dropped) for _ in range(2)] == [None, "repeated"]
    assert bandit.forget(answered) == "conflict"
    times.append(times[-1] + 3601)
    assert bandit.forget(silent) == "late"
    assert bandit.forget(answered) == "conflict"
    assert bandit.forget(lowbid.Decision("x", "0000-1")) == "unknown"
    with pytest.raises(InvalidValueError, match="not a decision"):
        bandit.forget("x")


@pytest.mark.parametrize("after", ["1", None, -1, 1.5])
def test_a_log_after_something_that_is_no_number(url, after):
    bandit = lowbid.open(url, "b", 2)
    with pytest.raises(InvalidValueError, match="after is"):
        list(bandit.log(after))


def test_why_a_policy_cannot_be_changed_is_said(url):
    bandit = lowbid.open(url, "b", ["x", "y"], reward_range=(0, 1))
    with pytest.raises(InvalidValueError, match=r"policy .* learn_from"):
        bandit.change(policy=lowbid.UCB1())


def test_the_id_of_a_decision_is_no_arm_and_what_to_do_is_said(url):
    bandit = lowbid.open(url, "b", ["x", "y"], reward_range=(0, 1))
    decision = bandit.decide()
    for call in (
        lambda: bandit.update(decision.id, reward=1.0),
        lambda: bandit.update_many(["x", decision.id], rewards=[1.0, 1.0]),
    ):
        with pytest.raises(UnknownNameError, match=r"is the id of a decision.*answer\("):
            call()
    assert sum(bandit.counts().values()) == 0
    assert bandit.answer([decision.id], rewards=[1.0]) == [None]
