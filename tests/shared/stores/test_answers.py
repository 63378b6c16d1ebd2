"""Servers that hang while their machine still answers: no call waits much longer than it should."""

import os
import random
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

import lowbid
import postgresql_server
from lowbid.errors import StoreError, StoreUnavailableError
from lowbid.shared.stores._patience import Patience
from lowbid.shared.stores.postgresql import PostgreSQLStore
from postgresql_proxy import Proxy
from shared_replay import replayed

SETTINGS = {"seed": 3, "reward_range": (0, 1)}
# Seconds that a call may take on a busy machine with a patience of one second: besides it, one more
# for the answer to a command, two to connect again, and one for the answer there.
LIMIT = 1.0 + 1.0 + 2.0 + 1.0 + 3.0


def silent_for(clock, patience, seconds):
    """How long a server is waited for that answers after so many seconds, and what it says."""
    answers = pytest.importorskip("lowbid.shared.stores._answers")

    def answered():
        while clock.now < began + seconds:
            yield "R"
        return "answer"

    began = clock.now
    waiting, said = answers._limited(answered(), patience), None
    try:
        next(waiting)
        while True:
            clock.now += 0.125  # exact in binary
            waiting.send("R" if clock.now >= began + seconds else None)
    except StopIteration as end:
        said = end.value
    except answers.NoAnswerError:
        said = "none"
    return clock.now - began, said


def test_answers_are_waited_for_until_patience_is_over(clock):
    assert silent_for(clock, Patience(5.0), 0.0) == (0.0, "answer")
    assert silent_for(clock, Patience(5.0), 4.0) == (4.0, "answer")
    taken, said = silent_for(clock, Patience(5.0), 60.0)
    assert said == "none"
    assert 5.9 <= taken <= 6.2


def test_the_answers_of_a_call_share_its_patience(clock):
    patience = Patience(5.0)
    assert silent_for(clock, patience, 4.0) == (4.0, "answer")
    taken, said = silent_for(clock, patience, 60.0)
    assert said == "none"
    assert 1.9 <= taken <= 2.2


def test_an_answer_has_a_second_even_if_patience_is_over(clock):
    patience = Patience(0.0)
    assert silent_for(clock, patience, 0.75) == (0.75, "answer")
    assert silent_for(clock, patience, 0.75) == (0.75, "answer")
    assert silent_for(clock, patience, 60.0)[1] == "none"


def test_time_in_which_this_process_was_stopped_is_not_waiting(clock):
    patience = Patience(5.0)
    clock.now += 60.0
    assert silent_for(clock, patience, 4.0) == (4.0, "answer")


