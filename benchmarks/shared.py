"""The shared bandit compared with bare programs that commit the same rows.

    python -m benchmarks.shared                      # SQLite, in about a minute
    python -m benchmarks.shared --postgresql URL     # and PostgreSQL
    python -m benchmarks.shared --events 1000000     # how long opening takes, and memory

A cycle is a decision and its outcome, each on disk before the next step. The bare program commits
the same rows in groups and does nothing else (`bare_stores.py`): once from as many threads, each of
which waits for its own commit, as those of lowbid do, and once from a single loop. Only the first
has to do with the promise: waking threads costs any Python program more than the rows. All run by
turns; a ratio is that of one turn, and the median is shown with the lowest and the highest. Exits
with 1 if a promise is not kept.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import resource
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import lowbid
import lowbid.stores
from benchmarks.bare_stores import BareStore, bare_store, loop, threads
from benchmarks.measure import by_turns, clock_seconds, spread
from lowbid._compile import background
from lowbid.shared import Decide, answering

ARMS = [f"arm {number}" for number in range(10)]
LEAST_RATIO, MOST_SECONDS = 0.6, 1.0
PORTION = 500


def opened(url: str, name: str) -> lowbid.SharedBandit:
    return lowbid.open(url, name, ARMS, reward_range=(0, 1))


def cycles(bandit: lowbid.SharedBandit, count: int) -> None:
    for _ in range(count):
        bandit.update(bandit.decide(), reward=0.5)


def warmed_up(bandit: lowbid.SharedBandit) -> None:
    """Have everything compiled: a process does that once, in its first second."""
    cycles(bandit, 20)
    background.wait(60.0)
    cycles(bandit, 20)


def seconds_of_threads(url: str, number: int, count: int) -> float:
    """How long this many threads of one process take for a number of cycles each."""
    bandit = opened(url, secrets.token_hex(4))
    warmed_up(bandit)
    workers = [threading.Thread(target=cycles, args=(bandit, count)) for _ in range(number)]
    began = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    taken = time.perf_counter() - began
    bandit.close()
    return taken


def seconds_of_bare_program(
    url: str, work: Callable[[BareStore, int, int], None], number: int, count: int
) -> float:
    """How long a bare program takes for cycles of this many calls at once."""
    name = secrets.token_hex(4)
    opened(url, name).close()
    key = next(found.key for found in lowbid.stores.list(url) if found.name == name)
    store = bare_store(url, key)
    taken = clock_seconds(lambda: work(store, number, count))
    store.close()
    return taken


def _work(url: str, name: str, count: int, ready: object, go: object) -> None:
    bandit = opened(url, name)
    warmed_up(bandit)
    ready.release()  # type: ignore[attr-defined]
    go.wait()  # type: ignore[attr-defined]
    cycles(bandit, count)


def seconds_of_processes(url: str, processes: int, count: int) -> float:
    """How long this many processes take for a number of cycles each."""
    context, name = multiprocessing.get_context("spawn"), secrets.token_hex(4)
    opened(url, name).close()
    ready, go = context.Semaphore(0), context.Event()
    workers = [
        context.Process(target=_work, args=(url, name, count, ready, go)) for _ in range(processes)
    ]
    for worker in workers:
        worker.start()
    for _ in workers:
        ready.acquire()
    began = time.perf_counter()
    go.set()
    for worker in workers:
        worker.join()
    return time.perf_counter() - began


def beside_bare(url: str, kind: str, count: int, repeats: int) -> bool:
    """Print the table of threads; whether the promise is kept."""
    print(f"\n| {kind} | lowbid, cycles/s | bare program, cycles/s | ratio |\n|---|---:|---:|---:|")
    kept = True
    for number in (1, 8):
        each = max(1, count // number)
        turns = by_turns(
            {
                "lowbid": lambda t=number, n=each: seconds_of_threads(url, t, n),  # type: ignore[misc]
                "threads": lambda t=number, n=each: seconds_of_bare_program(url, threads, t, n),  # type: ignore[misc]
                "loop": lambda t=number, n=each: seconds_of_bare_program(url, loop, t, n),  # type: ignore[misc]
            },
            repeats,
        )
        rates = {name: spread(number * each / s for s in turns[name]) for name in turns}
        for bare, words in (("threads", ""), ("loop", ", bare program without threads")):
            pairs = zip(turns[bare], turns["lowbid"], strict=True)
            ratio = spread(other / ours for other, ours in pairs)
            kept = kept and (bare == "loop" or ratio.median >= LEAST_RATIO)
            print(
                f"| {number} thread{'s' * (number > 1)}{words} | {rates['lowbid'].median:,.0f} | "
                f"{rates[bare].median:,.0f} | "
                f"{ratio.median:.2f} ({ratio.low:.2f} to {ratio.high:.2f}) |"
            )
    return kept


def by_processes(url: str, kind: str, count: int, repeats: int) -> None:
    """Print the table of processes, one thread each."""
    print(f"\n| {kind} | cycles/s, all together | beside one process |\n|---|---:|---:|")
    numbers = (1, 2, 4)
    works = {
        str(n): lambda n=n: seconds_of_processes(url, n, count // n)  # type: ignore[misc]
        for n in numbers
    }
    turns = by_turns(works, repeats)
    for number in numbers:
        rate = spread((count // number) * number / s for s in turns[str(number)])
        pairs = zip(turns["1"], turns[str(number)], strict=True)
        ratio = spread(one / many for one, many in pairs)
        words = f"{number} process" + ("es" if number > 1 else "")
        print(f"| {words} | {rate.median:,.0f} | {ratio.median:.2f} |")


async def _cycles_at_once(bandit: lowbid.SharedBandit, count: int) -> None:
    """Cycles of as many clients, whose calls share commits."""
    calls = [Decide() for _ in range(count)]
    made = await asyncio.gather(*map(bandit.submit_async, calls))
    reports = [answering([decision.id], rewards=[0.5]) for decision in made]
    await asyncio.gather(*map(bandit.submit_async, reports))


def resident() -> float:
    """The memory of this process, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def filled(url: str, name: str, events: int) -> list[float]:
    """Write this many events, many per commit; returns the memory at each tenth of the way."""
    bandit, used = opened(url, name), []
    with bandit:
        for tenth in range(10):
            for _ in range(events // 10 // (2 * PORTION)):
                asyncio.run(_cycles_at_once(bandit, PORTION))
            used.append(resident())
            print(f"{(tenth + 1) * events // 10:,} events, {used[-1]:.0f} MB", file=sys.stderr)
    return used


def opening(url: str, events: int, repeats: int) -> bool:
    """Print how long opening takes after this many events; returns whether promises are kept."""
    used = filled(url, "long", events)
    code = (
        "import lowbid, sys, time; lowbid.Bandit(2).decide(); began = time.perf_counter(); "
        "lowbid.open(sys.argv[1], 'long').decide(); print(time.perf_counter() - began)"
    )
    taken = spread(
        float(
            subprocess.run(
                [sys.executable, "-c", code, url], capture_output=True, check=True
            ).stdout
        )
        for _ in range(repeats)
    )
    print("\n|  | measured |\n|---|---:|")
    print(
        f"| open and decide behind {events:,} events, s | {taken.median:.2f} "
        f"({taken.low:.2f} to {taken.high:.2f}) |"
    )
    print(f"| memory after {events // 10:,} events, MB | {used[0]:.0f} |")
    print(f"| memory after {events:,} events, MB | {used[-1]:.0f} |")
    return taken.median < MOST_SECONDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--postgresql", metavar="URL", help="measure on this server too")
    parser.add_argument(
        "--folder", type=Path, help="where the SQLite file goes: the disk to measure"
    )
    parser.add_argument("--cycles", type=int, default=800)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--events", type=int, help="measure opening after this many events")
    given = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        stores = {"SQLite": f"sqlite:///{folder}/shared.db"}
        if given.postgresql:
            stores["PostgreSQL"] = given.postgresql
        if given.events:
            sys.exit(0 if opening(stores["SQLite"], given.events, given.repeats) else 1)
        for kind, url in stores.items():
            kept = beside_bare(url, kind, given.cycles, given.repeats) and kept
            by_processes(url, kind, given.cycles, given.repeats)
    if not kept:
        sys.exit(f"a ratio is below {LEAST_RATIO}")


if __name__ == "__main__":
    main()
