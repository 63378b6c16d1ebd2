"""The log of a shared bandit as a file: its events, or a table of its decisions."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from lowbid._optional import needing
from lowbid._replace_file import replace_file
from lowbid.errors import InvalidValueError
from lowbid.online import Arm
from lowbid.shared._corrections import Corrections
from lowbid.shared._decision import way_of
from lowbid.shared._durations import utc
from lowbid.shared._events import HELD_OUT

_PORTION = 10_000  # rows of a Parquet file that are written at once


class LogEntry(NamedTuple):
    """An event of a bandit's log.

    Attributes
    ----------
    number : int
        Its place, from 1.
    time : int
        Microseconds since 1970, by the clock of the log.
    event : str
        The kind of event: "created", "decided", "reported", "forgotten", "arm changed", ...
    fields : dict
        The rest, as plain data.
    """

    number: int
    time: int
    event: str
    fields: dict[str, Any]

    def to_data(self) -> dict[str, Any]:
        """The entry as one object, as it is exported."""
        return {
            "number": self.number,
            "time": iso_time(self.time),
            "event": self.event,
            **self.fields,
        }


def iso_time(time: int) -> str:
    """A time of the log, as text."""
    return utc(time).isoformat().replace("+00:00", "Z")


def export_events(path: str | os.PathLike[str], entries: Iterable[LogEntry]) -> int:
    """Write events to a file, and return how many there were."""
    if Path(path).suffix == ".parquet":  # a table needs the same columns for all events
        rows = (
            {**each._asdict(), "time": iso_time(each.time), "fields": json.dumps(each.fields)}
            for each in entries
        )
        return _write(path, rows)
    return _write(path, (each.to_data() for each in entries))


def export_decisions(path: str | os.PathLike[str], entries: Iterable[LogEntry]) -> int:
    """Write one row per decision, with its outcome, and return how many there were."""
    return _write(path, decision_rows(list(entries)))


def decision_rows(entries: list[LogEntry]) -> Iterator[dict[str, Any]]:
    """Decisions with their arms, propensities and outcomes, in the order they were made."""
    outcomes: dict[str, float] = {}
    estimates: dict[str, float] = {}
    kind, window, silence = "reward", None, _Silence(entries)
    corrections = Corrections()
    for entry in entries:
        if entry.event == "amended":
            kind = entry.fields["kind"]
            for identity, value in entry.fields["outcomes"]:
                corrections.amend(entry.number, identity, value)
        elif entry.event == "voided":
            corrections.void(entry.number, entry.fields["since"], entry.fields["until"])
        if entry.event == "reported":
            kind = entry.fields["kind"]
            outcomes.update((identity, value) for identity, _, value in entry.fields["outcomes"])
        elif entry.event == "estimated":
            estimates.update(entry.fields["chances"])
    for entry in entries:
        fields = entry.fields
        if "settings" in fields:
            window = fields["settings"].get("window", window)
            kind = fields["settings"].get("kind") or kind
        if entry.event != "decided":
            continue
        rows = zip(fields["ids"], fields["arms"], fields["chances"], fields["ways"], strict=True)
        for identity, arm, chance, way in rows:
            value = outcomes.get(identity)
            if value is None and window is not None:
                value = silence.value(identity, None if way == HELD_OUT else arm, entry, window)
            corrections.note(identity, entry.time)
            value = corrections.of(identity, value)
            yield {
                "decision": identity,
                "time": iso_time(entry.time),
                "unit": fields.get("unit"),
                "way": way_of(way),
                "arm": arm,
                "propensity": estimates.get(identity, chance),
                "version": entry.number - 1,
                kind: value,
            }


class _Silence:
    """The values recorded for decisions whose windows ended without a reported outcome."""

    def __init__(self, entries: list[LogEntry]) -> None:
        self._last = entries[-1].time if entries else 0
        self._forgotten: set[str] = set()
        self._removals: list[tuple[int, int, Arm]] = []  # number and time of the event, and arm
        self._values: list[tuple[int, float | None]] = []  # `if_silent`, and when it was set
        for number, time, event, fields in entries:
            if event == "forgotten":
                self._forgotten.update(fields["ids"])
            elif event == "arm changed" and fields["change"] == "removed":
                self._removals.append((number, time, fields["arm"]))
            elif "if_silent" in fields.get("settings", {}):
                self._values.append((time, fields["settings"]["if_silent"]))

    def value(self, identity: str, arm: Arm | None, made: LogEntry, window: int) -> float | None:
        """The value recorded for a decision, given the event in which it was made.

        None if nothing was recorded: its window is still open, or it was forgotten, or its arm was
        removed meanwhile. `arm` is None for the holdout, whose decisions outlive their arm.
        """
        end = made.time + window
        removed = any(
            number > made.number and time < end and gone == arm
            for number, time, gone in self._removals
        )
        if end > self._last or identity in self._forgotten or removed:
            return None
        # An event at the end of a window, or after it, comes after the window was closed.
        return next((value for time, value in reversed(self._values) if time < end), None)


def _write(path: str | os.PathLike[str], rows: Iterable[dict[str, Any]]) -> int:
    """Write rows in the format given by the file's extension."""
    name = Path(path).name
    with replace_file(Path(path)) as file:
        if name.endswith(".parquet"):
            return _write_parquet(file, rows)
        if name.endswith((".jsonl.gz", ".ndjson.gz")):
            with gzip.open(file, "wb") as packed:
                return _write_lines(packed, rows)
        if name.endswith((".jsonl", ".ndjson")):
            return _write_lines(file, rows)
        raise InvalidValueError(
            f"the file is {name!r}; give a name that ends in .jsonl, .jsonl.gz or .parquet."
        )


def _write_lines(file: IO[bytes] | gzip.GzipFile, rows: Iterable[dict[str, Any]]) -> int:
    count = 0
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        count += 1
    return count


def _write_parquet(file: IO[bytes], rows: Iterable[dict[str, Any]]) -> int:
    message = "Parquet files need pyarrow: pip install 'lowbid[parquet]', or export to .jsonl."
    with needing("pyarrow pyarrow.parquet", message):
        import pyarrow
        import pyarrow.parquet
    found = _with_arms_of_one_type(list(rows))
    table = pyarrow.Table.from_pylist(found)
    pyarrow.parquet.write_table(table, file, row_group_size=_PORTION)
    return len(found)


def _with_arms_of_one_type(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose arms are all numbers, or all text, since a column has one type."""
    arms = {row["arm"] for row in rows if "arm" in row}
    if all(isinstance(arm, int) and abs(arm) < 2**63 for arm in arms):
        return rows
    if len({str(arm) for arm in arms}) < len(arms):
        raise InvalidValueError(
            "there are arms that differ only in being a name or a number, such as '0' and 0; a "
            "Parquet file cannot tell them apart. Export to .jsonl."
        )
    return [{**row, "arm": str(row["arm"])} for row in rows]
