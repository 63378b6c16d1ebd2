import contextlib

import pytest

from lowbid.shared.stores.sqlite import SQLiteStore, SQLiteTransaction
from lowbid.testing import check_store


def test_sqlite_passes(tmp_path):
    check_store(f"sqlite:///{tmp_path}/store.db")


@pytest.mark.slow
def test_postgresql_passes(postgresql_url):
    check_store(postgresql_url)


class Forgetful(SQLiteTransaction):
    def remember(self, bandit, space, time, values):
        super().remember(bandit, space, time, dict(list(values.items())[:1000]))


class Unordered(SQLiteTransaction):
    def events(self, bandit, after):
        return reversed(list(super().events(bandit, after)))


class SharedMemory(SQLiteTransaction):
    def recall(self, bandit, space, keys):
        return super().recall(bandit, "space", keys)

    def remember(self, bandit, space, time, values):
        super().remember(bandit, "space", time, values)


class Undying(SQLiteTransaction):
    def delete(self, bandit):
        self.run("DELETE FROM lowbid_bandits WHERE key = ?", (bandit,))


class Overwriting(SQLiteTransaction):
    def append(self, bandit, events):
        for event in events:
            where = (bandit, event.number)
            self.run("DELETE FROM lowbid_events WHERE bandit = ? AND number = ?", where)
        super().append(bandit, events)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (Forgetful, "memory is not as written"),
        (Unordered, "not as written"),
        (SharedMemory, "memory"),
        (Undying, "outlive"),
        (Overwriting, "same number"),
    ],
)
def test_a_broken_store_is_caught(tmp_path, broken, words):
    class Store(SQLiteStore):
        @contextlib.contextmanager
        def transaction(self, *, write):
            with super().transaction(write=write) as transaction:
                yield broken(transaction._connection)

    with pytest.raises(AssertionError, match=words):
        check_store(lambda: Store(f"sqlite:///{tmp_path}/store.db", 10.0))


def test_a_store_whose_writers_do_not_wait_is_caught(tmp_path):
    class Hasty(SQLiteStore):
        def _begin(self, connection, statement):
            super()._begin(connection, statement.replace(" IMMEDIATE", ""))

    with pytest.raises(Exception, match=r"in use|two writers|twice"):
        check_store(lambda: Hasty(f"sqlite:///{tmp_path}/store.db", 0.1))


def test_a_store_that_keeps_half_a_transaction_is_caught(tmp_path):
    class Halfway(SQLiteStore):
        @contextlib.contextmanager
        def transaction(self, *, write):
            with super().transaction(write=write) as transaction:
                try:
                    yield transaction
                except BaseException:
                    transaction.run("COMMIT")
                    raise

    with pytest.raises(AssertionError, match="failed transaction"):
        check_store(lambda: Halfway(f"sqlite:///{tmp_path}/store.db", 10.0))
