"""Which decisions exported by a shared bandit make up a log.

`SharedBandit.export_decisions` writes one row per decision, with the way its arm was chosen: by the
policy, because the unit already had it ("sticky"), or because the unit is held out.
"""

from __future__ import annotations

from lowbid.errors import InvalidValueError
from lowbid.logs._sources import Table

_DECISIONS = {"decision", "way", "arm", "propensity"}
_EVENTS = {"number", "time", "event"}


def is_export(table: Table) -> bool:
    """Whether a table was written by `export_decisions`."""
    return table.columns.keys() >= _DECISIONS


def require_no_events(table: Table) -> None:
    """Refuse the events themselves, which `export` writes."""
    if table.columns.keys() >= _EVENTS and "decision" not in table.columns:
        raise InvalidValueError(
            f"{table.name} has the events of a shared bandit; write its decisions instead, with "
            "their outcomes: bandit.export_decisions(path)."
        )


def answered(table: Table, outcome: str, ways: tuple[str, ...]) -> Table:
    """The decisions whose outcome is known and whose arm was chosen in one of these ways."""
    rows = [
        row
        for row, (way, value) in enumerate(
            zip(table.columns["way"], table.columns[outcome], strict=True)
        )
        if way in ways and value is not None
    ]
    columns = {name: [column[row] for row in rows] for name, column in table.columns.items()}
    return table._replace(columns=columns, lines=[table.lines[row] for row in rows])
