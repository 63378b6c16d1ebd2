"""Attack shared bandits for as long as you like, and count what was lost.

    make attack                          # a minute each on SQLite and on PostgreSQL
    make attack SECONDS=600 SEED=3

Processes make decisions and report outcomes, on a plain bandit and on one with sticky units, a
holdout and windows. They are killed, stopped and interrupted, the log is compacted, and some fork
in between. On PostgreSQL, the server restarts as after a crash, and half of the connections are cut
in the middle of a message. Then everything that was acknowledged is looked for in the log, and the
log is replayed. Exits with 1 if anything is missing, counts twice or differs. The seed chooses the
faults, not the moment at which each meets a process.
"""

import argparse
import contextlib
import multiprocessing
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import lowbid
import postgresql_server
from herd import BANDITS, Herd, damage, make_bandits
from postgresql_proxy import CuttingProxy

WORKERS = 8
PAUSE = 0.1  # seconds between two faults, at most
LONGEST_STOP = 0.5  # seconds
FORKS = 0.01  # the share of calls before which a process forks
# How often each fault is chosen, relative to the others.
FAULTS = {"kills": 10, "stops": 4, "interrupts": 20, "compactions": 1, "restarts": 1}
NAMES = list(BANDITS)


class Attack:
    """Faults of all kinds on the processes of a herd, by seed."""

    def __init__(self, herd, url, seed, without=()):
        self._herd, self._url, self._chance = herd, url, random.Random(seed)
        self._weights = {name: FAULTS[name] for name in FAULTS if name not in without}
        self.counts, self.all_at_work = Counter(), True

    def go_on(self, seconds):
        """Every fault once, then by chance."""
        until = time.monotonic() + seconds
        for fault in self._weights:
            self._cause(fault)
        while time.monotonic() < until:
            [fault] = self._chance.choices(list(self._weights), list(self._weights.values()))
            self._cause(fault)

    def _cause(self, fault):
        time.sleep(self._chance.uniform(0.0, PAUSE))
        getattr(self, f"_{fault}")(self._chance.randrange(WORKERS))
        self.counts[fault] += 1

    def _kills(self, number):
        self.all_at_work &= self._herd.kill(number)
        self._herd.start(number)

    def _stops(self, number):
        self._herd.send(number, signal.SIGSTOP)
        time.sleep(self._chance.uniform(0.0, LONGEST_STOP))
        self._herd.send(number, signal.SIGCONT)

    def _interrupts(self, number):
        self._herd.send(number, signal.SIGINT)

    def _compactions(self, number):
        with lowbid.open(self._url, NAMES[number % len(NAMES)], patience=30.0) as bandit:
            bandit.compact(events="1000d")  # all are needed for the count

    def _restarts(self, _):
        postgresql_server.restart(self._url)


def attack(url, proxy_url, folder, seconds, seed, without):
    """Attack bandits in a store; returns the counts, and the damage."""
    make_bandits(url, NAMES)
    urls = [url if number % 2 else proxy_url for number in range(WORKERS)]
    herd = Herd(urls, folder / "notes", NAMES, FORKS)
    under = Attack(herd, url, seed, without)
    try:
        under.go_on(seconds)
    finally:
        all_at_work = herd.end() and under.all_at_work
    done = herd.done()
    said = Counter(line[0] for line in done)
    counts = dict(under.counts)
    counts["interrupted calls"], counts["forks"] = said["interrupted"], said["forked"]
    counts["calls tried again"] = said["unavailable"]
    counts["acknowledged calls"] = said["decided"] + said["updated"]
    found = damage(url, NAMES, done)
    if not all_at_work:
        found.differs.append("a process ended by itself, or hangs")
    return counts, found


def attack_sqlite(seconds, seed):
    """Attack an SQLite file; there is no server to restart, and no network to cut."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/shop.db"
        return attack(url, url, Path(folder), seconds, seed, without=("restarts",))


def attack_postgresql(seconds, seed):
    """Attack a private PostgreSQL server."""
    with (
        tempfile.TemporaryDirectory() as folder,
        postgresql_server.private_server() as (url, _),
        cutting_proxy(url, seed) as (proxy_url, cuts),
    ):
        counts, found = attack(url, proxy_url, Path(folder), seconds, seed, without=())
        return {**counts, "cuts": cuts.value}, found


@contextlib.contextmanager
def cutting_proxy(url, seed):
    """The URL of a proxy in a process of its own, and how many connections it has cut."""
    context = multiprocessing.get_context("fork")
    cuts, (here, there) = context.Value("q", 0), context.Pipe()
    process = context.Process(target=_cut, args=(url, seed, cuts, there), daemon=True)
    process.start()
    try:
        yield here.recv(), cuts
    finally:
        process.terminate()
        process.join()


def _cut(url, seed, cuts, pipe):
    with CuttingProxy(url, seed) as proxy:
        proxy.cutting = True
        pipe.send(proxy.url)
        while True:
            time.sleep(0.05)
            cuts.value = proxy.cuts


def report(store, counts, found):
    """Print what was done, and what is wrong; whether nothing is."""
    print(f"{store}: " + ", ".join(f"{counts[what]:,} {what}" for what in counts))
    print(f"{store}: " + ", ".join(f"{len(some)} {kind}" for kind, some in found._asdict().items()))
    for some in found:
        for sentence in some[:10]:
            print(f"  {sentence}")
    return not any(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="on each store")
    parser.add_argument("--seed", type=int, default=1)
    given, attacks = parser.parse_args(), {"SQLite": attack_sqlite}
    if postgresql_server.programs() is None:
        print("PostgreSQL: its programs are not installed, so it is not attacked")
    else:
        attacks["PostgreSQL"] = attack_postgresql
    unharmed = [report(store, *attacks[store](given.seconds, given.seed)) for store in attacks]
    sys.exit(0 if all(unharmed) else 1)


if __name__ == "__main__":
    main()
