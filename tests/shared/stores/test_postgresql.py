import pytest

import lowbid
from lowbid.errors import StoreError, StoreUnavailableError
from lowbid.shared.stores.postgresql import PostgreSQLStore


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


def test_a_server_that_is_not_there(tmp_path):
    url = f"postgresql://ann:geheim@/shop?host={tmp_path}"
    with pytest.raises(StoreUnavailableError, match="check that the server runs") as caught:
        lowbid.open(url, "b", 2, patience=0.1)
    assert "geheim" not in str(caught.value)


@pytest.mark.slow
class TestWithAServer:
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
        connection = bandit._log.store._connection
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
            with pytest.raises(StoreUnavailableError, match="busy"):
                bandit.decide()
            assert lowbid.open(postgresql_url, "c").decide().arm in (0, 1)  # not locked
        assert bandit.decide().arm in (0, 1)
