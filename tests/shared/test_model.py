"""Random calls from several processes, compared with plain dictionaries."""

import multiprocessing
import os
import signal
import tempfile
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import lowbid
from shared_replay import replayed

SETTINGS = {"policy": lowbid.UCB1(), "seed": 2, "reward_range": (0, 1)}
PROCESSES = 3
REWARDS = st.sampled_from([0.0, 0.25, 0.5, 1.0])


def serve(pipe, url):
    """Carry out calls from a pipe on this process's own bandit."""
    bandit = lowbid.open(url, "b")
    while True:
        name, positional, named = pipe.recv()
        try:
            answer = getattr(bandit, name)(*positional, **named)
        except Exception as error:
            answer = error
        pipe.send(answer)


class Process:
    """A process with the bandit, called through a pipe."""

    def __init__(self, url):
        context = multiprocessing.get_context("fork")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=serve, args=(other, url), daemon=True)
        self._process.start()
        other.close()

    def call(self, name, *positional, **named):
        self._pipe.send((name, positional, named))
        answer = self._pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def kill(self):
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.join()
        self._pipe.close()


class SharedByProcesses(RuleBasedStateMachine):
    """The shared bandit, and what one knows of it from its answers."""

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory()
        self.url = f"sqlite:///{self.folder.name}/shop.db"
        self.reader = lowbid.open(self.url, "b", ["x", "y", "z"], **SETTINGS)
        self.processes = [Process(self.url) for _ in range(PROCESSES)]
        self.open, self.closed, self.requests = {}, {}, {}
        self.counts, self.sums = Counter(), Counter()
        self.arms, self.paused, self.removed = {"x", "y", "z"}, set(), set()
        self.made, self.counted, self.amended = {}, {}, False
        self.compacted, self.late, self.conflicts = False, set(), set()

    def one(self, data):
        return self.processes[data.draw(st.integers(0, PROCESSES - 1))]

    @rule(data=st.data(), n=st.integers(1, 3), request=st.sampled_from([None, "p", "q", "r"]))
    def decide(self, data, n, request):
        if request is not None and request in self.requests:
            n = len(self.requests[request])
        made = self.one(data).call("decide", n, request_id=request)
        if request is not None and request in self.requests:
            assert made == self.requests[request]
            return
        if request is not None:
            self.requests[request] = made
        for each in made:
            assert each.arm in self.arms - self.paused
            assert each.id not in self.open
            assert each.id not in self.closed
            self.open[each.id] = self.made[each.id] = each.arm

    @precondition(lambda self: self.open or self.closed)
    @rule(data=st.data(), value=REWARDS)
    def answer(self, data, value):
        known = sorted({**self.open, **self.closed})
        ids = data.draw(st.lists(st.sampled_from([*known, "0000-1"]), min_size=1, max_size=4))
        answers = self.one(data).call("answer", ids, rewards=[value] * len(ids))
        for identity, given in zip(ids, answers, strict=True):
            assert given == self.expected(identity, value)
            if given in (None, "removed"):
                self.open.pop(identity)
                self.closed[identity] = value
                if given is None:
                    self.count(identity, value)

    def count(self, identity, value):
        arm = self.made[identity]
        self.counts[arm] += identity not in self.counted
        self.sums[arm] += value - self.counted.get(identity, 0.0)
        self.counted[identity] = value

    @precondition(lambda self: (self.open or self.closed) and not self.compacted)
    @rule(data=st.data(), value=REWARDS)
    def amend(self, data, value):
        identity = data.draw(st.sampled_from(sorted({**self.open, **self.closed})))
        given = self.one(data).call("amend", identity, reward=value, reason="refund")
        if self.open.get(identity) in self.removed:
            assert given == "removed"
            return
        assert given is None
        self.open.pop(identity, None)
        self.closed[identity], self.amended = value, True
        self.count(identity, value)

    def expected(self, identity, value):
        if identity in self.open:
            return "removed" if self.open[identity] in self.removed else None
        if identity not in self.closed:
            return "unknown"
        if self.closed[identity] is None:
            self.late.add((identity, value))
            return "late"
        if self.closed[identity] == value:
            return "repeated"
        self.conflicts.add((identity, value))
        return "conflict"

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def forget(self, data):
        identity = data.draw(st.sampled_from(sorted(self.open)))
        arm = self.open.pop(identity)
        answer = self.one(data).call("forget", lowbid.Decision(arm, identity))
        assert answer == ("removed" if arm in self.removed else None)
        self.closed[identity] = None

    @rule(data=st.data(), change=st.sampled_from(["add", "pause", "resume", "remove"]))
    def change_arms(self, data, change):
        one = self.one(data)
        playing = sorted(self.arms - self.paused)
        if change == "add" and len(self.arms) < 5:
            name = f"arm {len(self.arms) + len(self.removed)}"
            one.call("add_arm", name)
            self.arms.add(name)
        elif change == "resume" and self.paused:
            name = data.draw(st.sampled_from(sorted(self.paused)))
            one.call("resume_arm", name)
            self.paused.remove(name)
        elif change in ("pause", "remove") and len(playing) > 1:
            name = data.draw(st.sampled_from(playing))
            one.call(f"{change}_arm", name)
            if change == "pause":
                self.paused.add(name)
            else:
                self.arms.remove(name)
                self.removed.add(name)

    @rule(number=st.integers(0, PROCESSES - 1))
    def kill(self, number):
        self.processes[number].kill()
        self.processes[number] = Process(self.url)

    @rule(data=st.data())
    def compact(self, data):
        self.one(data).call("compact", events=0)
        self.compacted = True

    @invariant()
    def all_agree(self):
        for one in (self.reader, lowbid.open(self.url, "b")):
            counts, means = one.counts(), one.means()
            assert set(counts) == self.arms
            for arm in self.arms:
                assert counts[arm] == self.counts[arm]
                assert counts[arm] == 0 or means[arm] * counts[arm] == pytest.approx(self.sums[arm])
            waiting = {each.id for each in one.pending()}
            assert waiting == {each for each, arm in self.open.items() if arm not in self.removed}

    def teardown(self):
        for process in self.processes:
            process.kill()
        if not self.compacted:
            logged = [
                (identity, value, answer)
                for entry in self.reader.log()
                for identity, value, answer in entry.fields.get("refused", ())
            ]
            assert {each[:2] for each in logged if each[2] == "late"} == self.late
            assert {each[:2] for each in logged if each[2] == "conflict"} == self.conflicts
        if not (self.compacted or self.amended):
            assert replayed(self.reader, **SETTINGS).means() == self.reader.means()
        self.reader.close()
        self.folder.cleanup()


SharedByProcesses.TestCase.settings = settings(
    max_examples=12,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestSharedByProcesses = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")(
    SharedByProcesses.TestCase
)
