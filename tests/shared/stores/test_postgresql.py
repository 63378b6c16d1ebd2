import time
import types

import pytest

import lowbid
import together
from lowbid.errors import InvalidValueError, StoreError, StoreUnavailableError
from lowbid.shared import Decide
from lowbid.shared.stores import postgresql
from lowbid.shared.stores.postgresql import PostgreSQLStore
from postgresql_proxy import CuttingProxy


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "postgresql://ann:geheim@host:5432/shop?sslmode=require",
            "postgresql://ann@host:5432/shop",
        ),
        ("postgresql://host/shop?password=geheim", "postgresql://host/shop"),
    ],
)
def test_no_secret_is_shown(url, shown):
    assert PostgreSQLStore(url, 1.0).address == shown


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:geh%eim@host/shop",
        "postgresql://ann:geheim@[::1/shop",
        "postgresql://ann:geheim@host/shop?no_such_parameter=1",
        "postgresql:shop",
    ],
)
def test_addresses_that_cannot_be_read(url):
    with pytest.raises(InvalidValueError, match="cannot be read; give it as") as caught:
        lowbid.open(url, "b", 2)
    assert "eim" not in str(caught.value)
    assert caught.value.__suppress_context__  # its reason quotes what may be a password


def test_a_server_that_is_not_there(tmp_path):
    url = f"postgresql://ann:geheim@/shop?host={tmp_path}"
    with pytest.raises(StoreUnavailableError, match="check that the server runs") as caught:
        lowbid.open(url, "b", 2, patience=0.1)
    assert "geheim" not in str(caught.value)


class RefusedError(Exception):
    """What psycopg raises when no connection was made: the words are all there is."""

    sqlstate = None
    diag = types.SimpleNamespace(message_primary=None)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ('FATAL:  database "shop" does not exist', "create it"),
        ('FATAL:  role "ann" does not exist', "user or the password is wrong"),
        ('FATAL:  password authentication failed for user "ann"', "user or the password is wrong"),
        ("fe_sendauth: no password supplied", "user or the password is wrong"),
        ("Connection refused", None),
    ],
)
def test_a_refused_connection_has_a_remedy(words, remedy):
    reason = postgresql._reason(RefusedError(f"connection failed\n\t{words}\n\t{words}\n"))
    assert reason == f"connection failed; {words}"
    found = postgresql._remedy_by_words(reason)
    assert found is None if remedy is None else remedy in found