@pytest.fixture
def deaf():
    """The address of a server that accepts connections, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"postgresql://ann:geheim@127.0.0.1:{listener.getsockname()[1]}/shop"


def test_a_server_that_accepts_and_never_answers(deaf):
    pytest.importorskip("psycopg")
    began = time.monotonic()
    with pytest.raises(StoreUnavailableError, match="check that the server runs") as caught:
        lowbid.open(deaf, "b", 2, patience=0.5)
    assert time.monotonic() - began < LIMIT
    assert "geheim" not in str(caught.value)


class HangingProxy(Proxy):
    """Swallows what is said, from now on or from the next commit on."""

    def __init__(self, url):
        self._silent, self._trap = set(), None
        self.everywhere = False
        super().__init__(url)

    def trap_commit(self, reached, everywhere):
        """Hang when a client commits, after the server has read that or before."""
        self._trap = reached, everywhere

    def recover(self):
        """Let clients speak with the server; what was said meanwhile stays lost."""
        self.everywhere = False

    def passed_on(self, data, connection, from_client):
        if self._trap is not None and from_client and b"COMMIT\0" in data:
            (reached, self.everywhere), self._trap = self._trap, None
            self._silent.add(connection)
            return data if reached else b"", True
        if self.everywhere:
            self._silent.add(connection)
        return (b"" if connection in self._silent else data), True


def opened(url, **more):
    return lowbid.open(url, "b", ["x", "y", "z"], patience=1.0, **SETTINGS, **more)


def play(bandit, turns):
    for turn in range(turns):
        bandit.update(bandit.decide(), reward=turn % 5 / 5)


def require_whole(bandit):
    """Complain unless the bandit agrees with a replay of its log."""
    plain = replayed(bandit, **SETTINGS)
    assert bandit.counts() == plain.counts()
    assert bandit.means() == plain.means()
    assert bandit.decide().arm == plain.decide().arm


def timed(call):
    """The error of a call, which must not take too long."""
    began = time.monotonic()
    with pytest.raises(StoreError) as caught:
        call()
    assert time.monotonic() - began < LIMIT
    return caught.value


@pytest.mark.slow
class TestHangingProxy:
    @pytest.mark.parametrize("reached", [False, True])
    def test_a_commit_in_the_middle_of_which_the_server_hangs(self, postgresql_url, reached):
        with HangingProxy(postgresql_url) as proxy:
            bandit = opened(proxy.url)
            play(bandit, 3)
            proxy.trap_commit(reached, everywhere=True)
            error = timed(lambda: bandit.decide(request_id="r"))
            assert not isinstance(error, StoreUnavailableError)  # what happened is not known
            assert "it is not known whether the commit happened" in str(error)
            assert "Repeat the call with its request id" in str(error)
            proxy.recover()
            assert bandit.summary().decisions == 3 + reached
            decision = bandit.decide(request_id="r")
            assert bandit.decide(request_id="r") == decision
            assert bandit.update(decision, reward=1.0) is None
            assert bandit.summary().decisions == 4
            require_whole(bandit)
            bandit.close()

    def test_a_commit_whose_connection_hangs_is_looked_up_on_another(self, postgresql_url):
        with HangingProxy(postgresql_url) as proxy:
            bandit = opened(proxy.url)
            play(bandit, 3)
            proxy.trap_commit(reached=True, everywhere=False)
            decision = bandit.decide()
            assert [each.id for each in bandit.pending()] == [decision.id]
            require_whole(bandit)
            bandit.close()

    def test_a_commit_that_did_not_reach_the_server_has_not_happened(self, postgresql_url):
        with HangingProxy(postgresql_url) as proxy:
            bandit = opened(proxy.url)
            play(bandit, 3)
            proxy.trap_commit(reached=False, everywhere=False)
            error = timed(bandit.decide)
            assert isinstance(error, StoreUnavailableError)
            assert "the server gives no answer" in str(error)
            assert bandit.pending() == []
            require_whole(bandit)
            bandit.close()

    def test_calls_while_the_server_hangs(self, postgresql_url):
        with HangingProxy(postgresql_url) as proxy:
            bandit = opened(proxy.url)
            play(bandit, 3)
            calls = (bandit.decide, bandit.counts, bandit.compact, lambda: list(bandit.log()))
            for call in (*calls, lambda: opened(proxy.url)):
                proxy.everywhere = True
                assert isinstance(timed(call), StoreUnavailableError)
                proxy.recover()
                assert sum(bandit.counts().values()) == 3
            require_whole(bandit)
            bandit.close()


@pytest.mark.slow
def test_a_statement_that_goes_through_a_whole_log_may_take_longer(postgresql_url):
    store = PostgreSQLStore(postgresql_url, 0.1)
    with store.transaction(write=True) as transaction:
        assert transaction.run_through("SELECT pg_sleep(2)", ()).rowcount == 1
    with (
        pytest.raises(StoreUnavailableError, match="gives no answer"),
        store.transaction(write=True) as transaction,
    ):
        transaction.run("SELECT pg_sleep(20)")
    with store.transaction(write=True) as transaction:
        assert transaction.run("SELECT 1").fetchone() == (1,)
    store.close()


def processes_of(server):
    """A server's processes, the first one first."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return [server, *map(int, children)]


def send(server, which):
    for process in processes_of(server):
        os.kill(process, which)


class Caller(threading.Thread):
    """Makes decisions and reports their outcomes; repeats what failed with the same id."""

    def __init__(self, bandit, name, turns):
        super().__init__()
        self.bandit, self.label, self.turns = bandit, name, turns
        self.acknowledged, self.failures, self.longest = {}, 0, 0.0

    def run(self):
        for turn in range(self.turns):
            request = f"{self.label}-{turn}"
            decision = self._insist(lambda request=request: self.bandit.decide(request_id=request))
            self._insist(lambda given=decision: self.bandit.update(given, reward=0.5))
            self.acknowledged[request] = decision
            time.sleep(0.02)

    def _insist(self, call):
        while True:
            began = time.monotonic()
            try:
                return call()
            except StoreError:
                self.failures += 1
            finally:
                self.longest = max(self.longest, time.monotonic() - began)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.skipif(postgresql_server.programs() is None, reason="needs a server of its own")
def test_a_server_that_is_stopped_and_goes_on():
    chance = random.Random(5)
    with postgresql_server.private_server() as (url, server):
        bandit = opened(url)
        play(bandit, 3)
        callers = [Caller(bandit, name, 50) for name in "abcd"]
        for caller in callers:
            caller.start()
        stops = 0
        while any(caller.is_alive() for caller in callers):
            time.sleep(chance.uniform(0.1, 0.5))
            send(server, signal.SIGSTOP)
            try:
                time.sleep(chance.choice([0.5, 3.0, 5.0]))
            finally:
                send(server, signal.SIGCONT)
            stops += 1
        for caller in callers:
            caller.join(20)
        assert sum(caller.failures for caller in callers) > 0
        # A thread may have to wait for the call of another, which may fail in the same way.
        assert max(caller.longest for caller in callers) < 2 * LIMIT
        summary = bandit.summary()
        assert summary.decisions == 3 + 4 * 50
        assert sum(bandit.counts().values()) == 3 + 4 * 50
        for caller in callers:
            for request, decision in caller.acknowledged.items():
                assert bandit.decide(request_id=request) == decision
        require_whole(bandit)
        bandit.close()
