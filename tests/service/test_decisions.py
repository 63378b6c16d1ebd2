import pytest

import lowbid

DECISIONS, OUTCOMES = "/v1/experiments/checkout/decisions", "/v1/experiments/checkout/outcomes"


def test_a_decision_and_its_outcome(shop):
    answer = shop.decide.post(DECISIONS, json={"unit": "customer-17"})
    assert answer.status_code == 200
    [decision] = answer.json()["decisions"]
    assert decision["arm"] in ("blue", "green")
    assert decision["way"] == "policy"
    answer = shop.decide.post(OUTCOMES, json={"decision": decision["id"], "reward": 1.0})
    assert answer.json() == {"answers": [None]}
    bandit = lowbid.open(shop.url, "checkout")
    assert bandit.counts()[decision["arm"]] == 1
    bandit.close()


def test_requests_can_be_repeated(shop):
    body = {"request_id": "visit-1", "n": 3}
    first = shop.decide.post(DECISIONS, json=body).json()
    assert shop.decide.post(DECISIONS, json=body).json() == first
    ids = [each["id"] for each in first["decisions"]]
    outcomes = [{"decision": each, "reward": 0.5} for each in ids]
    assert shop.decide.post(OUTCOMES, json=outcomes).json()["answers"] == [None] * 3
    assert shop.decide.post(OUTCOMES, json=outcomes).json()["answers"] == ["repeated"] * 3
    other = [{"decision": ids[0], "reward": 1.0}, {"decision": "0-1", "reward": 1.0}]
    assert shop.decide.post(OUTCOMES, json=other).json()["answers"] == ["conflict", "unknown"]


@pytest.mark.parametrize("odd", ["a\0b", "\0", "x" * 90_000, "0-0"])
def test_ids_that_cannot_be_ours_are_unknown(shop, odd):
    answer = shop.decide.post(OUTCOMES, json={"decision": odd, "reward": 1.0})
    assert answer.json() == {"answers": ["unknown"]}
    answer = shop.decide.post("/v1/experiments/checkout/forget", json={"decision": odd})
    assert answer.json() == {"answer": "unknown"}


def test_outcomes_of_a_removed_arm(shop):
    decisions = shop.decide.post(DECISIONS, json={"n": 20}).json()["decisions"]
    gone = next(each for each in decisions if each["arm"] == "blue")
    change = {"arm": "blue", "change": "remove"}
    assert shop.admin.post("/v1/experiments/checkout/arms", json=change).status_code == 200
    answer = shop.decide.post(OUTCOMES, json={"decision": gone["id"], "reward": 1.0})
    assert answer.json()["answers"] == ["removed"]


def test_no_body_is_one_decision(shop):
    assert len(shop.decide.post(DECISIONS).json()["decisions"]) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"n": 0}, "n"),
        ({"n": 1.5}, "n"),
        ({"n": 10**9}, "n"),
        ({"unit": ""}, "unit"),
        ({"unit": 7}, "unit"),
        ({"request_id": "x" * 600}, "request_id"),
        ({"units": "typo"}, "units"),
    ],
)
def test_a_wrong_request_names_its_field(shop, body, field):
    answer = shop.decide.post(DECISIONS, json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert field in [each["field"] for each in answer.json()["errors"]]


@pytest.mark.parametrize(
    "text",
    [
        '{"decision": "a-1"}',
        '{"decision": "a-1", "reward": 1, "loss": 1}',
        '{"decision": "a-1", "reward": NaN}',
        '{"decision": "a-1", "reward": 1e999}',
        '{"decision": "a-1", "reward": "1"}',
        '[{"decision": "a-1", "reward": 1}, {"decision": "a-2", "loss": 1}]',
        '{"decision": "a-1", "reward": 1',
        "",
        "null",
        "[[]]",
        '{"decision": "\\ud800", "reward": 1}',
    ],
)
def test_wrong_outcomes_are_refused_in_words(shop, text):
    headers = {"Content-Type": "application/json"}
    answer = shop.decide.post(OUTCOMES, content=text, headers=headers)
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"]


def test_if_one_value_is_wrong_none_is_taken(shop):
    ids = [e["id"] for e in shop.decide.post(DECISIONS, json={"n": 2}).json()["decisions"]]
    sent = [{"decision": ids[0], "reward": 1.0}, {"decision": ids[1], "reward": 7.0}]
    answer = shop.decide.post(OUTCOMES, json=sent)
    assert answer.status_code == 422
    assert "outcome 1: the reward is 7.0" in answer.json()["detail"]
    assert [each["field"] for each in answer.json()["errors"]] == ["1.reward"]
    alone = shop.decide.post(OUTCOMES, json=sent[1]).json()
    assert [each["field"] for each in alone["errors"]] == ["reward"]
    assert shop.decide.post(OUTCOMES, json=sent[:1]).json()["answers"] == [None]


def test_too_many_outcomes_and_too_many_open_decisions(shop):
    sent = [{"decision": "a-1", "reward": 1.0}] * 501
    assert shop.decide.post(OUTCOMES, json=sent).status_code == 422
    assert shop.decide.post(DECISIONS, json={"n": 200, "request_id": "r"}).status_code == 200
    answer = shop.decide.post(DECISIONS, json={})
    assert answer.status_code == 429
    assert "200" in answer.json()["detail"]
    again = shop.decide.post(DECISIONS, json={"n": 200, "request_id": "r"})
    assert again.status_code == 200  # made before


def test_no_outcomes(shop):
    assert shop.decide.post(OUTCOMES, json=[]).json() == {"answers": []}
