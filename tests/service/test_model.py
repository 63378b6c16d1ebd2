"""Random calls of the API, compared with a model in plain Python."""

from collections import Counter
from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

NAMES = ["a", "b", "c", "d"]
REQUEST_IDS = [None, None, "one", "two"]
VALUES = [0.0, 0.5, 1.0, 2.0]  # the last is out of range

DECIDE = st.tuples(st.just("decide"), st.sampled_from(REQUEST_IDS), st.integers(1, 3))
OUTCOME = st.tuples(st.integers(-1, 8), st.sampled_from(VALUES[:3] * 4 + VALUES[3:]))
REPORT = st.tuples(st.just("report"), st.lists(OUTCOME, min_size=1, max_size=4))
CHANGES = ["add", "pause", "resume", "remove"]
ARM = st.tuples(st.just("arm"), st.sampled_from(NAMES), st.sampled_from(CHANGES))
ARCHIVE = st.tuples(st.just("archive"), st.booleans())
CALLS = st.lists(st.one_of(DECIDE, DECIDE, REPORT, REPORT, ARM, ARCHIVE), min_size=5, max_size=20)


class Model:
    """What the service should remember and answer."""

    def __init__(self):
        self.active, self.paused = {"a", "b"}, set()
        self.arms = {}  # of each decision that is open; None if it was removed
        self.made, self.outcomes, self.requests = [], {}, {}
        self.counts, self.archived = Counter(), False

    def decide(self, request_id, n):
        """The status to expect, and the ids if they are known before."""
        known = self.requests.get(request_id)
        if known is not None:
            return (200, known) if len(known) == n else (422, None)
        return (422, None) if self.archived else (200, None)

    def decided(self, request_id, decisions):
        for each in decisions:
            assert each["arm"] in self.active
            assert each["id"] not in self.made
            self.made.append(each["id"])
            self.arms[each["id"]] = each["arm"]
        if request_id is not None:
            self.requests[request_id] = [each["id"] for each in decisions]

    def report(self, outcomes):
        """The answers, or None if nothing is taken since a value is out of range."""
        return None if any(v > 1 for _, v in outcomes) else [self._one(*each) for each in outcomes]

    def _one(self, identity, value):
        if identity not in self.made:
            return "unknown"
        if identity not in self.arms:
            return "repeated" if self.outcomes[identity] == value else "conflict"
        self.outcomes[identity] = value
        arm = self.arms.pop(identity)
        if arm is None:
            return "removed"
        self.counts[arm] += 1
        return None

    def change(self, arm, change):
        """The status to expect."""
        there = arm in self.active or arm in self.paused
        if change == "add":
            if there:
                return 422
            self.active.add(arm)
            return 200
        if not there:
            return 404
        if change == "resume":
            self.paused.discard(arm)
            self.active.add(arm)
        elif self.active == {arm}:
            return 422
        else:
            self.active.discard(arm)
            self.paused.discard(arm)
            if change == "pause":
                self.paused.add(arm)
            else:
                self._forget(arm)
        return 200

    def _forget(self, arm):
        self.counts.pop(arm, None)
        for identity in self.arms:
            if self.arms[identity] == arm:
                self.arms[identity] = None


def carry_out(call, client, path, model):
    match call:
        case "decide", request_id, n:
            status, ids = model.decide(request_id, n)
            answer = client.post(f"{path}/decisions", json={"request_id": request_id, "n": n})
            assert answer.status_code == status, answer.text
            if status == 200 and ids is not None:
                assert [each["id"] for each in answer.json()["decisions"]] == ids
            elif status == 200:
                model.decided(request_id, answer.json()["decisions"])
                assert len(answer.json()["decisions"]) == n
        case "report", chosen:
            known = dict(enumerate(reversed(model.made)))
            outcomes = [(known.get(place, "0000-1"), value) for place, value in chosen]
            expected = model.report(outcomes)
            body = [{"decision": identity, "reward": value} for identity, value in outcomes]
            answer = client.post(f"{path}/outcomes", json=body)
            if expected is None:
                assert answer.status_code == 422
            else:
                assert answer.json() == {"answers": expected}
        case "arm", arm, change:
            status = model.change(arm, change)
            answer = client.post(f"{path}/arms", json={"arm": arm, "change": change})
            assert answer.status_code == status, answer.text
        case "archive", archived:
            model.archived = archived
            assert client.patch(path, json={"archived": archived}).status_code == 200


def compare(client, path, model):
    found = client.get(path).json()
    assert set(found["arms"]) - set(found["paused"]) == model.active
    assert set(found["paused"]) == model.paused
    assert found["archived"] == model.archived
    assert found["decisions"] == len(model.made)
    assert found["pending"] == sum(arm is not None for arm in model.arms.values())
    arms = client.get(f"{path}/explain").json()["arms"]
    assert {each["arm"]: each["count"] for each in arms if each["count"]} == +model.counts


@pytest.mark.parametrize("examples", [8, pytest.param(80, marks=pytest.mark.slow)])
def test_the_service_does_what_a_model_does(shop, examples):
    numbers = count()

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(CALLS)
    def follow(calls):
        name = f"shop {next(numbers)}"
        assert shop.make(name, ["a", "b"]).status_code == 201
        model = Model()
        for call in calls:
            carry_out(call, shop.admin, f"/v1/experiments/{name}", model)
        compare(shop.admin, f"/v1/experiments/{name}", model)

    follow()
