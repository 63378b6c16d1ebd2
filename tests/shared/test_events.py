import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowbid.errors import FileFormatError
from lowbid.shared._events import (
    ArmChanged,
    Created,
    Decided,
    Elapsed,
    Forgotten,
    LoggedEvent,
    Reported,
    event_of,
    fields_of_event,
    is_administrative,
    logged,
)


@pytest.mark.parametrize(
    "event",
    [
        Created({"arms": ["x"]}, "abcd"),
        Decided("ps", ["abcd-1", "abcd-2"], ["x", "x"], [0.5, 1.0], "r"),
        Decided("h", ["abcdh-1"], [0], [None], unit="u"),
        Reported("reward", [["abcd-1", "x", 0.1], [None, 0, 1e-300]]),
        Reported("loss", [], "r", [["abcd-1", 0.5, "late"]]),
        Forgotten(["abcd-1"]),
        ArmChanged("added", "y", "ann"),
        Elapsed(),
    ],
)
def test_events_are_read_as_they_were_written(event):
    row = logged(7, 5, event, "batch")
    assert (row.number, row.time, row.batch) == (7, 5, "batch")
    assert event_of(row) == event


def test_administrative_events():
    assert is_administrative(ArmChanged("added", "y"))
    assert not is_administrative(Forgotten(["abcd-1"]))


@pytest.mark.parametrize(
    ("name", "body"), [("danced", "{}"), ("decided", "{"), ("decided", '{"colour": 1}')]
)
def test_events_that_cannot_be_read(name, body):
    with pytest.raises(FileFormatError, match="event 3"):
        event_of(LoggedEvent(3, 0, name, "", body))


texts = st.text(max_size=5) | st.none()
arms = st.text(max_size=5) | st.integers()
identities = st.from_regex(r"[0-9a-f]{1,8}h?-[0-9]{1,9}", fullmatch=True)
values = st.floats(allow_nan=False, allow_infinity=False)


@given(texts, texts, st.lists(st.tuples(identities, arms, values | st.none()), min_size=1))
def test_decisions_are_written_as_json_writes_them(request_id, unit, decisions):
    columns = [list(column) for column in zip(*decisions, strict=True)]
    event = Decided("p" * len(decisions), *columns, request_id, unit)
    assert logged(1, 2, event, "").body == json.dumps(fields_of_event(event))


@given(
    st.sampled_from(["loss", "reward"]),
    st.lists(st.tuples(identities | st.none(), arms, values)),
    texts,
    st.lists(st.tuples(identities, values, st.sampled_from(["late", "conflict"]))),
)
def test_outcomes_are_written_as_json_writes_them(kind, outcomes, request_id, refused):
    event = Reported(kind, outcomes, request_id, refused)
    assert logged(1, 2, event, "").body == json.dumps(fields_of_event(event))
