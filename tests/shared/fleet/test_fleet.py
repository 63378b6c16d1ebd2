"""Processes that exchange totals, beside one bandit that sees everything."""

import contextlib
import os
import random

import pytest

import lowbid
from lowbid.errors import InvalidValueError, StoreError, UnknownNameError

RATES = {"A": 0.2, "B": 0.5, "C": 0.4}
NEVER = "1d"  # exchanges happen only when a test asks for them


def opened(url, name="checkout", **settings):
    return lowbid.open(url, name, **{"exchange": NEVER, **settings})


def created(url, **settings):
    return opened(url, **{"arms": list(RATES), "kind": "reward", "seed": 3, **settings})


def play(bandit, rng, n):
    for _ in range(n):
        decision = bandit.decide()
        bandit.update(decision, reward=float(rng.random() < RATES[decision.arm]))


def exchange(*members, rounds=2):
    for _ in range(rounds):
        for member in members:
            member.exchange()


@pytest.mark.parametrize("growth", [4, lowbid.schedules.Logarithmic(0.6, least=2)])
def test_with_an_exchange_per_decision_choices_are_those_of_one_bandit(url, growth):
    policy = lowbid.BatchEnsemble(batches=growth, ties="first")
    one = lowbid.Bandit(list(RATES), policy=policy, reward_range=(0, 1), seed=3)
    members = [created(url, policy=policy, reward_range=(0, 1), kind=None) for _ in range(3)]
    rng = random.Random(0)
    chosen = []
    for i in range(150):
        member = members[rng.randrange(3)]
        member.exchange()
        decision, expected = member.decide(), one.decide()
        assert decision.arm == expected.arm, i
        reward = float(rng.random() < RATES[decision.arm])
        member.update(decision, reward=reward)
        one.update(expected, reward=reward)
        member.exchange()
        chosen.append(decision.arm)
    assert len(set(chosen)) == 3
    exchange(*members)
    for member in members:
        assert member.counts() == one.counts()
        assert member.indices() == pytest.approx(one.indices(), rel=1e-12)
        member.close()


def test_after_quiet_all_know_the_sum_of_what_each_was_told(any_url):
    members = [created(any_url) for _ in range(3)]
    rng = random.Random(1)
    told = dict.fromkeys(RATES, 0)
    for _ in range(20):
        member = rng.choice(members)
        for _ in range(rng.randrange(20)):
            decision = member.decide()
            member.update(decision, reward=float(rng.random() < 0.5))
            told[decision.arm] += 1
        if rng.random() < 0.5:
            rng.choice(members).exchange()
    exchange(*members)
    assert [member.counts() for member in members] == [told] * 3
    for member in members[1:]:  # each adds up in an order of its own
        assert member.means() == pytest.approx(members[0].means(), rel=1e-14)
    for member in members:
        member.close()


def test_the_background_exchanges_by_itself(url):
    import time

    first, second = created(url, exchange=0.01), created(url, exchange=0.01)
    first.update("A", reward=1.0)
    until = time.monotonic() + 20.0
    while second.counts()["A"] == 0 and time.monotonic() < until:
        time.sleep(0.01)
    assert second.counts()["A"] == 1
    assert second.status().processes == 2
    first.close()
    second.close()


def test_a_process_that_was_silent_is_folded_and_does_not_count_again(any_url, monkeypatch):
    monkeypatch.setattr("lowbid.shared.fleet._exchange._SILENT", -1)
    monkeypatch.setattr("lowbid.shared.fleet._exchange._SILENT_EXCHANGES", 0)
    silent, other = created(any_url), created(any_url)
    open_decision = silent.decide()
    silent.update("A", reward=1.0)
    silent.exchange()
    before = silent.status().process
    silent.update("B", reward=1.0)  # not in the store yet
    other.exchange()  # folds the row of the silent one
    other.exchange()
    assert other.counts() == {"A": 1, "B": 0, "C": 0}
    silent.exchange()  # is refused, and begins a new row
    assert silent.status().process != before
    assert silent.update(open_decision, reward=0.0) is None
    exchange(silent, other)
    expected = {"A": 1, "B": 1, "C": 0}
    expected[open_decision.arm] += 1
    assert silent.counts() == other.counts() == expected
    silent.close()
    other.close()


def test_folding_many_rows_keeps_every_outcome(url, monkeypatch):
    rng, total = random.Random(5), 0
    for i in range(4):
        member = created(url)
        play(member, rng, 5 + i)
        total += 5 + i
        member.close()
    monkeypatch.setattr("lowbid.shared.fleet._exchange._SILENT", -1)
    monkeypatch.setattr("lowbid.shared.fleet._exchange._SILENT_EXCHANGES", 0)
    last = created(url)
    exchange(last)
    assert last.status().processes == 2  # the folded row, and its own
    assert sum(last.counts().values()) == total
    last.close()


