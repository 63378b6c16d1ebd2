"""Processes that call shared bandits under attack, and what the log must show afterwards.

Each writes down what it is about to do, and what was acknowledged: whatever happens to it, the log
must have that, once. `test_kills.py` kills them, `attack.py` does that and worse.
"""

import json
import os
import random
import select
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from typing import NamedTuple

import lowbid
from lowbid.errors import StoreError
from shared_replay import replayed

ARMS = ["x", "y", "z"]
PLAIN = {"policy": lowbid.UCB1(), "seed": 11, "reward_range": (0, 1)}
WINDOW = 2  # seconds
# Sticky units, a holdout, and windows: decisions without an outcome count as 0.
RICH = {"sticky": True, "holdout": 0.2, "control": "x", "window": WINDOW, "if_silent": 0.0}
BANDITS = {"plain": PLAIN, "rich": {**PLAIN, **RICH}}
UNITS = 40


class Notes:
    """Lines in a file that survive any kill as soon as they are written."""

    def __init__(self, path):
        self._file = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY)

    def write(self, *line):
        os.write(self._file, json.dumps(line).encode() + b"\n")


def notes_in(path):
    lines = path.read_bytes().split(b"\n")[:-1]
    return [json.loads(line) for line in lines]


class Plan(NamedTuple):
    """A call: of `decide` with a request, or of `update` with an arm and a decision."""

    bandit: str
    what: str
    which: str
    more: object


class Worker:
    """Calls shared bandits; repeats a call that failed or was interrupted, with the same id."""

    def __init__(self, bandits, folder, label, chance, forks):
        self._bandits, self._folder, self._label, self._chance = bandits, folder, label, chance
        self._plans, self._done = Notes(folder / f"{label}.plans"), Notes(folder / f"{label}.done")
        self._forks, self._turn, self._children = forks, 0, []
        self._waiting, self._interruptible = [], False
        signal.signal(signal.SIGINT, self._interrupt)

    def work(self, life):
        """Go on for ever, first with what the one before may have done or not."""
        for plan in notes_in(self._folder / f"{self._label}.plans")[-1:]:
            self._insist(Plan(*plan))
        while True:
            self._step(life)

    def _step(self, life):
        chance, self._turn = self._chance, self._turn + 1
        if chance.random() < self._forks:
            self._fork(life)
        if self._waiting and chance.random() < 0.55:
            bandit, arm, identity = self._waiting.pop(chance.randrange(len(self._waiting)))
            plan = Plan(bandit, "update", identity, [arm, chance.randrange(8) / 8])
        else:
            bandit = chance.choice(list(self._bandits))
            unit = f"unit {chance.randrange(UNITS)}" if bandit == "rich" else None
            request = f"{self._label}/{life}/{self._turn}"
            plan = Plan(bandit, "decide", request, [unit, chance.randint(1, 3)])
        self._plans.write(*plan)
        for _ in range(1 if chance.random() < 0.8 else 2):  # now and then a retry
            self._insist(plan)

    def _fork(self, life):
        """Let a child make calls with the bandits that are open here."""
        self._children = [child for child in self._children if self._is_running(child)]
        self._done.write("forked")
        child = os.fork()
        if child == 0:
            label = f"{self._label}-child-{life}-{self._turn}"
            with ending():
                worker = Worker(self._bandits, self._folder, label, random.Random(label), 0.0)
                for _ in range(5):
                    worker._step(life)
                os._exit(0)
        self._children.append(child)

    def _is_running(self, child):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended and status != 0:
            self._done.write("failed", f"a forked process ended with {status}")
        return not ended

    def _insist(self, plan):
        while True:
            try:
                try:
                    self._interruptible = True
                    answer = self._carry_out(plan)
                finally:
                    self._interruptible = False
            except KeyboardInterrupt:
                self._done.write("interrupted")
            except StoreError:
                self._done.write("unavailable")
            else:
                self._keep(plan, answer)
                return

    def _carry_out(self, plan):
        bandit = self._bandits[plan.bandit]
        if plan.what == "decide":
            unit, n = plan.more
            return bandit.decide(n, unit=unit, request_id=plan.which)
        arm, value = plan.more
        return bandit.update(lowbid.Decision(arm, plan.which), reward=value)

    def _keep(self, plan, answer):
        """Write down what was acknowledged."""
        if plan.what == "decide":
            self._done.write("decided", plan.bandit, plan.which, [list(each) for each in answer])
            self._waiting += [(plan.bandit, *each) for each in answer]
        elif answer is None:
            self._done.write("updated", plan.bandit, plan.which, plan.more[1])

    def _interrupt(self, *_):
        """Ctrl-C, at any moment of a call."""
        if self._interruptible:
            self._interruptible = False
            raise KeyboardInterrupt


