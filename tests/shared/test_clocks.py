import pytest

import lowbid

HOUR = 3600.0


def test_clocks_that_differ_by_less_than_a_minute_are_not_worth_a_word(url, clock):
    bandit = lowbid.open(url, "b", 2)
    clock.seconds -= 60
    bandit.decide()
    clock.seconds -= 1
    with pytest.warns(RuntimeWarning, match="Check the clocks"):
        bandit.decide()
    clock.seconds += 61
    bandit.decide()
    clock.seconds -= 100
    with pytest.warns(RuntimeWarning, match="is 100 s later"):
        bandit.counts()


@pytest.mark.filterwarnings("ignore:the last event:RuntimeWarning")
def test_two_processes_whose_clocks_differ_agree_on_windows_and_units(url, clock):
    settings = {"window": "30m", "if_silent": 0.0, "reward_range": (0, 1), "sticky": "90m"}
    behind = lowbid.open(url, "b", 9, lowbid.UniformPlay(), **settings)
    ahead = lowbid.open(url, "b")
    first = behind.decide(unit="ann")
    clock.seconds += HOUR  # by the other's clock
    second = ahead.decide(unit="ann")
    assert second.arm == first.arm
    assert ahead.update(first, reward=1.0) == "late"
    clock.seconds -= HOUR
    assert behind.update(first, reward=1.0) == "late"
    assert behind.update(second, reward=1.0) is None
    assert behind.means() == ahead.means()
    assert behind.decide(unit="ann").arm == first.arm
    clock.seconds += 1.5 * HOUR
    assert behind.decide(unit="ann").way == ahead.decide(unit="bob").way == "policy"
    assert behind.to_json() == ahead.to_json()


def test_a_clock_that_is_ahead_drops_no_young_answers(url, clock):
    bandit = lowbid.open(url, "b", 2, reward_range=(0, 1))
    first = bandit.decide(request_id="r")
    bandit.update(first, reward=1.0)
    clock.seconds += 60 * 24 * HOUR  # by the clock of the process that compacts
    assert lowbid.open(url, "b").compact(events="1000d", answers="30d").answers == 0
    clock.seconds -= 60 * 24 * HOUR
    assert bandit.decide(request_id="r") == first
    assert bandit.answer([first.id], rewards=[1.0]) == ["repeated"]


def test_a_clock_that_is_ahead_drops_no_young_events_or_units(url, clock):
    bandit = lowbid.open(url, "b", 9, lowbid.UniformPlay(), sticky="10m")
    bandit.decide(unit="ann")
    clock.seconds += 660
    kept = bandit.decide(unit="bob")
    bandit.decide()
    clock.seconds += 3600  # by the clock of the process that compacts
    assert lowbid.open(url, "b").compact(events="10m") == (1, 0, 1)
    clock.seconds -= 3600
    assert [entry.number for entry in bandit.log()] == [1, 3, 4]
    again = bandit.decide(unit="bob")
    assert (again.arm, again.way) == (kept.arm, "sticky")


def test_a_clock_that_is_given_is_the_clock_of_the_log(any_url):
    times = [1_700_000_000.5]
    settings = {"window": "7d", "if_silent": 0.0, "reward_range": (0, 1)}
    bandit = lowbid.open(any_url, "b", ["x", "y"], **settings, clock=lambda: times[-1])
    other = lowbid.open(any_url, "b", clock=lambda: times[-1])
    bought, _ = bandit.decide(2)
    assert other.update(bought, reward=1.0) is None
    times.append(times[-1] + 7 * 24 * HOUR)
    assert sum(other.counts().values()) == sum(bandit.counts().values()) == 2
    assert bandit.summary().created == round(times[0] * 1e6)
    assert [entry.time for entry in bandit.log()][-1] == round(times[-1] * 1e6)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"clock": 5.0}, "give a function"),
        ({"clock": lambda: float("nan")}, r"clock\(\) is nan"),
        ({"clock": lambda: 0.0, "exchange": "1s"}, "a fleet has no clock"),
    ],
)
def test_clocks_that_are_refused(url, given, match):
    with pytest.raises(lowbid.errors.InvalidValueError, match=match):
        lowbid.open(url, "b", ["x", "y"], **given)
