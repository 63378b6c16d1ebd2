"""Checks that every store for shared bandits must pass, including your own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lowbid.online import Bandit
from lowbid.shared import LoggedEvent, SharedBandit
from lowbid.shared import open as open_bandit
from lowbid.shared.stores import Store, Transaction, store_at

_FIRST = "check-store-1"
_SECOND = "check-store-2"
_AWKWARD = "Ünïcode 🎲 'quoted' \"twice\" \\ %s ? {} \t;--"


def check_store(store: str | Callable[[], Store]) -> None:
    """Raise an AssertionError if a store does not do what shared bandits rely on.

    It needs an empty store that nothing else uses, and leaves it empty.

    Parameters
    ----------
    store : str or function
        The store's URL, or a function that returns a new `Store` at the same address each time.

    Examples
    --------
    >>> import lowbid, tempfile
    >>> from lowbid.testing import check_store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_store(f"sqlite:///{folder}/store.db")
    """
    make = store if callable(store) else lambda: store_at(store)
    checks = (
        _bandits_come_and_go,
        _events_are_kept_in_order,
        _a_failed_transaction_leaves_nothing,
        _readers_see_what_was_committed,
        _writers_of_a_bandit_take_turns,
        _events_and_memory_can_be_dropped,
        _snapshots_are_replaced,
        _rows_are_replaced_until_they_are_closed,
        _memory_is_kept_by_key,
        _documents_are_kept_by_key,
        _a_twin_and_a_closed_store_go_on,
        _a_bandit_lives_in_it,
        _many_threads_share_a_bandit,
    )
    for check in checks:
        stores = [make(), make()]
        try:
            check(*stores)
        finally:
            with stores[0].transaction(write=True) as transaction:
                for bandit in transaction.bandits():
                    transaction.delete(bandit.key)
            for each in stores:
                each.close()


def _bandits_come_and_go(store: Store, other: Store) -> None:
    with store.transaction(write=True) as transaction:
        now = transaction.clock()
        key = _created(transaction, _FIRST)
        _expect(transaction.create(_FIRST, 1, now) is None, "two bandits can have one name")
        second = transaction.create(_AWKWARD, 7, 123)
    with other.transaction(write=False) as transaction:
        names = sorted(bandit.name for bandit in transaction.bandits())
        _expect(names == sorted([_FIRST, _AWKWARD]), f"bandits are listed as {names}")
        found = transaction.find(_AWKWARD)
        _expect(found == (second, _AWKWARD, 7, 123), f"a bandit is found as {found}")
        _expect(transaction.find("no such") is None, "a bandit is found that was never created")
        head = transaction.lock(key)
        _expect(head is not None and head.format == 1, "lock does not return the format")
    with other.transaction(write=True) as transaction:
        transaction.rename(key, _SECOND)
        transaction.append(key, [_event(1)])
        transaction.remember(key, "space", 1, {"key": "value"})
        transaction.keep_snapshot(key, b"snapshot")
    with store.transaction(write=True) as transaction:
        found = transaction.find(_SECOND)
        _expect(found is not None and found.key == key, "a renamed bandit has another key")
        transaction.delete(key)
    with other.transaction(write=False) as transaction:
        _expect(transaction.find(_SECOND) is None, "a deleted bandit is still found")
        _expect(transaction.lock(key) is None, "a deleted bandit can be locked")
        _expect(list(transaction.events(key, 0)) == [], "events outlive their bandit")
        _expect(transaction.recall(key, "space", ["key"]) == {}, "memory outlives its bandit")
        _expect(transaction.snapshot(key) is None, "a snapshot outlives its bandit")


def _events_are_kept_in_order(store: Store, other: Store) -> None:
    with store.transaction(write=True) as transaction:
        key, second = _created(transaction, _FIRST), _created(transaction, _SECOND)
        transaction.append(key, [_event(number) for number in range(1, 1201)])
        transaction.append(second, [_event(1, body="of another bandit")])
    with other.transaction(write=False) as transaction:
        rows = list(transaction.events(key, 0))
        _expect(rows == [_event(number) for number in range(1, 1201)], "events are not as written")
        tail = [row.number for row in transaction.events(key, 1190)]
        _expect(tail == list(range(1191, 1201)), f"events after 1190 are {tail}")
        _expect(transaction.event(key, 77) == _event(77), "one event is not as written")
        _expect(transaction.event(key, 5000) is None, "an event is found that was never written")
        _expect(len(list(transaction.events(second, 0))) == 1, "bandits share their events")
    try:
        with other.transaction(write=True) as transaction:
            transaction.append(key, [_event(1200)])
    except Exception:
        return
    raise AssertionError("the store: two events can have the same number")


def _a_failed_transaction_leaves_nothing(store: Store, other: Store) -> None:
    with store.transaction(write=True) as transaction:
        key = _created(transaction, _FIRST)
    for error in (ValueError, KeyboardInterrupt):
        try:
            with store.transaction(write=True) as transaction:
                transaction.lock(key)
                transaction.append(key, [_event(1)])
                transaction.remember(key, "space", 1, {"key": "value"})
                transaction.put_document("space", "key", "body")
                raise error
        except error:
            pass
        with other.transaction(write=False) as transaction:
            _expect(list(transaction.events(key, 0)) == [], "a failed transaction leaves events")
            _expect(transaction.recall(key, "space", ["key"]) == {}, "... leaves memory")
            _expect(transaction.documents("space") == {}, "... leaves documents")
    with store.transaction(write=True) as transaction:
        transaction.append(key, [_event(1)])


def _readers_see_what_was_committed(store: Store, other: Store) -> None:
    with store.transaction(write=True) as transaction:
        key = _created(transaction, _FIRST)
    with store.transaction(write=True) as transaction:
        transaction.lock(key)
        transaction.append(key, [_event(1)])
        with other.transaction(write=False) as reader:
            _expect(list(reader.events(key, 0)) == [], "a reader sees what is not committed")
    with other.transaction(write=False) as reader:
        _expect(len(list(reader.events(key, 0))) == 1, "a reader does not see what is committed")


def _writers_of_a_bandit_take_turns(store: Store, other: Store) -> None:
    with store.transaction(write=True) as transaction:
        key = _created(transaction, _FIRST)

    def count_up(mine: Store) -> None:
        for _ in range(25):
            with mine.transaction(write=True) as transaction:
                transaction.lock(key)
                last = max([row.number for row in transaction.events(key, 0)], default=0)
                transaction.append(key, [_event(last + 1)])

    with _running(count_up, other):
        count_up(store)
    with store.transaction(write=False) as transaction:
        numbers = [row.number for row in transaction.events(key, 0)]
    _expect(numbers == list(range(1, 51)), f"two writers made the events {numbers}")


def _events_and_memory_can_be_dropped(store: Store, other: Store) -> None:
    with store.transaction(write=True) as transaction:
        key, second = _created(transaction, _FIRST), _created(transaction, _SECOND)
        for bandit in (key, second):
            rows = [_event(number) for number in range(1, 9)]
            rows[2] = rows[2]._replace(name="kept")
            transaction.append(bandit, rows)
            for time in (10, 20, 30):
                transaction.remember(bandit, "space", time, {str(time): "value"})
    with other.transaction(write=True) as transaction:
        dropped = transaction.drop_events(key, 6, 1005, ["kept", "this too"])
        forgotten = transaction.forget(key, "space", 30)
    _expect(dropped == 3, f"{dropped} events were dropped, not 3")
    _expect(forgotten == 2, f"{forgotten} entries of the memory were dropped, not 2")
    with store.transaction(write=False) as transaction:
        numbers = [row.number for row in transaction.events(key, 0)]
        _expect(numbers == [3, 5, 6, 7, 8], f"the events {numbers} were left")
        _expect(len(list(transaction.events(second, 0))) == 8, "another bandit lost events")
        left = transaction.recall(key, "space", ["10", "20", "30"])
        _expect(left == {"30": "value"}, f"the memory has {left} left")
        _expect("10" in transaction.recall(second, "space", ["10"]), "another bandit lost memory")


def _snapshots_are_replaced(store: Store, other: Store) -> None:
    body = bytes(range(256)) * 4000
    with store.transaction(write=True) as transaction:
        key = _created(transaction, _FIRST)
        _expect(transaction.snapshot(key) is None, "there is a snapshot before one was stored")
        transaction.keep_snapshot(key, b"first")
        transaction.keep_snapshot(key, body)
    with other.transaction(write=False) as transaction:
        _expect(transaction.snapshot(key) == body, "a snapshot is not as written")


def _rows_are_replaced_until_they_are_closed(store: Store, other: Store) -> None:
    body = bytes(range(256)) * 4000
    with store.transaction(write=True) as transaction:
        key, second = _created(transaction, _FIRST), _created(transaction, _SECOND)
        written = [
            transaction.write_row(key, "a", before, version, 10 * version, some)
            for before, version, some in [(0, 1, b"1"), (1, 3, body), (1, 4, b""), (2, 5, b"")]
        ]
        _expect(written == [True, True, False, False], f"rows of other versions: {written}")
        _expect(not transaction.write_row(key, "a", 0, 9, 5, b""), "a row can begin twice")
        _expect(not transaction.write_row(key, "b", 1, 2, 5, b""), "a missing row is replaced")
        transaction.write_row(key, "b", 0, 1, 5, b"b")
        transaction.write_row(second, "a", 0, 1, 5, b"of another bandit")
    with other.transaction(write=True) as transaction:
        found = [tuple(row) for row in transaction.rows(key)]
        _expect(found == [("a", 3, 30, False), ("b", 1, 5, False)], f"rows are {found}")
        bodies = transaction.row_bodies(key, ["b", "a", "no such"])
        _expect(bodies == {"a": body, "b": b"b"}, "the bodies of rows are not as written")
        _expect(transaction.close_row(key, "a", 1) is None, "a row of another version is closed")
        _expect(transaction.close_row(key, "b", 1) == b"b", "a row is closed without its body")
        _expect(transaction.close_row(key, "b", 1) is None, "a closed row is closed again")
    with store.transaction(write=True) as transaction:
        _expect(not transaction.write_row(key, "b", 1, 2, 60, b""), "a closed row is replaced")
        _expect(not transaction.write_row(key, "b", 0, 1, 60, b""), "a closed row begins again")
        _expect(transaction.row_bodies(key, ["b"]) == {}, "a closed row has a body")
        transaction.drop_closed_rows(key, 5)
        closed = [tuple(row) for row in transaction.rows(key) if row.is_closed]
        _expect(closed == [("b", 1, 5, True)], f"closed rows are {closed}")
        transaction.drop_closed_rows(key, 6)
        _expect([row.process for row in transaction.rows(key)] == ["a"], "wrong rows are dropped")
        _expect(len(transaction.rows(second)) == 1, "another bandit lost rows")
        transaction.delete(key)
        _expect(transaction.rows(key) == [], "rows outlive their bandit")


def _memory_is_kept_by_key(store: Store, other: Store) -> None:
    many = {f"key {number}": str(number) for number in range(1200)}
    with store.transaction(write=True) as transaction:
        key = _created(transaction, _FIRST)
        transaction.remember(key, "space", 1, many)
        transaction.remember(key, "space", 2, {"key 5": _AWKWARD, _AWKWARD: "5"})
        transaction.remember(key, "other", 2, {"key 5": "elsewhere"})
    with other.transaction(write=False) as transaction:
        found = transaction.recall(key, "space", [*many, _AWKWARD, "no such"])
        _expect(found == {**many, "key 5": _AWKWARD, _AWKWARD: "5"}, "memory is not as written")
        _expect(transaction.recall(key, "space", []) == {}, "memory has unrequested keys")


def _documents_are_kept_by_key(store: Store, other: Store) -> None:
    with store.transaction(write=True) as transaction:
        transaction.put_document("space", "b", "first")
        transaction.put_document("space", "b", _AWKWARD)
        transaction.put_document("space", "a", "x" * 100_000)
        transaction.put_document("other", "b", "elsewhere")
    with other.transaction(write=True) as transaction:
        found = transaction.documents("space")
        _expect(found == {"a": "x" * 100_000, "b": _AWKWARD}, "documents are not as written")
        for space, name in (("space", "a"), ("space", "b"), ("other", "b"), ("other", "no such")):
            transaction.drop_document(space, name)
        _expect(transaction.documents("space") == {}, "a dropped document is still there")


def _a_twin_and_a_closed_store_go_on(store: Store, other: Store) -> None:
    with store.transaction(write=True) as transaction:
        key = _created(transaction, _FIRST)
    store.close()
    store.close()
    with store.transaction(write=True) as transaction:
        transaction.append(key, [_event(1)])
    twin = store.twin()
    with store.transaction(write=False), twin.transaction(write=False) as transaction:
        _expect(len(list(transaction.events(key, 0))) == 1, "a twin is not at the same address")
    twin.close()


def _a_bandit_lives_in_it(store: Store, other: Store) -> None:
    bandits = [open_bandit(store, _AWKWARD, ["x", "y", "z"], seed=3, reward_range=(0, 1))]
    bandits.append(open_bandit(other, _AWKWARD))
    plain = Bandit(["x", "y", "z"], seed=3, reward_range=(0, 1))
    for turn in range(60):
        bandit = bandits[turn % 2]
        decision, own = bandit.decide(request_id=f"request {turn}", unit=_AWKWARD), plain.decide()
        _expect(decision.arm == own.arm, f"decision {turn} is not the one of a plain bandit")
        again = bandits[1 - turn % 2].decide(request_id=f"request {turn}", unit=_AWKWARD)
        _expect(again == decision, "a repeated request gives another decision")
        reward = turn % 7 / 7
        _expect(bandit.update(decision, reward=reward) is None, "an outcome was not taken")
        plain.update(own, reward=reward)
        again_taken = bandits[1 - turn % 2].update(decision, reward=reward)
        _expect(again_taken == "repeated", "an outcome was taken twice")
    for bandit in bandits:
        _expect(bandit.means() == plain.means(), "the means are not those of a plain bandit")
    _expect(bandits[0].amend(decision, reward=0.5) is None, "an outcome was not amended")
    _expect(bandits[1].means() == bandits[0].means() != plain.means(), "an amendment is not seen")
    bandits[1].amend(decision, reward=reward)
    for bandit in bandits:
        _expect(bandit.means() == plain.means(), "amending back does not restore the means")
    before = bandits[0].to_json()
    _expect(bandits[0].compact(events=0).events > 0, "compaction dropped nothing")
    fresh = open_bandit(store.twin(), _AWKWARD)
    _expect(fresh.to_json() == before, "a compacted bandit has another state")
    fresh.close()


def _many_threads_share_a_bandit(store: Store, other: Store) -> None:
    bandits = [open_bandit(store, _FIRST, 3, reward_range=(0, 1)), open_bandit(other, _FIRST)]

    def work(bandit: SharedBandit) -> None:
        for turn in range(10):
            bandit.update(bandit.decide(), reward=turn / 10)

    with (
        _running(work, bandits[0]),
        _running(work, bandits[1]),
        _running(work, bandits[0]),
    ):
        work(bandits[1])
    counts = [sum(bandit.counts().values()) for bandit in bandits]
    _expect(counts == [40, 40], f"of 40 outcomes {counts} were counted")
    numbers = [entry.number for entry in bandits[0].log()]
    _expect(numbers == list(range(1, 82)), "the log has gaps")


@contextmanager
def _running(work: Callable[..., None], *arguments: object) -> Iterator[None]:
    """Run a function in another thread during the block."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work(*arguments)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    if errors:
        raise errors[0]


def _created(transaction: Transaction, name: str) -> int:
    key = transaction.create(name, 1, transaction.clock())
    _expect(key is not None, "a bandit cannot be created")
    return key or 0


def _event(number: int, body: str = _AWKWARD) -> LoggedEvent:
    return LoggedEvent(number, 1000 + number, "something", "batch", body)


def _expect(condition: bool, complaint: str) -> None:
    """Raise an AssertionError if a promise is broken."""
    if not condition:
        raise AssertionError(f"the store: {complaint}")
