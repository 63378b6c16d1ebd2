"""One exchange: write this process's row, and read those of the others.

A row belongs to one process and is replaced, never added to: what is repeated, delayed or reordered
counts once. Its version rises by one with each write, so that a process notices if somebody else
wrote or closed it. Rows of processes that have been silent for a while are folded into one, and
closed: a process that wakes up after that begins a new row with what the old one did not have.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple

from lowbid.errors import StoreError
from lowbid.online import Decisions
from lowbid.policies import Policy
from lowbid.shared.fleet._journal import Journal
from lowbid.shared.fleet._member import Member
from lowbid.shared.fleet._settings import FleetSettings, read_fleet
from lowbid.shared.fleet._totals import (
    Learned,
    Totals,
    added,
    leading,
    read_pending,
    read_row,
    release,
    row_of,
    totals_of,
)
from lowbid.shared.stores import Row, Store, Transaction

# The row into which others are folded.
FOLDED = "folded"
# A row that was refused is written again at once, with what was found out.
_TRIES = 4
# A row is folded after this many exchanges without a write, but not within this time.
_SILENT_EXCHANGES, _SILENT = 100, 600 * 1_000_000
# A closed row is forgotten after this time.
_CLOSED_FOR = 30 * 86400 * 1_000_000


class Found(NamedTuple):
    """What an exchange read.

    Attributes
    ----------
    settings : FleetSettings
        The settings now.
    rows : list of Row
        All rows, without bodies.
    bodies : dict
        Those that were not known yet.
    now : int
        The time by the store's clock, in microseconds since 1970.
    """

    settings: FleetSettings
    rows: list[Row]
    bodies: dict[str, bytes]
    now: int


class Exchange:
    """The way of one process to the store; one thread at a time uses it.

    Attributes
    ----------
    version : int
        The version of this process's row, as far as it knows; 0 before the first one.
    processes : int
        How many rows were open at the last exchange.
    """

    def __init__(
        self,
        store: Store,
        fleet: int,
        member: Member,
        lock: Callable[[], AbstractContextManager[object]],
        journal: Journal | None = None,
    ) -> None:
        self._store, self._fleet, self._member, self._lock = store, fleet, member, lock
        self._journal = journal
        self.version = self._last_attempt = 0
        self._steps_told = 0
        self._attempts: dict[int, int] = {}  # how many of the outcomes since are in each
        self._known: dict[str, tuple[int, Learned]] = {}
        self._known_arms = member.settings.arms
        self.processes, self._last = 0, time.monotonic()

    @property
    def age(self) -> float:
        """How many seconds ago this process last read what the others know."""
        return time.monotonic() - self._last

    def continue_row(self, version: int) -> None:
        """Continue a row that has this version."""
        self.version = self._last_attempt = version

    def run(self) -> None:
        """Exchange once; after a `StoreError`, nothing is lost, and the next time tries again."""
        started = time.monotonic()
        for _ in range(_TRIES):
            is_written, found = self._try()
            if is_written and not self._is_folded(found.rows):
                break
            with self._lock():
                self._resolve(found.rows)
        else:
            raise StoreError(
                f"somebody else writes the row of process {self._member.process} in "
                f"{self._store.address}; give each process a journal of its own."
            )
        others = self._others(found)
        with self._lock():
            self._confirm(self._last_attempt)
            self._member.absorb(others, found.settings)
        self._last = started
        self._fold(found)

    def _try(self) -> tuple[bool, Found]:
        """Write one's own row, if there is anything to tell, and read what is new."""
        member = self._member
        with self._lock():
            learned, outcomes = member.copy_of_own()
            is_news = outcomes > 0 or learned.core.engine.step - 1 > self._steps_told
            if is_news:
                self._last_attempt += 1
                self._attempts[self._last_attempt] = outcomes
                if self._journal is not None:
                    self._journal.mark(self._last_attempt)
        body = row_of(learned) if is_news else b""
        with self._store.transaction(write=is_news) as transaction:
            is_written = not is_news or transaction.write_row(
                self._fleet,
                member.process,
                self.version,
                self._last_attempt,
                transaction.clock(),
                body,
            )
            found = self._read(transaction)
        if is_written:
            self._steps_told = learned.core.engine.step - 1
        return is_written, found

    def _is_folded(self, rows: list[Row]) -> bool:
        """Whether one's own row was closed while there was nothing to write."""
        return any(row.is_closed for row in rows if row.process == self._member.process)

    def _resolve(self, rows: list[Row]) -> None:
        """Find out what happened to the row, so that the next try succeeds."""
        row = next((row for row in rows if row.process == self._member.process), None)
        if row is not None:
            self._confirm(row.version)
        if row is not None and not row.is_closed:
            self.version = row.version
            self._last_attempt = max(self._last_attempt, row.version)
            return
        if row is not None or self.age * 1e6 > _CLOSED_FOR / 2:  # it was closed, and then dropped
            self._member.begin_again()
            self._last_attempt = self._steps_told = 0
            self._attempts.clear()
        self.version = 0  # else the store was restored from a copy that does not have it
        self._begin_journal()

    def _confirm(self, version: int) -> None:
        """The row has this version."""
        outcomes = self._attempts.get(version)
        if outcomes is not None:
            self._member.confirm(outcomes)
            self._attempts.clear()
            self.version = version
            self._begin_journal()

    def _begin_journal(self) -> None:
        if self._journal is not None:
            self._journal.begin(self._member.process, self.version, self._member.since)

    # What the others know

    def _read(self, transaction: Transaction) -> Found:
        settings, rows = read_fleet(transaction, self._fleet), transaction.rows(self._fleet)
        if settings.arms != self._known_arms:
            self._known.clear()
            self._known_arms = settings.arms
        others = [row for row in rows if not row.is_closed and row.process != self._member.process]
        news = [row.process for row in others if self._version_known(row.process) != row.version]
        bodies = transaction.row_bodies(self._fleet, news)
        return Found(settings, rows, bodies, transaction.clock())

    def _version_known(self, process: str) -> int:
        return self._known[process][0] if process in self._known else 0

    def _others(self, found: Found) -> Totals | None:
        """The totals of all rows but one's own."""
        is_open = {row.process: row.version for row in found.rows if not row.is_closed}
        self.processes = len(is_open.keys() | {self._member.process})
        for process in self._known.keys() - is_open.keys():
            del self._known[process]
        for process, body in found.bodies.items():
            learned = self._read_row(body, found.settings, process)
            self._known[process] = is_open[process], learned
        learned_by = (learned for _, (_, learned) in sorted(self._known.items()))
        return added(self._policy, map(totals_of, learned_by))

    def _read_row(self, body: bytes, settings: FleetSettings, process: str) -> Learned:
        where = f"the row of process {process} in {self._store.address}"
        return read_row(body, settings, self._member.policy, where)

    @property
    def _policy(self) -> Policy:
        """The policy as it runs, which knows the range of the losses."""
        return self._member.own.engine.policy

    # Processes that are gone

    def _fold(self, found: Found) -> None:
        """Fold the rows of processes that have been silent for long into one, and close them."""
        silence = max(_SILENT, _SILENT_EXCHANGES * found.settings.exchange)
        silent = [
            row
            for row in found.rows
            if not row.is_closed
            and row.process not in (FOLDED, self._member.process)
            and found.now - row.time > silence
        ]
        if not silent:
            return
        with self._store.transaction(write=True) as transaction:
            if transaction.lock(self._fleet) is None:
                return
            self._fold_into_one(transaction, found.settings, silent)
            transaction.drop_closed_rows(self._fleet, found.now - _CLOSED_FOR)

    def _fold_into_one(
        self, transaction: Transaction, settings: FleetSettings, silent: list[Row]
    ) -> None:
        versions = {row.process: row.version for row in transaction.rows(self._fleet)}
        bodies = transaction.row_bodies(self._fleet, [FOLDED])
        parts = [self._read_row(body, settings, FOLDED) for body in bodies.values()]
        for row in silent:
            body = transaction.close_row(self._fleet, row.process, row.version)
            if body is not None:
                learned = self._read_row(body, settings, row.process)
                release(learned.core, read_pending(body))
                parts.append(learned)
        total = added(self._policy, map(totals_of, parts))
        if total is not None:
            core = leading(parts[0].core, total, parts[0].core.engine.stream)
            core.decisions = Decisions()
            body, before = row_of(Learned(core, total.holdout)), versions.get(FOLDED, 0)
            now = transaction.clock()
            if not transaction.write_row(self._fleet, FOLDED, before, before + 1, now, body):
                raise StoreError(f"the folded row of {self._store.address} cannot be replaced.")
