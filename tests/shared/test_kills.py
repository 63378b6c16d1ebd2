"""Processes that are killed at any moment lose nothing that was acknowledged, and repeat nothing.

``LOWBID_KILLS`` and ``LOWBID_SOAK_CALLS`` set how many kills and calls there are at least.
"""

import json
import os
import random
import signal
import time
from collections import Counter

import pytest

import lowbid
from shared_replay import replayed

KILLS = int(os.environ.get("LOWBID_KILLS", "60"))
CALLS = int(os.environ.get("LOWBID_SOAK_CALLS", "1000"))
PAUSE = 0.15  # seconds between two kills, at most
SETTINGS = {"policy": lowbid.UCB1(), "seed": 11, "reward_range": (0, 1)}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked and killed here"),
]


class Notes:
    """Lines in a file that survive any kill as soon as they are written."""

    def __init__(self, path):
        self._path = path
        self._file = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY)

    def write(self, *line):
        os.write(self._file, json.dumps(line).encode() + b"\n")

    def read(self):
        lines = self._path.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]


def work(url, folder, number, life):
    """Call the shared bandit until killed, writing down what is about to be done, and what was."""
    chance = random.Random(f"{number}/{life}")
    plans, done = Notes(folder / f"{number}.plans"), Notes(folder / f"{number}.done")
    bandit, waiting = lowbid.open(url, "b"), []
    for plan in plans.read()[-1:]:  # what the one before may have done or not: again
        waiting += carry_out(bandit, plan, done)
    turn = 0
    while True:
        turn += 1
        if waiting and chance.random() < 0.55:
            arm, identity = waiting.pop(chance.randrange(len(waiting)))
            plan = ["update", arm, identity, chance.randrange(8) / 8]
        else:
            plan = ["decide", f"{number}/{life}/{turn}", chance.randint(1, 3)]
        plans.write(*plan)
        for _ in range(1 if chance.random() < 0.8 else 2):  # now and then a retry
            waiting = [*waiting, *carry_out(bandit, plan, done)]


def carry_out(bandit, plan, done):
    """Do as planned, and give the decisions that were made."""
    if plan[0] == "decide":
        decisions = bandit.decide(plan[2], request_id=plan[1])
        done.write("decided", plan[1], [list(each) for each in decisions])
        return [tuple(each) for each in decisions]
    arm, identity, value = plan[1:]
    if bandit.update(lowbid.Decision(arm, identity), reward=value) is None:
        done.write("updated", identity, value)
    return []


class Herd:
    """Processes that work until they are killed, one after another."""

    def __init__(self, url, folder, size):
        self.url, self.folder, self.lives, self.at_work = url, folder, Counter(), {}
        for number in range(size):
            self.start(number)

    def start(self, number):
        self.lives[number] += 1
        process = os.fork()
        if process == 0:
            try:
                work(self.url, self.folder, number, self.lives[number])
            finally:
                os._exit(1)
        self.at_work[number] = process

    def kill(self, number):
        process = self.at_work.pop(number)
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        assert os.WIFSIGNALED(status), "a process ended by itself"

    def done(self):
        return [line for file in self.folder.glob("*.done") for line in Notes(file).read()]

    def sizes(self):
        return sum(file.stat().st_size for file in self.folder.glob("*.done"))


def test_processes_are_killed_at_any_moment(any_url, tmp_path):
    bandit = lowbid.open(any_url, "b", ["x", "y", "z"], **SETTINGS)
    bandit.close()
    folder = tmp_path / "notes"
    folder.mkdir()
    chance, kills, done = random.Random(5), 0, []
    herd = Herd(any_url, folder, size=8)
    give_up = time.monotonic() + 60 + PAUSE * KILLS + 0.02 * CALLS
    while (kills < KILLS or len(done) < CALLS) and time.monotonic() < give_up:
        time.sleep(chance.uniform(0.0, PAUSE))
        number = chance.randrange(8)
        herd.kill(number)
        herd.start(number)
        kills += 1
        if kills >= KILLS and kills % 20 == 0:
            done = herd.done()
    for number in list(herd.at_work):
        herd.kill(number)
    done = herd.done()
    assert kills >= KILLS
    assert len(done) >= CALLS
    print(f"{kills} kills, {len(done)} acknowledged calls")
    require_nothing_lost(bandit, done)


def require_nothing_lost(bandit, done):
    """Complain unless the log has all that was acknowledged, once, and is one bandit's own."""
    decided, updated, numbers = {}, {}, []
    for entry in bandit.log():
        numbers.append(entry.number)
        if entry.event == "decided":
            pairs = list(zip(entry.fields["arms"], entry.fields["ids"], strict=True))
            assert entry.fields["request_id"] not in decided, "a request was carried out twice"
            decided[entry.fields["request_id"]] = [list(pair) for pair in pairs]
        elif entry.event == "reported":
            for identity, _, value in entry.fields["outcomes"]:
                assert identity not in updated, "an outcome counts twice"
                updated[identity] = value
    assert numbers == list(range(1, len(numbers) + 1))
    for what, name, value in done:
        known = decided if what == "decided" else updated
        assert known.get(name) == value, f"{what} {name} was acknowledged and is lost"
    answered = Counter(name for what, name, _ in done if what == "updated")
    assert max(answered.values()) == 1
    plain = replayed(bandit, **SETTINGS)
    assert bandit.counts() == plain.counts()
    assert bandit.means() == plain.means()
    assert sum(bandit.counts().values()) == len(updated)
    assert bandit.decide().arm == plain.decide().arm
