"""Corrected outcomes: the state is that of a log in which the right ones were written."""

import json
import random
import warnings

import pytest

import lowbid
from lowbid.errors import InvalidValueError
from lowbid.shared._events import Created, Forgotten, Reported, event_of
from lowbid.shared._replica import Replica

HOUR = 3600.0
SETTINGS = {"reward_range": (0, 1), "seed": 5}


def edited(bandit, amended, voided):
    """The replica that follows a log in which right values were written."""
    replica = None
    for row in bandit._log.read(0):
        event = event_of(row)
        if isinstance(event, Created):
            replica = Replica(event, row.number, row.time, None)
            continue
        if isinstance(event, Reported):
            event.outcomes = [(i, arm, amended.get(i, value)) for i, arm, value in event.outcomes]
            [identity] = [each[0] for each in event.outcomes] or [None]
            if identity in voided:
                event = Forgotten([identity])
        if row.name == "voided":
            event = Forgotten([each.id for each in replica.pending if each.id in voided])
        if row.name != "amended":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # other choices would be made
                replica.apply(row.number, row.time, event)
    return replica


def alike(bandit, replica):
    """Whether a bandit has the state of a replica, in this process and in one that opens it now."""
    bandit.counts()
    for one in (bandit, lowbid.open(bandit._log.store.twin(), "b")):
        one.counts()
        here, wanted = one._log._replica.to_data(), replica.to_data()
        for what in ("core", "windows", "timeline", "holdout"):
            assert here[what] == wanted[what], what
    return True


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("window", [None, "1h"])
def test_the_state_is_that_of_an_edited_log(url, clock, seed, window):
    chance = random.Random(seed)
    policy = chance.choice([lowbid.UCB1(), lowbid.BatchLikelihood(), lowbid.BetaThompson()])
    extra = {"holdout": 0.3, "control": "x"} if seed % 2 else {}
    bandit = lowbid.open(url, "b", ["x", "y", "z"], policy, window=window, **SETTINGS, **extra)
    made, times, amended, voided = [], {}, {}, set()
    for turn in range(60):
        clock.seconds += chance.choice([0.0, 60.0, 900.0])
        decision = bandit.decide(unit=f"unit {turn}")
        made.append(decision)
        times[decision.id] = clock.seconds
        if chance.random() < 0.8:
            bandit.update(chance.choice(made[-3:]), reward=chance.choice([0.0, 0.5, 1.0]))
        if turn % 20 == 19:
            reported = {each[0] for e in bandit.log() for each in e.fields.get("outcomes", ())}
            for each in chance.sample(sorted(reported - voided), 3):
                amended[each] = chance.choice([0.0, 0.25, 1.0])
                assert bandit.amend(each, reward=amended[each], reason="refund") is None
        if turn == 45:
            since, until = times[made[10].id], times[made[20].id]
            inside = {each for each, time in times.items() if since <= time < until}
            assert bandit.void(since=since, until=until, reason="outage") == len(inside)
            voided |= inside
            amended = {each: value for each, value in amended.items() if each not in voided}
    assert alike(bandit, edited(bandit, amended, voided))


def test_views_are_those_of_the_right_values(any_url):
    bandit = lowbid.open(any_url, "b", ["x", "y"], **SETTINGS, holdout=0.5, control="x")
    plain = {}
    for turn in range(40):
        decision = bandit.decide(unit=str(turn))
        plain[decision.id] = (decision.arm, decision.way, float(turn % 2))
        bandit.update(decision, reward=plain[decision.id][2])
    wrong = [each for each, (_, _, value) in plain.items() if value == 1.0][:5]
    answers = bandit.amend_many(wrong, rewards=[0.25] * 5, reason="refund", actor="ann")
    assert answers == [None] * 5
    for each in wrong:
        plain[each] = (*plain[each][:2], 0.25)
    for one in (bandit, lowbid.open(any_url, "b")):
        for arm in ("x", "y"):
            values = [v for a, way, v in plain.values() if a == arm and way != "holdout"]
            assert one.counts()[arm] == len(values)
            assert one.means()[arm] == pytest.approx(sum(values) / len(values))
        for way, mean in (("holdout", one.lift().held_out), ("policy", one.lift().decided)):
            values = [v for _, w, v in plain.values() if w == way]
            assert mean == pytest.approx(sum(values) / len(values))
    assert bandit.update(lowbid.Decision("x", wrong[0]), reward=0.25) == "repeated"
    assert bandit.update(lowbid.Decision("x", wrong[0]), reward=1.0) == "conflict"
    [event] = [entry for entry in bandit.log() if entry.event == "amended"]
    assert (event.fields["reason"], event.fields["actor"]) == ("refund", "ann")


