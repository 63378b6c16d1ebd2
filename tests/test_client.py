import datetime
import math
import threading

import pytest

import lowbid
from lowbid.errors import InvalidValueError, ServiceError, UnknownNameError
from lowbid.service import create_app
from service.conftest import Shop, running


@pytest.fixture
def shop(tmp_path):
    url = f"sqlite:///{tmp_path}/shop.db"
    with running(create_app(url)) as address:
        shop = Shop(url, address)
        yield shop
        shop.close()


@pytest.fixture
def client(shop):
    client = lowbid.Client(shop.address, shop.keys["admin"], retries=2)
    yield client
    client.close()


def test_the_same_calls_as_a_bandit_in_this_process(shop, client):
    settings = {"reward_range": (0, 1), "seed": 3}
    remote = client.make(
        "checkout", ["blue", "green"], policy="batch-ensemble:batches=2", **settings
    )
    local = lowbid.Bandit(["blue", "green"], lowbid.BatchEnsemble(batches=2), **settings)
    for number in range(40):
        theirs, ours = remote.decide(), local.decide()
        assert theirs.arm == ours.arm
        reward = (number % 3) / 2
        assert remote.update(theirs, reward=reward) is None
        assert local.update(ours, reward=reward) is None
    assert remote.counts() == local.counts()
    assert remote.means() == pytest.approx(local.means())
    assert remote.recommend(0.9) == local.recommend(0.9)
    assert str(remote.explain()) == str(local.explain())
    assert remote.intervals() == local.intervals()
    assert lowbid.Bandit.from_json(remote.to_json()).counts() == local.counts()
    assert remote.arms == ["blue", "green"]
    assert [each["name"] for each in client.experiments()] == ["checkout"]
    assert sum(each["event"] == "decided" for each in remote.log()) == 40


def test_batches_repeats_and_rejections(client):
    bandit = client.make("a", ["x", "y"], reward_range=[0, 1])
    decisions = bandit.decide(5, request_id="visit")
    assert bandit.decide(5, request_id="visit") == decisions
    assert bandit.update_many(decisions, rewards=[1.0] * 5) == [None] * 5
    assert bandit.update(decisions[0], reward=1.0) == "repeated"
    assert bandit.update(decisions[0], reward=0.0) == "conflict"
    kept = bandit.decide(6)
    bandit.remove_arm("x")
    gone = next(each for each in kept if each.arm == "x")
    assert bandit.update(gone, reward=1.0) == "removed"


def test_outcomes_are_corrected(client):
    bandit = client.make("a", ["x", "y"], reward_range=[0, 1])
    one, two, three = bandit.decide(3)
    bandit.update_many([one, two, three], rewards=[1.0] * 3)
    assert bandit.amend(one, reward=0.0, reason="refund") is None
    stranger = lowbid.Decision("x", "0-1")
    answers = bandit.amend_many([two, three.id, stranger], rewards=[0.5, 0.25, 0.0])
    assert answers == [None, None, "unknown"]
    counts, means = bandit.counts(), bandit.means()
    assert sum(counts[arm] * means[arm] for arm in counts if counts[arm]) == 0.75
    with pytest.raises(InvalidValueError, match="from 0 to 1"):
        bandit.amend(one, reward=7.0)
    with pytest.raises(InvalidValueError, match="since is"):
        bandit.void(since="yesterday")
    since = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    assert bandit.void(since=since, reason="load test") == 3
    assert sum(bandit.counts().values()) == 0
    voided = bandit.history()[-1]
    assert (voided["event"], voided["reason"], voided["actor"]) == ("voided", "load test", "admin")


def test_changes(client):
    bandit = client.make("a", ["x", "y"], reward_range=[0, 1])
    bandit.add_arm("z")
    bandit.pause_arm("x")
    assert (bandit.arms, bandit.paused) == (["y", "z"], ["x"])
    bandit.resume_arm("x")
    bandit.change(holdout=0.5, control="y")
    assert math.isnan(bandit.lift().difference)
    bandit.archive()
    with pytest.raises(InvalidValueError, match="archived"):
        bandit.decide()
    bandit.archive(False)
    assert bandit.decide(unit="u").way in ("policy", "holdout")


