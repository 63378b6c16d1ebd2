import os

import pytest

import lowbid
from lowbid.service import _guard
from lowbid.shared._open import delete_bandit


@pytest.mark.parametrize("first", ["decisions", "look"])
def test_an_experiment_that_was_deleted_and_made_anew_is_found(shop, first):
    path = "/v1/experiments/checkout"
    assert shop.decide.post(f"{path}/decisions").status_code == 200
    delete_bandit(shop.url, "checkout")
    lowbid.open(shop.url, "checkout", ["red"], reward_range=(0, 1)).close()
    answer = shop.decide.post(f"{path}/decisions") if first == "decisions" else shop.read.get(path)
    assert answer.status_code == 503
    assert answer.json()["type"].endswith("experiment-gone")
    assert "Retry-After" in answer.headers
    [made] = shop.decide.post(f"{path}/decisions").json()["decisions"]
    assert made["arm"] == "red"


def test_an_experiment_that_was_deleted_is_unknown(shop):
    path = "/v1/experiments/checkout/decisions"
    shop.decide.post(path)
    delete_bandit(shop.url, "checkout")
    assert [shop.decide.post(path).status_code for _ in range(2)] == [503, 404]


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove files in use")
@pytest.mark.parametrize("seconds", [60.0, -1.0])  # that keys are good for
def test_a_store_that_is_gone_is_a_problem_everywhere(shop, tmp_path, monkeypatch, seconds):
    monkeypatch.setattr(_guard, "KEYS_ARE_GOOD_FOR", seconds)
    path = "/v1/experiments/checkout"
    shop.admin.get(path)
    for file in tmp_path.glob("shop.db*"):
        file.unlink()
    answers = [shop.admin.get(place) for place in ("/readyz", path, f"{path}/log")]
    answers += [shop.admin.get("/v1/experiments"), shop.admin.post(f"{path}/decisions")]
    assert [answer.status_code for answer in answers] == [503] * 5
    for answer in answers:
        assert answer.headers["content-type"] == "application/problem+json"


def test_clients_are_not_told_where_the_store_is(shop, tmp_path):
    shop.decide.post("/v1/experiments/checkout/decisions")
    for file in tmp_path.glob("shop.db*"):
        file.unlink()
    answer = shop.decide.post("/v1/experiments/checkout/decisions")
    assert answer.status_code >= 500
    assert "shop.db" not in answer.text
    assert "sqlite" not in answer.text
