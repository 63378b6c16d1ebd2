"""A minute of `make attack`, by a fixed seed."""

import os

import pytest

import attack
import lowbid
import postgresql_server
from herd import damage, make_bandits

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked and killed here")


def require_unharmed(counts, found, *faults):
    assert attack.report("attack", counts, found)
    assert all(counts[fault] > 0 for fault in (*faults, "acknowledged calls")), counts


@forks
@pytest.mark.slow
def test_a_file_under_attack():
    faults = ("kills", "stops", "interrupts", "compactions", "forks")
    require_unharmed(*attack.attack_sqlite(30.0, seed=1), *faults)


@forks
@pytest.mark.slow
@pytest.mark.skipif(postgresql_server.programs() is None, reason="needs a server of its own")
def test_a_server_under_attack():
    faults = ("kills", "stops", "interrupts", "compactions", "forks", "restarts", "cuts")
    require_unharmed(*attack.attack_postgresql(30.0, seed=1), *faults)


def change(bandit, statement, *values):
    with bandit._log.store.twin().transaction(write=True) as transaction:
        transaction.run(statement, values)


@pytest.mark.filterwarnings("ignore:event .* chose arm:RuntimeWarning")
def test_damage_is_found(tmp_path):
    url = f"sqlite:///{tmp_path}/shop.db"
    make_bandits(url, ["plain"])
    with lowbid.open(url, "plain") as bandit:
        done = []
        for request in ("a", "b", "c"):
            decision = bandit.decide(request_id=request)
            bandit.update(decision, reward=0.5)
            done += [["decided", "plain", request, [list(decision)]]]
            done += [["updated", "plain", decision.id, 0.5]]
        assert not any(damage(url, ["plain"], done))
        lost = ["decided", "plain", "d", [["x", "0-1"]]]
        assert len(damage(url, ["plain"], [*done, lost, lost]).lost) == 2
        assert len(damage(url, ["plain"], [*done, done[1]]).doubled) == 1
        assert damage(url, ["plain"], [*done, ["failed", "it crashed"]]).differs == ["it crashed"]
        body = "UPDATE lowbid_events SET body = replace(body, ?, ?) WHERE number = 3"
        change(bandit, body, "0.5", "0.75")
        found = damage(url, ["plain"], done)
        assert (len(found.lost), len(found.doubled), len(found.differs)) == (1, 0, 1)
