import pytest

import lowbid
from lowbid.errors import InvalidValueError
from lowbid.shared._windows import Windows

HOUR = 3600.0


def test_windows_close_in_the_order_of_their_ends():
    windows = Windows()
    for name, end in [("a", 30), ("b", 10), ("c", 20), ("d", 10)]:
        windows.open(name, end)
    windows.hold("d", 1.0)
    windows.discard("c")
    assert windows.is_over("b", 10)
    assert not windows.is_over("b", 9)
    assert not windows.due(9)
    copy = Windows.from_data(windows.to_data())
    for each in (windows, copy):
        assert list(each.close(19)) == [("b", None), ("d", 1.0)]
        assert list(each.close(30)) == [("a", None)]
        assert each.held == {}


def test_an_outcome_counts_when_its_window_is_over(url, clock):
    bandit = lowbid.open(url, "b", ["x", "y"], window="1h", if_silent=0.0, reward_range=(0, 1))
    first, second, third = bandit.decide(3)
    clock.seconds += 60
    assert bandit.update(first, reward=1.0) is None
    assert bandit.update(first, reward=1.0) == "repeated"
    assert bandit.answer([first.id, first.id], rewards=[1.0, 0.5]) == ["repeated", "conflict"]
    assert sum(bandit.counts().values()) == 0
    assert bandit.pending() == [second, third]
    clock.seconds += HOUR - 61
    assert sum(bandit.counts().values()) == 0
    clock.seconds += 1
    assert bandit.update(second, reward=1.0) == "late"
    assert sum(bandit.counts().values()) == 3
    arms = {each.arm for each in (first, second, third)}
    assert sum(bandit.counts()[arm] * bandit.means()[arm] for arm in arms) == 1.0
    assert bandit.pending() == []


def test_without_if_silent_a_decision_is_forgotten(url, clock):
    bandit = lowbid.open(url, "b", ["x", "y"], window=HOUR, reward_range=(0, 1))
    bandit.decide(2)
    clock.seconds += HOUR
    assert bandit.counts() == {"x": 0, "y": 0}
    assert bandit.pending() == []


def test_the_policy_learns_in_the_order_in_which_windows_end(url, clock):
    bandit = lowbid.open(url, "b", 3, window=10.0, if_silent=0.25, reward_range=(0, 1), seed=3)
    plain = lowbid.Bandit(3, reward_range=(0, 1), seed=3)
    waiting, told = [], {}
    for turn in range(60):
        clock.seconds += 1.0
        while waiting and waiting[0][0] <= clock.seconds:
            _, shared, own = waiting.pop(0)
            plain.update(own, reward=told.get(shared.id, 0.25))
        shared, own = bandit.decide(), plain.decide()
        assert shared.arm == own.arm
        waiting.append((clock.seconds + 10.0, shared, own))
        if turn % 3:
            told[shared.id] = turn % 7 / 7
            assert bandit.update(shared, reward=told[shared.id]) is None
    assert plain.means() == bandit.means()


def test_a_clock_that_jumps_back_holds_time_still(url, clock):
    bandit = lowbid.open(url, "b", 2, window="1h", reward_range=(0, 1))
    decision = bandit.decide()
    clock.seconds -= 10 * HOUR
    with pytest.warns(RuntimeWarning, match=r"bandit 'b' in sqlite:.* is 36,000 s later"):
        bandit.decide()
    assert bandit.update(decision, reward=1.0) is None  # without another warning
    times = [entry.time for entry in bandit.log()]
    assert times == sorted(times)
    clock.seconds += 11 * HOUR
    assert sum(bandit.counts().values()) == 1


def test_another_window_is_for_decisions_to_come(url, clock):
    bandit = lowbid.open(url, "b", 2, window="1h", if_silent=0.0, reward_range=(0, 1))
    bandit.decide()
    bandit.change(window="10s", if_silent=1.0)
    bandit.decide()
    clock.seconds += 10
    assert [
        bandit.counts()[arm] * bandit.means()[arm] for arm in (0, 1) if bandit.counts()[arm]
    ] == [1.0]
    clock.seconds += HOUR
    assert sum(bandit.counts().values()) == 2


def test_two_processes_agree_on_what_is_over(url, clock):
    first = lowbid.open(url, "b", 2, window="1m", if_silent=0.0, reward_range=(0, 1))
    second = lowbid.open(url, "b")
    for turn in range(20):
        clock.seconds += 13
        one = (first, second)[turn % 2]
        one.update(one.decide(), reward=turn / 20)
    assert first.means() == second.means()
    assert first.to_json() == second.to_json()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"if_silent": 0.0, "reward_range": (0, 1)}, "without a window"),
        ({"window": "1h", "if_silent": 0.0}, "loss or a reward"),
        ({"window": "1h", "if_silent": 2.0, "reward_range": (0, 1)}, "from 0 to 1"),
        ({"window": "1h", "expiry": 3}, "choose one way"),
        ({"window": "an hour"}, "90s"),
        ({"window": 0}, "90s"),
        ({"window": "-1h"}, "90s"),
    ],
)
def test_windows_that_make_no_sense(url, settings, words):
    with pytest.raises(InvalidValueError, match=words):
        lowbid.open(url, "b", 2, **settings)


def test_the_kind_can_be_said_without_a_range(url, clock):
    bandit = lowbid.open(url, "b", 2, window="1h", if_silent=0.0, kind="reward")
    bandit.decide()
    clock.seconds += HOUR
    assert sum(bandit.counts().values()) == 1


@pytest.mark.parametrize(("kind", "plural"), [("reward", "rewards"), ("loss", "losses")])
def test_silence_counts_as_a_value_that_the_bandit_takes(url, kind, plural):
    settings = {"window": "1h", f"{kind}_range": (0, 1)}
    words = rf"if_silent is -5, .* the {kind} of .* takes {plural} from 0 to 1; give one of those"
    with pytest.raises(InvalidValueError, match=words):
        lowbid.open(url, "b", 2, if_silent=-5, **settings)
    bandit = lowbid.open(url, "b", 2, **settings)
    with pytest.raises(InvalidValueError, match=words):
        bandit.change(if_silent=-5)
