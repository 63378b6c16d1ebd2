import datetime

import pytest

from lowbid.errors import InvalidValueError
from lowbid.shared._durations import microseconds, shown_duration, utc


@pytest.mark.parametrize(
    ("given", "seconds", "shown"),
    [
        ("90s", 90, "90s"),
        ("15m", 900, "15m"),
        ("15min", 900, "15m"),
        (" 1.5 h ", 5400, "90m"),
        ("30d", 2_592_000, "30d"),
        ("2w", 1_209_600, "14d"),
        (0.25, 0.25, "0.25s"),
        (datetime.timedelta(hours=1), 3600, "1h"),
    ],
)
def test_spans_of_time(given, seconds, shown):
    assert microseconds("window", given) == round(seconds * 1e6)
    assert shown_duration(microseconds("window", given)) == shown


@pytest.mark.parametrize(
    "given", ["", "1", "h", "1 hour", "-1h", 0, -1, True, float("nan"), float("inf"), None, "1e9d"]
)
def test_what_is_no_span_of_time(given):
    with pytest.raises(InvalidValueError, match="window is"):
        microseconds("window", given)


@pytest.mark.parametrize("given", ["0s", 0, "0.0h", datetime.timedelta(0)])
def test_no_time_at_all_is_said_to_be_too_little(given):
    with pytest.raises(InvalidValueError, match=r"answers is .*; give more than 0"):
        microseconds("answers", given)
    assert microseconds("events", given, at_least=0) == 0


def test_times_are_dates():
    assert utc(1_700_000_000_000_001).isoformat() == "2023-11-14T22:13:20.000001+00:00"
