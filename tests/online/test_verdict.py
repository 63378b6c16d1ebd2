"""The verdict that is kept, what ends it, and what it changes."""

import copy
import json

import numpy as np
import pytest

from lowbid import Bandit, SlidingWindowUCB, UniformPlay
from lowbid.errors import InvalidValueError, StateError
from online_play import ENSEMBLE

MEANS = {"a": 0.2, "b": 0.5, "c": 0.3}


def play(bandit, rng, outcomes, means=MEANS):
    """Play every arm in turn."""
    for _ in range(outcomes // len(means)):
        for arm, mean in means.items():
            bandit.update(arm, reward=float(rng.random() < mean))


def settled(seed=0, **options):
    """A bandit that knows that b is the best arm."""
    bandit = Bandit(MEANS, ENSEMBLE, reward_range=(0, 1), seed=0, **options)
    rng = np.random.default_rng(seed)
    while not bandit.recommend().sure:
        play(bandit, rng, 90)
    return bandit


@pytest.mark.parametrize("seed", range(3))
def test_a_winner_is_not_unwon(seed):
    """The evidence falls again in most runs, but the verdict stays."""
    bandit = settled(seed, compiled="now")
    first = bandit.recommend()
    assert first.arm == "b"
    assert first.since is not None
    play(bandit, np.random.default_rng(seed + 9), 10 * first.since)
    for _ in range(20):
        bandit.update("b", reward=0.0)
        found = bandit.recommend()
        assert (found.arm, found.sure, found.since) == ("b", True, first.since)
        assert found.shortfall <= found.tolerance
        assert all(each.high <= 0.0 for each in found.differences.values())


def test_it_is_found_between_two_looks_and_not_by_looking():
    one, other = (Bandit(MEANS, ENSEMBLE, reward_range=(0, 1), seed=0) for _ in range(2))
    for bandit, looks in ((one, False), (other, True)):
        rng = np.random.default_rng(1)
        for _ in range(40):
            play(bandit, rng, 30)
            if looks:
                bandit.recommend(0.5)
    assert one.recommend() == other.recommend()
    assert one.recommend().since is not None


def test_what_is_less_than_the_verdict_is_implied_by_it():
    bandit = settled(tolerance=0.01)
    for _ in range(30):
        bandit.update("b", reward=0.0)
    assert bandit.recommend(0.9).sure
    assert bandit.recommend(tolerance=0.05).sure
    assert bandit.recommend(0.9).since == bandit.recommend().since
    strict = bandit.recommend(0.9999, tolerance=0.0)
    assert not strict.sure
    assert strict.since is None
    assert strict.arm == "b"


def test_it_can_send_all_decisions_to_the_winner():
    bandit = settled(on_sure="stop")
    assert {bandit.decide().arm for _ in range(50)} == {"b"}
    assert {bandit.select() for _ in range(50)} == {"b"}
    bandit.change(on_sure="keep")
    assert bandit.recommend().sure
    bandit.change(on_sure="stop")
    bandit.reopen()
    chosen = set()
    for _ in range(300):
        arm = bandit.select()
        chosen.add(arm)
        bandit.update(arm, reward=0.1 if arm == "b" else 0.2)
    assert len(chosen) > 1


@pytest.mark.parametrize(
    ("withdraw", "why"),
    [
        (lambda bandit: bandit.add_arm("d"), "'d' was added"),
        (lambda bandit: bandit.resume_arm("c"), "'c' was resumed"),
        (lambda bandit: bandit.pause_arm("b"), "'b' was the best arm, and was paused."),
        (lambda bandit: bandit.remove_arm("b"), "'b' was the best arm, and was removed."),
        (lambda bandit: bandit.reopen(), "the question was reopened"),
        (lambda bandit: bandit.change(confidence=0.99999), "the confidence or the tolerance"),
    ],
)
def test_what_withdraws_it(withdraw, why):
    bandit = settled()
    bandit.pause_arm("c")
    assert bandit.recommend().sure
    withdraw(bandit)
    found = bandit.recommend()
    assert found.since is None
    assert found.withdrawn.startswith(why)


def test_what_changes_nothing_about_it():
    bandit = settled()
    bandit.change(confidence=0.95, tolerance=0.0)
    bandit.pause_arm("c")
    bandit.remove_arm("c")
    bandit.resume_arm("a")  # it was not paused
    assert bandit.recommend().since is not None


def test_outcomes_since_the_verdict_can_overturn_it():
    bandit = settled(on_sure="stop", compiled="now")
    rng = np.random.default_rng(5)
    since = bandit.recommend().since
    swapped = {"a": 0.2, "b": 0.3, "c": 0.5}
    while bandit.recommend().since == since:
        play(bandit, rng, 3, swapped)
        assert bandit.step < 20 * since
    assert sum(bandit.counts().values()) <= bandit.step - since
    while not bandit.recommend().sure:
        play(bandit, rng, 3, swapped)
    assert bandit.recommend().arm == "c"


def test_an_overturned_verdict_says_why():
    bandit = settled(compiled="now")
    since = bandit.recommend().since
    rng = np.random.default_rng(5)
    for _ in range(3000):
        play(bandit, rng, 3, {"a": 0.5, "b": 0.3, "c": 0.2})
        text = bandit._core.verdicts.withdrawn
        if text:
            break
    assert text.startswith(f"'b' was the best arm, since step {since}. Since then 'a' has proved")


def test_it_is_saved_and_both_go_on_alike():
    bandit = settled(on_sure="stop", tolerance=0.02, confidence=0.9)
    rng = np.random.default_rng(5)
    for _ in range(2):
        restored = Bandit.from_json(bandit.to_json())
        twins = restored, copy.deepcopy(bandit)
        assert all(each.recommend() == bandit.recommend() for each in twins)
        for each in (bandit, *twins):
            play(each, np.random.default_rng(6), 300, {"a": 0.5, "b": 0.3, "c": 0.2})
        assert all(each.to_json() == bandit.to_json() for each in twins)
        play(bandit, rng, 30)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("confidence", 2.0),
        ("on_sure", "go"),
        ("left", -1),
        ("kept", {"arm": "x", "arms": ["a"], "since": 1, "evidence": 3.0}),
        ("kept", {"arm": "a", "arms": ["a"], "since": -1, "evidence": 3.0}),
    ],
)
def test_a_saved_verdict_that_cannot_be_is_refused(part, value):
    from lowbid.online import _saved

    body = json.loads(settled().to_json())
    del body["checksum"]
    body["verdicts"][part] = value
    text = json.dumps({**body, "checksum": _saved._checksum(body)})
    with pytest.raises(StateError, match="is not a bandit that"):
        Bandit.from_json(text)


def test_a_bandit_that_forgets_keeps_no_verdict():
    bandit = Bandit(["a", "b"], SlidingWindowUCB(100), reward_range=(0, 1))
    bandit.update_many(["a", "b"] * 500, rewards=[1.0, 0.0] * 500)
    found = bandit.recommend()
    assert found.sure
    assert found.since is None


def test_verdicts_do_not_merge():
    one, other = settled(0), settled(1)
    assert other.recommend().since is not None
    one.merge(other)
    assert one.recommend().withdrawn == "outcomes of another bandit were added"
    one.update("a", reward=0.0)
    assert one.recommend().since is not None


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (0.95, r'on_sure is 0.95; give "keep" or "stop". Confidence is a setting of its own'),
        ("halt", "on_sure is 'halt'; choose one of 'keep', 'stop'"),
        (None, "on_sure is None; choose"),
    ],
)
def test_other_words_are_refused(word, message):
    if word is not None:
        bandit = settled()
        with pytest.raises(InvalidValueError, match=message):
            bandit.change(on_sure=word, tolerance=0.1)
        assert bandit.recommend().tolerance == 0.0
        with pytest.raises(InvalidValueError, match=message):
            Bandit(["a"], UniformPlay(), on_sure=word)