def test_pending_decisions_of_a_folded_process_are_released(url, monkeypatch):
    policy = lowbid.BatchEnsemble()
    gone, last = (created(url, policy=policy, reward_range=(0, 1), kind=None) for _ in range(2))
    gone.decide(50)
    gone.exchange()
    last.exchange()
    assert last._member.lead.engine.state.batches.pending.sum() == 50
    monkeypatch.setattr("lowbid.shared.fleet._exchange._SILENT", -1)
    monkeypatch.setattr("lowbid.shared.fleet._exchange._SILENT_EXCHANGES", 0)
    exchange(last)
    assert last._member.lead.engine.state.batches.pending.sum() == 0
    last.close()


class Failing:
    """Lets a commit succeed or fail, and then raises as if the connection were lost."""

    def __init__(self, monkeypatch, member):
        store, self.commits = member._store, None
        transaction = store.transaction

        @contextlib.contextmanager
        def unlucky(*, write):
            if self.commits is None or not write:
                with transaction(write=write) as found:
                    yield found
                return
            commits, self.commits = self.commits, None
            try:
                with transaction(write=write) as found:
                    yield found
                    if not commits:
                        raise ZeroDivisionError
            except ZeroDivisionError:
                pass
            raise StoreError("the connection was lost")

        monkeypatch.setattr(store, "transaction", unlucky)


@pytest.mark.parametrize("seed", range(5))
def test_lost_answers_count_once(url, monkeypatch, seed):
    rng = random.Random(seed)
    members = [created(url) for _ in range(2)]
    failing = [Failing(monkeypatch, member) for member in members]
    monkeypatch.setattr("lowbid.shared.fleet._exchange._SILENT_EXCHANGES", 0)
    told = dict.fromkeys(RATES, 0)
    for _ in range(25):
        i = rng.randrange(2)
        arm = rng.choice(list(RATES))
        members[i].update(arm, reward=1.0)
        told[arm] += 1
        silence = rng.choice([-1, 10**12])
        monkeypatch.setattr("lowbid.shared.fleet._exchange._SILENT", silence)
        failing[i].commits = rng.choice([None, None, True, False])
        with contextlib.suppress(StoreError):
            members[i].exchange()
        failing[i].commits = None
    exchange(*members)
    assert members[0].counts() == members[1].counts() == told
    for member in members:
        member.close()


def test_a_store_restored_from_a_copy_gets_everything_again(url, tmp_path):
    import shutil

    member = created(url)
    member.update("A", reward=1.0)
    member.exchange()
    member._store.close()
    copy = tmp_path / "copy.db"
    shutil.copy(tmp_path / "shop.db", copy)
    member.update("B", reward=1.0)
    member.exchange()
    member._store.close()
    shutil.copy(copy, tmp_path / "shop.db")
    member.update("C", reward=1.0)
    member.exchange()
    other = created(url)
    assert other.counts() == {"A": 1, "B": 1, "C": 1}
    other.close()
    member.close()


def test_arms_come_pause_and_go_everywhere(any_url):
    first, second = created(any_url), created(any_url)
    open_decisions = second.decide(30)
    first.add_arm("D")
    first.pause_arm("A")
    first.remove_arm("B")
    second.exchange()
    assert second.arms == first.arms == ["C", "D"]
    assert second.paused == ["A"]
    answers = {d.arm: second.update(d, reward=1.0) for d in open_decisions}
    assert answers.get("B", "removed") == "removed"
    assert answers.get("A") is None
    exchange(second, first)
    assert first.counts() == second.counts()
    assert {d.arm for d in first.decide(100)} <= {"C", "D"}
    first.resume_arm("A")
    assert set(first.arms) == {"A", "C", "D"}
    with pytest.raises(InvalidValueError, match="was removed, and processes"):
        first.add_arm("B")
    with pytest.raises(UnknownNameError, match="was removed"):
        first.pause_arm("B")
    with pytest.raises(InvalidValueError, match="already an arm"):
        first.add_arm("C")
    for arm in ("A", "C"):
        first.remove_arm(arm)
    with pytest.raises(InvalidValueError, match="only arm"):
        first.remove_arm("D")
    first.close()
    second.close()