def test_decisions_of_all_kinds_are_amended(url, clock):
    bandit = lowbid.open(url, "b", ["x", "y"], window="1h", if_silent=0.5, **SETTINGS)
    pending, held, silent, dropped = bandit.decide(4)
    bandit.update(held, reward=1.0)
    bandit.forget(dropped)
    assert bandit.amend(held, reward=0.0) is None
    assert bandit.amend(pending, reward=1.0) is None
    assert bandit.update(pending, reward=1.0) == "repeated"
    clock.seconds += HOUR + 1
    assert sum(bandit.counts().values()) == 3
    assert bandit.amend(silent, reward=1.0) is None
    assert bandit.amend(dropped, reward=0.25) is None
    counts, means = bandit.counts(), bandit.means()
    total = sum(counts[arm] * means[arm] for arm in counts if counts[arm])
    assert total == pytest.approx(0.0 + 1.0 + 1.0 + 0.25)
    assert bandit.amend("0000-1", reward=1.0) == "unknown"
    late = lowbid.open(url, "late", ["x", "y"], expiry=1, **SETTINGS)
    first, *_ = late.decide(4)
    assert late.amend(first, reward=1.0) == "late"


def test_open_decisions_are_amended_without_a_replay(any_url, monkeypatch):
    bandit = lowbid.open(any_url, "b", ["x", "y"], window="1h", **SETTINGS)
    decision = bandit.decide()
    bandit.update(decision, reward=1.0)
    bandit.compact(events=0)
    assert bandit.amend(decision, reward=0.0) is None  # also after compaction
    assert bandit.summary().pending == 0


def test_what_was_compacted_cannot_be_corrected(any_url):
    bandit = lowbid.open(any_url, "b", ["x", "y"], **SETTINGS)
    decision = bandit.decide()
    bandit.update(decision, reward=1.0)
    bandit.decide()
    bandit.compact(events=0)
    before = bandit.to_json()
    for wrong in (
        lambda: bandit.amend(decision, reward=0.0),
        lambda: bandit.void(since=0),
    ):
        with pytest.raises(InvalidValueError, match=r"compact\(\) dropped events"):
            wrong()
    assert bandit.to_json() == before
    assert bandit.update(bandit.decide(), reward=1.0) is None


def test_a_voided_span_with_outcomes_of_arms_and_silent_windows(url, clock, tmp_path):
    bandit = lowbid.open(url, "b", ["x", "y"], window="1h", if_silent=0.0, **SETTINGS)
    bandit.update("x", reward=1.0)
    clock.seconds += HOUR
    since = clock.seconds
    silent, waiting = bandit.decide(2)
    bandit.update("y", reward=1.0)
    clock.seconds += 60
    late = bandit.decide()
    clock.seconds += HOUR - 30
    assert bandit.void(since=since, until=since + 60, reason="bot", actor="bob") == 3
    assert bandit.counts() == {"x": 1, "y": 0}
    assert bandit.pending() == [late]
    assert bandit.update(silent, reward=1.0) == "late"
    assert bandit.history()[-1]["event"] == "voided"
    assert bandit.amend(waiting, reward=1.0) is None  # which counts again
    assert sum(bandit.counts().values()) == 2
    path = tmp_path / "decisions.jsonl"
    bandit.export_decisions(path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    found = {row["decision"]: row["reward"] for row in rows}
    assert found == {silent.id: None, waiting.id: 1.0, late.id: None}


def test_corrections_that_are_refused(url):
    bandit = lowbid.open(url, "b", ["x", "y"], **SETTINGS)
    decision = bandit.decide()
    bandit.update(decision, reward=1.0)
    events = bandit.summary().events
    for wrong, match in [
        (lambda: bandit.amend(decision, 0.0), "say which"),
        (lambda: bandit.amend(decision, loss=0.0), "takes rewards"),
        (lambda: bandit.amend(decision, reward=2.0), "from 0 to 1"),
        (lambda: bandit.amend_many([decision], rewards=[]), "give one for each"),
        (lambda: bandit.void(since="yesterday"), "since is 'yesterday'"),
        (lambda: bandit.void(since=9e10), "give an earlier time"),
        (lambda: bandit.void(since=20.0, until=10.0), "give an earlier time"),
        (lambda: bandit.amend(decision, reward=0.0, reason=""), "reason is"),
    ]:
        with pytest.raises(InvalidValueError, match=match):
            wrong()
    assert bandit.summary().events == events


def test_choices_made_before_a_correction_stand_without_warnings(any_url, recwarn):
    bandit = lowbid.open(any_url, "b", ["x", "y", "z"], lowbid.UCB1(), **SETTINGS)
    decisions = []
    for turn in range(30):
        decisions.append(bandit.decide())
        bandit.update(decisions[-1], reward=1.0 if decisions[-1].arm == "x" else turn % 3 / 4)
    arms = [each.arm for each in decisions]
    for each in decisions[:9]:
        bandit.amend(each, reward=0.0)
    other = lowbid.open(any_url, "b")
    for turn in range(20):
        one = (bandit, other)[turn % 2]
        one.update(one.decide(), reward=0.5)
    assert bandit.to_json() == other.to_json() == lowbid.open(any_url, "b").to_json()
    logged = [arm for entry in bandit.log() for arm in entry.fields.get("arms", ())]
    assert logged[:30] == arms
    assert not [each for each in recwarn if "would have chosen" in str(each.message)]