@pytest.mark.slow
class TestWithAServer:
    def test_an_interrupt_in_the_middle_of_a_command(self, postgresql_url):
        bandit = lowbid.open(postgresql_url, "b", 2, patience=1.0)
        [lent] = bandit._log.store._pool.idle
        connection = lent._connection
        connection.pgconn.send_query(b"SELECT 1")  # as an interrupt leaves it: nobody reads on
        assert bandit.decide().arm in (0, 1)
        assert connection.closed

    def test_the_database_is_missing(self, postgresql_url):
        with pytest.raises(StoreError, match="does not exist"):
            lowbid.open(postgresql_url.replace("/lowbid_", "/no_lowbid_"), "b", 2)

    def test_connections_that_the_server_cut_are_made_again(self, postgresql_url):
        psycopg = pytest.importorskip("psycopg")
        bandit = lowbid.open(postgresql_url, "b", 3, reward_range=(0, 1))
        bandit.update(bandit.decide(), reward=1.0)
        with psycopg.connect(postgresql_url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        decision = bandit.decide(request_id="r")
        assert bandit.update(decision, reward=0.5) is None
        assert sum(bandit.counts().values()) == 2

    def test_a_commit_cut_off_in_the_middle_is_looked_up(self, postgresql_url, monkeypatch):
        bandit = lowbid.open(postgresql_url, "b", 3, reward_range=(0, 1))
        bandit.decide()
        [lent] = bandit._log.store._pool.idle
        connection = lent._connection
        real, cut = connection.commit, []

        def commit_and_lose_the_answer():
            real()
            if not cut:
                cut.append(True)
                connection.close()
                raise __import__("psycopg").OperationalError("server closed the connection")

        monkeypatch.setattr(connection, "commit", commit_and_lose_the_answer)
        bandit.decide(request_id="r")
        assert cut
        assert bandit.summary().decisions == 2

    def test_a_read_only_server(self, postgresql_url):
        lowbid.open(postgresql_url, "b", 2).close()
        url = f"{postgresql_url}&options=-c%20default_transaction_read_only%3Don"
        bandit = lowbid.open(url, "b")
        assert bandit.counts() == {0: 0, 1: 0}
        with pytest.raises(StoreError, match="takes no changes"):
            bandit.decide()

    def test_a_bandit_that_another_process_has_locked(self, postgresql_url):
        bandit = lowbid.open(postgresql_url, "b", 2, patience=1.0)
        lowbid.open(postgresql_url, "c", 2, patience=1.0)
        other = bandit._log.store.twin()
        with other.transaction(write=True) as transaction:
            transaction.lock(bandit._log.bandit)
            with pytest.raises(StoreUnavailableError, match="kept its lock for 1 s"):
                bandit.decide()
            assert lowbid.open(postgresql_url, "c").decide().arm in (0, 1)  # not locked
        assert bandit.decide().arm in (0, 1)

    def test_a_command_that_always_fails_for_now_is_not_tried_forever(self, postgresql_url):
        bandit = lowbid.open(postgresql_url, "b", 2, patience=1.0, reward_range=(0, 1))
        together.submitted(bandit, [Decide() for _ in range(700)])  # several portions
        psycopg = pytest.importorskip("psycopg")
        with psycopg.connect(postgresql_url, autocommit=True) as connection:
            connection.execute(
                "CREATE FUNCTION cancel() RETURNS trigger LANGUAGE plpgsql AS "
                "$$ BEGIN RAISE EXCEPTION 'cancelled' USING ERRCODE = '57014'; END $$"
            )
            connection.execute(
                "CREATE TRIGGER cancels BEFORE INSERT ON lowbid_events "
                "FOR EACH ROW EXECUTE FUNCTION cancel()"
            )
            began = time.monotonic()
            with pytest.raises(StoreUnavailableError, match="cancelled"):
                bandit.decide()
            assert time.monotonic() - began < 5.0
            assert bandit.summary().decisions == 700
            connection.execute("DROP TRIGGER cancels ON lowbid_events")
        assert bandit.update(bandit.decide(), reward=1.0) is None

    def test_a_network_that_is_cut_at_any_moment(self, postgresql_url):
        with CuttingProxy(postgresql_url, seed=3) as proxy:
            bandit = lowbid.open(proxy.url, "b", 3, reward_range=(0, 1), patience=30.0)
            proxy.cutting = True
            for number in range(60):
                decision = bandit.decide(request_id=f"r{number}")
                assert bandit.update(decision, reward=0.5) in (None, "repeated")
            proxy.cutting = False
            assert proxy.cuts > 5
            assert bandit.summary().decisions == 60
            assert sum(bandit.counts().values()) == 60
            bandit.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("patience", "more", "idle", "interval"),
    [(24, "", "6", "2"), (0.1, "", "1", "1"), (24, "&keepalives_idle=77", "77", "2")],
)
def test_a_machine_that_vanishes_is_noticed(postgresql_url, patience, more, idle, interval):
    url = postgresql_url + (more if "?" in postgresql_url else more.replace("&", "?"))
    store = PostgreSQLStore(url, patience)
    with store.transaction(write=False) as transaction:
        used = transaction._connection.info.get_parameters()
        # The server's settings show 0 on a socket without TCP.
        asked = transaction.run("SELECT name FROM pg_settings WHERE source = 'session'").fetchall()
    store.close()
    names = ("keepalives_idle", "keepalives_interval", "keepalives_count")
    assert [used[name] for name in names] == [idle, interval, "3"]
    assert {f"tcp_{name}" for name in names} <= {name for (name,) in asked}


def test_a_query_may_begin_while_another_is_in_the_middle(postgresql_url):
    query = "SELECT * FROM generate_series(1, 2000) ORDER BY 1"
    store = PostgreSQLStore(postgresql_url, 10.0)
    with store.transaction(write=False) as transaction:
        first = transaction.stream(query, ())
        begun = [next(first) for _ in range(600)]
        assert len(list(transaction.stream(query, ()))) == 2000
        assert len(begun + list(first)) == 2000
    store.close()