def test_units_are_held_out_alike_in_all_processes(url):
    settings = {"holdout": 0.3, "control": "A", "reward_range": (0, 1), "kind": None}
    first, second = created(url, **settings), created(url, **settings)
    units = [f"unit {i}" for i in range(200)]
    held = [
        member._member.holdout.has(member.decide(unit=u).id) for member in (first,) for u in units
    ]
    assert held == [second._member.holdout.has(second.decide(unit=u).id) for u in units]
    assert 0.2 < sum(held) / len(held) < 0.4
    for member in (first, second):
        for decision in member.pending():
            assert member.update(decision, reward=0.5) is None
            assert member.update(decision, reward=0.5) == "closed"
    exchange(first, second)
    lift = first.lift()
    assert lift == second.lift()
    assert sum(first.counts().values()) == 2 * (len(held) - sum(held))
    first.close()
    second.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"window": "1h"}, "window was given together with exchange"),
        ({"sticky": True}, r"lowbid\.assign"),
        ({"actor": "Ann"}, "actor was given"),
        ({"kind": None}, "say what is measured"),
        ({"policy": lowbid.SlidingWindowUCB(window=100)}, "cannot be played by a fleet"),
        ({"policy": lowbid.BatchEnsemble(growth="redistribute")}, "reward_range|every single loss"),
        ({"exchange": "soon"}, "exchange is 'soon'"),
    ],
)
def test_what_needs_one_order_is_refused(url, settings, words):
    with pytest.raises(InvalidValueError, match=words):
        created(url, **settings)
    assert lowbid.stores.list(url) == []


def test_histories_are_refused(url):
    policy = lowbid.BatchEnsemble(growth="redistribute")
    with pytest.raises(InvalidValueError, match="every single loss"):
        created(url, policy=policy, reward_range=(0, 1), kind=None)


def test_a_fleet_is_no_bandit_with_a_log_and_the_other_way_round(url):
    created(url).close()
    with pytest.raises(InvalidValueError, match="is a fleet"):
        lowbid.open(url, "checkout")
    lowbid.open(url, "log", arms=2).close()
    with pytest.raises(InvalidValueError, match="without exchange"):
        opened(url, "log")
    with pytest.raises(UnknownNameError, match="there is no fleet"):
        opened(url, "missing")
    with pytest.raises(InvalidValueError, match="seed differ"):
        created(url, seed=4)
    with pytest.raises(InvalidValueError, match="journal was given without exchange"):
        lowbid.open(url, "log", journal="x")


def test_bad_input_changes_nothing(url):
    member = created(url)
    decision = member.decide()
    before = member.to_json()
    for bad in (float("nan"), float("inf"), "x", None):
        with pytest.raises(InvalidValueError):
            member.update(decision, reward=bad)
    with pytest.raises(UnknownNameError, match="unknown arm"):
        member.update("E", reward=1.0)
    with pytest.raises(InvalidValueError):
        member.update("A", loss=1.0)
    with pytest.raises(UnknownNameError, match="was not made by this process"):
        member.update(lowbid.Decision("A", "abcd-1"), reward=1.0)
    with pytest.raises(UnknownNameError):
        member.update_many(["A", "E"], rewards=[1.0, 1.0])
    with pytest.raises(InvalidValueError):
        member.decide(-1)
    assert member.to_json() == before
    member.close()
    with pytest.raises(InvalidValueError, match="closed"):
        member.decide()


def test_a_decision_stands_for_those_that_others_make_meanwhile(url):
    busy, quiet = created(url), created(url)
    rng = random.Random(2)
    for _ in range(3):
        play(busy, rng, 99)
        play(quiet, rng, 11)
        exchange(busy, quiet, rounds=1)
    assert quiet.status().weight == 10
    assert busy.status().weight == 1
    busy.close()
    quiet.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_is_another_process_of_the_fleet(url):
    parent = created(url)
    parent.update("A", reward=1.0)
    child = os.fork()
    if child == 0:
        try:
            known = parent.counts()["A"]
            parent.update("B", reward=1.0)
            parent.close()
            os._exit(0 if known == 1 else 2)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    exchange(parent)
    assert parent.counts() == {"A": 1, "B": 1, "C": 0}
    parent.close()


def test_a_new_arm_gets_its_fair_share_until_an_outcome_anywhere(url):
    first, second = (
        created(url, policy=lowbid.UCB1(), reward_range=(0, 1), kind=None) for _ in range(2)
    )
    play(first, random.Random(1), 60)
    first.add_arm("new")
    exchange(first, second)
    burst = [decision.arm for decision in first.decide(100)]
    assert burst.count("new") == 25
    first.decide()
    assert [arm.arm for arm in first.explain().arms if arm.left_out] == ["new"]
    second.update("new", reward=1.0)
    exchange(second, first)
    assert not any(arm.left_out for arm in first.explain().arms)