class ending:  # noqa: N801
    """A block of a forked process, which ends there, whatever happens."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is not None:
            traceback.print_exception(kind, error, trace, file=sys.stderr)
        os._exit(1)


class Herd:
    """Processes that work until they are killed, one after another."""

    def __init__(self, urls, folder, bandits=("plain",), forks=0.0):
        self._urls, self._folder, self._bandits, self._forks = urls, folder, bandits, forks
        self._lives, self.at_work = Counter(), {}
        self._held, self._hold = os.pipe()  # by all processes, and their children
        folder.mkdir()
        for number in range(len(urls)):
            self.start(number)

    def start(self, number):
        self._lives[number] += 1
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # until the worker is ready
        process = os.fork()
        if process != 0:
            signal.signal(signal.SIGINT, before)
        else:
            with ending():
                life, url = self._lives[number], self._urls[number]
                bandits = {name: lowbid.open(url, name, patience=30.0) for name in self._bandits}
                chance = random.Random(f"{number}/{life}")
                Worker(bandits, self._folder, str(number), chance, self._forks).work(life)
        self.at_work[number] = process

    def send(self, number, which):
        os.kill(self.at_work[number], which)

    def kill(self, number):
        """Kill a process; whether it was still at work."""
        process = self.at_work.pop(number)
        os.kill(process, signal.SIGKILL)
        return os.WIFSIGNALED(os.waitpid(process, 0)[1])

    def end(self):
        """Kill all, and wait for their forked processes; whether none ended early or hangs."""
        were = [self.kill(number) for number in list(self.at_work)]
        os.close(self._hold)
        ended, _, _ = select.select([self._held], [], [], 120.0)  # nobody holds the other end
        os.close(self._held)
        return all(were) and bool(ended)

    def done(self):
        return [line for file in self._folder.glob("*.done") for line in notes_in(file)]


def make_bandits(url, names):
    for name in names:
        lowbid.open(url, name, ARMS, **BANDITS[name]).close()


class Damage(NamedTuple):
    """What must be empty: sentences about what is wrong, by kind."""

    lost: list
    doubled: list
    differs: list


def damage(url, names, done):
    """What is wrong with the bandits, given what their callers were told."""
    found = Damage([], [], [])
    for name in names:
        with lowbid.open(url, name) as bandit:
            time.sleep(1.1 * WINDOW * (name == "rich"))  # until the last window is over
            told = [line for line in done if line[0] in ("decided", "updated") and line[1] == name]
            _compare_with_log(bandit, told, found)
            _compare_with_replay(bandit, found)
            if name == "rich":
                _compare_with_settings(bandit, found)
    found.differs.extend(line[1] for line in done if line[0] == "failed")
    return found


def _compare_with_log(bandit, told, found):
    """The log has all that was acknowledged, once."""
    logged, outcomes, ids, numbers = {}, {}, set(), []
    for entry in bandit.log():
        numbers.append(entry.number)
        if entry.event == "decided":
            request, these = entry.fields.get("request_id"), entry.fields["ids"]
            if request is not None and request in logged:
                found.doubled.append(f"request {request} was carried out twice")
            if ids & set(these):
                found.doubled.append(f"an id of {these} was given twice")
            ids.update(these)
            pairs = zip(entry.fields["arms"], these, strict=True)
            logged[request] = [list(pair) for pair in pairs]
        elif entry.event == "reported":
            for identity, _, value in entry.fields["outcomes"]:
                if identity in outcomes:
                    found.doubled.append(f"the outcome of {identity} counts twice")
                outcomes[identity] = value
    if numbers != list(range(1, len(numbers) + 1)):
        found.lost.append("the log has gaps")
    for what, _, which, value in told:
        if (logged if what == "decided" else outcomes).get(which) != value:
            found.lost.append(f"{what} {which} was acknowledged and is lost")
    taken = Counter(which for what, _, which, _ in told if what == "updated")
    found.doubled.extend(f"{which} was taken twice" for which in taken if taken[which] > 1)


def _compare_with_replay(bandit, found):
    """The state is that of all events from the first on, and of a plain bandit."""
    store = bandit._log.store.twin()
    with store.transaction(write=False) as transaction:
        whole = bandit._log._from_the_start(transaction).to_data()
        if bandit._log._loaded(transaction).to_data() != whole:
            found.differs.append(f"the snapshot of {bandit.name} and its log")
    store.close()
    if bandit.name == "plain":
        try:
            plain = replayed(bandit, **PLAIN)
            assert bandit.counts() == plain.counts()
            assert bandit.means() == plain.means()
            assert bandit.decide().arm == plain.decide().arm
        except AssertionError as error:
            found.differs.append(f"a plain bandit that gets the same calls: {error}")


def _compare_with_settings(bandit, found):
    """Units keep their arm and their group; every decision counts once, with its outcome or 0."""
    arms, groups, plays, rewards, arm_of = (
        defaultdict(set),
        defaultdict(set),
        Counter(),
        Counter(),
        {},
    )
    for entry in bandit.log():
        fields = entry.fields
        if entry.event == "decided":
            for way, arm, identity in zip(
                fields["ways"], fields["arms"], fields["ids"], strict=True
            ):
                arms[fields["unit"]].add(arm)
                groups[fields["unit"]].add(way == "h")
                if way != "h":
                    arm_of[identity] = arm
                    plays[arm] += 1
        elif entry.event == "reported":
            for identity, _, value in fields["outcomes"]:
                rewards[arm_of.get(identity)] += value
    for unit in arms:
        if len(arms[unit]) > 1 or len(groups[unit]) > 1:
            found.differs.append(f"{unit} had {arms[unit]}, and was held out: {groups[unit]}")
    counts, means = bandit.counts(), bandit.means()
    for arm in ARMS:
        if counts[arm] != plays[arm] or abs(means[arm] * counts[arm] - rewards[arm]) > 1e-6:
            found.differs.append(f"arm {arm} has {counts[arm]} outcomes for {plays[arm]} decisions")