def test_errors_are_those_of_a_bandit(shop, client):
    with pytest.raises(UnknownNameError, match="nope"):
        client.bandit("nope").decide()
    bandit = client.make("a", ["x", "y"], reward_range=[0, 1])
    decision = bandit.decide()
    for bad in (7.0, float("nan"), None):
        with pytest.raises(InvalidValueError):
            bandit.update(decision, reward=bad)
    with pytest.raises(InvalidValueError, match="decide"):
        bandit.update("x", reward=1.0)
    assert bandit.update(lowbid.Decision("x", "0-1"), reward=1.0) == "unknown"
    with pytest.raises(InvalidValueError, match="2 outcomes"):
        bandit.update_many([decision], rewards=[1.0, 1.0])
    assert bandit.update(decision, reward=1.0) is None
    with pytest.raises(InvalidValueError, match="http"):
        lowbid.Client("localhost:8080")
    reader = lowbid.Client(shop.address, shop.keys["read"])
    with pytest.raises(ServiceError, match="may not") as error:
        reader.bandit("a").decide()
    assert shop.keys["read"] not in str(error.value)
    reader.close()


def test_a_server_that_is_away_is_asked_again(client, monkeypatch):
    monkeypatch.setattr("lowbid.client._FIRST_PAUSE", 0.001)
    bandit = client.make("a", ["x", "y"], reward_range=[0, 1])
    once, lost = client._once, []

    def losing_answers(method, path, body):
        answer = once(method, path, body)
        if len(lost) % 2 == 0:
            lost.append(path)
            raise ConnectionResetError("the answer was lost")
        lost.append(None)
        return answer

    monkeypatch.setattr(client, "_once", losing_answers)
    for _ in range(10):
        assert bandit.update(bandit.decide(), reward=1.0) == "repeated"  # its answer was lost
    monkeypatch.setattr(client, "_once", once)
    assert sum(bandit.counts().values()) == 10  # everything was sent twice, and counts once
    assert len([e for e in bandit.log() if e["event"] == "decided"]) == 10


def test_a_server_that_is_gone_is_an_error_in_words():
    client = lowbid.Client("http://127.0.0.1:9", retries=0)
    with pytest.raises(ServiceError, match=r"127.0.0.1:9 gave no answer"):
        client.experiments()


def test_threads_share_a_client(client):
    bandit = client.make("a", ["x", "y"], reward_range=[0, 1])

    def work():
        for _ in range(10):
            bandit.update(bandit.decide(), reward=1.0)
        client.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(bandit.counts().values()) == 40


def test_it_needs_nothing_but_the_standard_library():
    import subprocess
    import sys

    script = (
        "import sys, lowbid; lowbid.Client('http://x'); "
        "print([m for m in ('fastapi', 'httpx', 'llvmlite') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_pauses_between_attempts_grow_no_longer_than_two_seconds(monkeypatch):
    pauses = []
    monkeypatch.setattr("lowbid.client.time.sleep", pauses.append)
    with pytest.raises(ServiceError, match="no answer"):
        lowbid.Client("http://127.0.0.1:9", retries=12).experiments()
    assert pauses[:3] == [0.1, 0.2, 0.4]
    assert pauses[5:] == [2.0] * 7


def test_decisions_are_given_up_and_looked_up(client):
    bandit = client.make("a", ["x", "y"], reward_range=[0, 1], horizon=100)
    first, second, third = bandit.decide(3)
    assert bandit.pending() == [first, second, third]
    assert bandit.forget(first) is None
    assert bandit.forget(first) == "repeated"
    assert bandit.update(first, reward=1.0) == "late"
    assert bandit.update(second, reward=1.0) is None
    assert bandit.forget(second) == "conflict"
    assert bandit.pending() == [third]
    bandit.remove_arm(third.arm)
    assert bandit.forget(third) == "removed"
    assert bandit.answer([third.id, "0-1"], rewards=[1.0, 1.0]) == ["late", "unknown"]
    stranger = lowbid.Decision("x", "0-1")
    assert bandit.forget(stranger) == bandit.update(stranger, reward=1.0) == "unknown"
    with pytest.raises(InvalidValueError, match="not a decision"):
        bandit.forget("x")
    assert (bandit.n_arms, bandit.settings["horizon"]) == (1, 100)
    assert [each["event"] for each in bandit.history()] == ["created", "arm changed"]
    assert bandit.history()[1]["actor"] == "admin"


def test_every_call_of_a_bandit_is_there_or_says_why_not(client):
    bandit = client.make("a", ["x", "y"], reward_range=[0, 1])
    assert set(bandit.indices()) == {"x", "y"}
    for name in {*dir(lowbid.Bandit), *dir(lowbid.shared.SharedBandit)}:
        if name.startswith("_") or hasattr(type(bandit), name) or name == "name":
            continue
        with pytest.raises(AttributeError, match=r"over HTTP.*from_json"):
            getattr(bandit, name)
    with pytest.raises(AttributeError, match="no attribute 'decode'"):
        bandit.decode()
