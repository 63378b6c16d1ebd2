"""Learning from a log is the same as updating with its lines one by one, or not at all."""

import json

import numpy as np
import pandas
import pytest

import lowbid
from lowbid.errors import InvalidValueError, LogError, UnknownNameError

ARMS = ["blue", "green"]


def _table(n=50, seed=0):
    rng = np.random.default_rng(seed)
    arms = rng.choice(ARMS, n).tolist()
    return {"arm": arms, "reward": rng.random(n).tolist()}


@pytest.mark.parametrize("policy", [lowbid.BatchLikelihood(), lowbid.UCB1()])
def test_it_is_update_line_by_line(policy):
    table = _table()
    learned, told = (lowbid.Bandit(ARMS, policy, reward_range=(0, 1)) for _ in range(2))
    assert learned.learn_from(pandas.DataFrame(table)) == 50
    for arm, reward in zip(*table.values(), strict=True):
        told.update(arm, reward=reward)
    saved = [json.loads(bandit.to_json()) for bandit in (learned, told)]
    for each in saved:
        del each["decisions"], each["checksum"]  # each has a word of its own
    assert saved[0] == saved[1]
    assert [learned.select() for _ in range(5)] == [told.select() for _ in range(5)]


def test_what_is_refused_is_listed_and_nothing_is_taken_in():
    bandit = lowbid.Bandit(ARMS, reward_range=(0, 1))
    bandit.learn_from(_table())
    before = bandit.to_json()
    table = {"arm": ["blue", "red", "green", "blue"], "reward": [1.0, 1.0, 2.0, None]}
    with pytest.raises(LogError) as caught:
        bandit.learn_from(table)
    assert [line for line, _ in caught.value.refused] == [2, 3, 4]
    assert "from 0 to 1" in caught.value.refused[1].reason
    assert bandit.to_json() == before


def test_an_interruption_leaves_the_bandit_as_it_was(monkeypatch):
    bandit = lowbid.Bandit(ARMS)
    before = bandit.to_json()
    taken = lowbid.online._core.Core.take_in
    calls = iter(range(100))

    def interrupted(core, *arguments):
        if next(calls) == 10:
            raise KeyboardInterrupt
        return taken(core, *arguments)

    monkeypatch.setattr(lowbid.online._core.Core, "take_in", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bandit.learn_from(_table())
    assert bandit.to_json() == before


def test_columns_have_other_names():
    bandit = lowbid.Bandit(ARMS)
    bandit.learn_from([{"page": "blue", "seconds": 3}], arm="page", loss="seconds")
    assert bandit.means()["blue"] == 3.0
    with pytest.raises(UnknownNameError, match="no column 'arm'"):
        bandit.learn_from([{"page": "blue", "seconds": 3}], loss="seconds")


def test_losses_and_rewards_are_not_mixed():
    bandit = lowbid.Bandit(ARMS)
    bandit.update("blue", loss=1.0)
    with pytest.raises(InvalidValueError, match="takes losses, but got a reward"):
        bandit.learn_from(_table())


def test_paused_arms_learn_and_removed_ones_are_unknown():
    bandit = lowbid.Bandit([*ARMS, "red"])
    bandit.pause_arm("green")
    bandit.remove_arm("red")
    bandit.learn_from({"arm": ["green"], "reward": [2]})
    assert bandit.counts() == {"blue": 0, "green": 1}
    with pytest.raises(LogError, match="unknown arm 'red'"):
        bandit.learn_from({"arm": ["red"], "reward": [2]})


def test_arms_that_are_numbers_are_read_from_text(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("arm,reward\n0,1\n1,0\n0,1\n")
    bandit = lowbid.Bandit(2)
    assert bandit.learn_from(path) == 3
    assert bandit.counts() == {0: 2, 1: 1}


def test_an_empty_log_teaches_nothing():
    bandit = lowbid.Bandit(ARMS)
    assert bandit.learn_from({"arm": [], "reward": []}) == 0
    assert bandit.step == 1


def test_a_shared_bandit_learns_in_one_event(tmp_path):
    shared = lowbid.open(f"sqlite:///{tmp_path / 'shop.db'}", "checkout", arms=ARMS)
    alone = lowbid.Bandit(ARMS)
    before = len(list(shared.log()))
    for _ in range(2):  # the second time it is a repetition
        assert shared.learn_from(_table(), request_id="warm start") == 50
    assert alone.learn_from(_table()) == 50
    assert shared.means() == alone.means()
    assert len(list(shared.log())) == before + 1
    with pytest.raises(LogError, match="arm 'red'"):
        shared.learn_from({"arm": ["blue", "red"], "reward": [1, 1]})
    assert shared.counts() == alone.counts()
    assert shared.learn_from({"arm": [], "reward": []}) == 0
