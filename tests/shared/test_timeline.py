import itertools
import json
from collections import Counter

import pytest

from lowbid.shared._timeline import Timeline

DAY = 86_400_000_000


@pytest.mark.parametrize("gap", [1, 77, 5_000, 90_000])
def test_no_decision_is_lost_and_memory_is_bounded(gap):
    timeline, arms = Timeline(), Counter()
    for number in range(3000):
        timeline.add(f"arm {number % 3}", number * gap * 1_000_000)
        arms[f"arm {number % 3}"] += 1
    shares = timeline.shares()
    assert len(shares) <= 200
    assert sum((Counter(share.counts) for share in shares), Counter()) == arms
    assert all(first.end <= second.start for first, second in itertools.pairwise(shares))
    assert timeline.decisions == 3000


def test_a_span_has_the_decisions_made_in_it():
    timeline = Timeline()
    for second in (0, 59, 60, 61, 200):
        timeline.add(second % 2, second * 1_000_000)
    assert [(share.start // 1_000_000, share.counts) for share in timeline.shares()] == [
        (0, {0: 1, 1: 1}),
        (60, {0: 1, 1: 1}),
        (180, {0: 1}),
    ]


def test_decisions_of_today():
    timeline = Timeline()
    for time in (DAY - 1, DAY, DAY + 5, 2 * DAY - 1):
        timeline.add("x", time)
    assert timeline.today(2 * DAY - 1) == 3
    assert timeline.today(2 * DAY) == 0


def test_it_can_be_saved():
    timeline = Timeline()
    for number in range(500):
        timeline.add(number % 2, number * 60_000_000)
    copy = Timeline.from_data(json.loads(json.dumps(timeline.to_data())))
    for each in (timeline, copy):
        each.add("y", 10**12)
    assert copy.shares() == timeline.shares()
    assert copy.today(10**12) == timeline.today(10**12)
