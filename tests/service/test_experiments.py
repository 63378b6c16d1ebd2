import json

import pytest

import lowbid
import together
from lowbid.shared import Decide


def test_experiments_are_made_once_and_must_agree(shop):
    assert shop.make("basket").status_code == 201
    assert shop.make("basket").status_code == 200
    answer = shop.make("basket", arms=["red", "blue"])
    assert answer.status_code == 422
    assert "arms" in answer.json()["detail"]
    names = [each["name"] for each in shop.read.get("/v1/experiments").json()["experiments"]]
    assert names == ["basket", "checkout"]


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"arms": []}, "arms"),
        ({"arms": ["a", "a"]}, "'a'"),
        ({"arms": [f"arm {i}" for i in range(51)]}, "51"),
        ({"policy": "ucb2"}, "ucb1"),
        ({"policy": "ucb2"}, '"field":"policy"'),
        ({"policy": "ucb1:scale=-1"}, "scale"),
        ({"window": "1 fortnight"}, '"field":"window"'),
        ({"holdout": 2}, '"field":"holdout"'),
        ({"holdout": 0.1}, "control"),
        ({"reward_range": [1, 0]}, "1"),
        ({"reward_range": [0, 5e-324]}, "too close to 0"),
        ({"name": "a/b"}, "name: is 'a/b'; give 1 to 100 letters"),
        ({"name": ""}, "name: is ''; give 1 to 100 letters"),
        ({"name": "a\n"}, "give 1 to 100 letters"),
        ({"name": "x" * 5000}, "give 1 to 100 letters"),
        ({"colour": "blue"}, "colour: there is no such field"),
        ({"arms": ["a", 1.5]}, '"field":"arms.1"'),
        ({"window": []}, '"field":"window"'),
    ],
)
def test_experiments_that_make_no_sense_are_refused(shop, settings, word):
    body = {"name": "new", "arms": ["a", "b"], "reward_range": [0, 1], **settings}
    answer = shop.admin.post("/v1/experiments", json=body)
    assert answer.status_code == 422
    assert word in answer.text
    names = [each["name"] for each in shop.read.get("/v1/experiments").json()["experiments"]]
    assert names == ["checkout"]


def test_settings_arms_and_archiving_are_logged_with_the_name_of_the_key(shop):
    path = "/v1/experiments/checkout"
    changed = shop.admin.patch(path, json={"holdout": 0.25, "control": "blue"}).json()
    assert changed["settings"]["holdout"] == 0.25
    for change in ("add", "pause", "resume", "remove"):
        found = shop.admin.post(f"{path}/arms", json={"arm": "<b>red</b>", "change": change})
        assert found.status_code == 200
        assert ("<b>red</b>" in found.json()["paused"]) == (change == "pause")
    assert shop.admin.patch(path, json={"archived": True}).json()["archived"]
    refused = shop.decide.post(f"{path}/decisions", json={})
    assert refused.status_code == 422
    assert "archived" in refused.json()["detail"]
    assert not shop.admin.patch(path, json={"archived": False}).json()["archived"]
    history = shop.read.get(f"{path}/overview").json()["history"]
    assert [each["event"] for each in history] == [
        "created", "settings changed", *["arm changed"] * 4, "archived", "archived",
    ]  # fmt: skip
    assert {each["actor"] for each in history} == {"admin"}


def test_a_change_of_nothing_is_refused(shop):
    assert shop.admin.patch("/v1/experiments/checkout", json={}).status_code == 422
    for field, value in [("policy", "ucb1"), ("arms", ["a"]), ("seed", 3), ("name", "other")]:
        answer = shop.admin.patch("/v1/experiments/checkout", json={field: value})
        assert answer.status_code == 422
        assert f"{field} cannot be changed later; allowed are window" in answer.json()["detail"]
        assert answer.json()["errors"][0]["field"] == field
    wrong = shop.admin.patch("/v1/experiments/checkout", json={"polcy": "ucb1"})
    assert "no such field" in wrong.json()["detail"]
    for body in ([], "policy", 3, None):
        assert shop.admin.patch("/v1/experiments/checkout", json=body).status_code == 422
    unknown = {"arm": "purple", "change": "pause"}
    assert shop.admin.post("/v1/experiments/checkout/arms", json=unknown).status_code == 404


def test_views_and_the_log(shop):
    path = "/v1/experiments/checkout"
    for number in range(10):
        [made] = shop.decide.post(f"{path}/decisions", json={}).json()["decisions"]
        value = {"decision": made["id"], "reward": float(number % 2)}
        shop.decide.post(f"{path}/outcomes", json=value)
    bandit = lowbid.open(shop.url, "checkout")
    best = shop.read.get(f"{path}/recommend", params={"confidence": 0.9}).json()
    assert best["arm"] == bandit.recommend(0.9).arm
    explained = shop.read.get(f"{path}/explain").json()
    assert {each["arm"]: each["count"] for each in explained["arms"]} == bandit.counts()
    overview = shop.read.get(f"{path}/overview").json()
    assert overview["outcomes"] == overview["decisions"] == 10
    assert overview["lift"] is None
    intervals = {each["arm"]: (each["low"], each["high"]) for each in overview["intervals"]}
    assert intervals == {arm: tuple(ends) for arm, ends in bandit.intervals(0.95).items()}
    lines = shop.read.get(f"{path}/log", params={"after": 1}).text.splitlines()
    assert [json.loads(line)["number"] for line in lines] == list(range(2, 22))
    snapshot = shop.read.get(f"{path}/snapshot").text
    assert lowbid.Bandit.from_json(snapshot).counts() == bandit.counts()
    bandit.close()


def test_an_experiment_that_is_not_there(shop):
    for path in ("", "/overview", "/log"):
        answer = shop.read.get(f"/v1/experiments/nope{path}")
        assert answer.status_code == 404
        assert "nope" in answer.json()["detail"]
        assert shop.url not in answer.text


def test_one_that_cannot_be_opened_hides_no_other(shop):
    class OnesOwn(lowbid.UCB1):
        """A policy whose code the server does not have."""

    lowbid.open(shop.url, "basket", ["a", "b"], OnesOwn()).close()
    basket, checkout = shop.read.get("/v1/experiments").json()["experiments"]
    assert basket.keys() == {"name", "trouble"}
    assert "cannot be read here" in basket["trouble"]
    assert checkout["name"] == "checkout"
    assert "trouble" not in checkout


def test_an_experiment_that_was_deleted_is_forgotten(shop):
    assert shop.read.get("/v1/experiments/checkout").status_code == 200
    lowbid.stores.delete(shop.url, "checkout")
    assert shop.read.get("/v1/experiments/checkout").status_code >= 400
    assert shop.read.get("/v1/experiments/checkout").status_code == 404
    assert shop.make().status_code == 201


def test_a_long_log_is_streamed_in_order(shop):
    path = "/v1/experiments/checkout"
    with lowbid.open(shop.url, "checkout") as bandit:
        together.submitted(bandit, [Decide() for _ in range(1200)])
    lines = shop.read.get(f"{path}/log").text.splitlines()
    assert [json.loads(line)["number"] for line in lines] == list(range(1, 1202))
    lines = shop.read.get(f"{path}/log?after=1199").text.splitlines()
    assert [json.loads(line)["number"] for line in lines] == [1200, 1201]
    waiting = shop.read.get(f"{path}/pending").text.splitlines()
    assert len({json.loads(line)["id"] for line in waiting}) == 1200


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/", "/docs", "/static/page.js"])
def test_head(shop, path):
    answer = shop.nobody.head(path)
    assert (answer.status_code, answer.text) == (200, "")
