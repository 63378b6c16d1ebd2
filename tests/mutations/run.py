"""Plant mistakes, one at a time, and see whether the tests notice.

    PYTHONPATH=tests python -m mutations.run [--sample 100] [--seed 1] [--resume] [WORD ...]

Most mistakes are generated from the source (generate.py); by_hand.toml has those that no generator
makes. A sample of both is planted, chosen by the seed; `--sample 0` plants all. With words, only
those are chosen from whose name or file contains one of them ("by hand:" is the whole table).

Every mistake is made in a copy of the project, never in the project itself. The tests that should
notice are the mutated module's own (tests/mirror.py); before, they run without any mistake, and
must pass. Kernels run uncompiled where their tests pass so. The survivors are printed at the end,
and the share that was noticed. Mistakes that change nothing that anybody could see are in
equivalent.toml, each with the reason. Exits with 1 if an entry no longer fits the code, or if less
than `--at-least` of the mistakes were noticed.

Outcomes are kept in out/mutations.txt. With --resume, mistakes that an earlier run planted are not
planted again unless their file or their tests have changed since. Other files are not compared, so
run without it for a final result.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import mirror
from mutations import generate

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NOT_COPIED = (".venv", ".git", "out", ".peers", ".mypy_cache", ".ruff_cache", ".hypothesis")
KEPT = ROOT / "out" / "mutations.txt"
PATIENCE = 600.0  # seconds; tests that hang have noticed
# Where mistakes are generated; the kernels are in the first ones, whose tests can run uncompiled.
KERNELS = ("policies", "environments", "_random", "online", "simulation/_loop.py")
OTHERS = ("shared", "_compile")
# What a room refuses is tested in one place for all of its modules.
FOR_ALL = {"_compile": ("tests/compile/test_refusals.py",)}

AT_WORK: set[subprocess.Popen[bytes]] = set()

Outcome = Literal["killed", "SURVIVED", "DOES NOT FIT"]
Selection = tuple[tuple[str, ...], str, bool]


@dataclass(frozen=True)
class Mutation:
    """One mistake: bytes of a file, what to put there, and the tests that must notice."""

    name: str
    file: str
    start: int  # -1 if the old text is not there, or more than once
    old: str
    new: str
    tests: tuple[str, ...]
    match: str = ""
    uncompiled: bool = False

    @property
    def selection(self) -> Selection:
        """Which tests run, and how."""
        return self.tests, self.match, self.uncompiled

    def planted_in(self, text: bytes) -> bytes:
        """The text of its file with the mistake."""
        return text[: self.start] + self.new.encode() + text[self.start + len(self.old.encode()) :]

    def __str__(self) -> str:
        return self.name


def by_hand(root: Path = ROOT, table: Path = HERE / "by_hand.toml") -> list[Mutation]:
    """The mistakes of the table."""
    found = []
    for entry in tomllib.loads(table.read_text(encoding="utf-8"))["mutation"]:
        path, old = root / entry["file"], entry["old"].encode()
        text = path.read_bytes() if path.is_file() else b""
        start = text.find(old) if text.count(old) == 1 else -1
        name, tests = f"by hand: {entry['name']}", tuple(entry["tests"])
        found.append(Mutation(**{**entry, "name": name, "start": start, "tests": tests}))
    return found


def generated(root: Path = ROOT) -> list[Mutation]:
    """The mistakes that are made from the source, without those that change nothing."""
    nothing = {(each["file"], each["line"], each["new"]) for each in equivalent()}
    found = []
    for room in (*KERNELS, *OTHERS):
        place = root / "src" / "lowbid" / room
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            file, text = path.relative_to(root).as_posix(), path.read_bytes()
            module = path.relative_to(root / "src" / "lowbid").as_posix()
            own = mirror.test_of(module).relative_to(mirror.TESTS.parent).as_posix()
            tests = (own, *FOR_ALL.get(room, ()))
            if path.name == "__init__.py":
                continue
            lines = text.decode().splitlines()
            for each in generate.changes(text):
                line = lines[each.line - 1].strip()
                if (file, line, each.new) not in nothing:
                    name = f"{file}:{each.line}: {each.old!r} -> {each.new!r} in `{line}`"
                    uncompiled = room in KERNELS
                    found.append(
                        Mutation(name, file, each.start, each.old, each.new, tests, "", uncompiled)
                    )
    return found


def equivalent() -> list[dict[str, str]]:
    """Generated mistakes that nobody could notice, with the reason for each."""
    return tomllib.loads((HERE / "equivalent.toml").read_text(encoding="utf-8"))["equivalent"]


def chosen(mutations: Iterable[Mutation], words: list[str], size: int, seed: int) -> list[Mutation]:
    """A sample of those whose name contains one of the words; all of them if its size is 0."""
    fitting = [
        each
        for each in mutations
        if not words or any(word.lower() in f"{each} {each.file}".lower() for word in words)
    ]
    if not 0 < size < len(fitting):
        return fitting
    return random.Random(seed).sample(fitting, size)


def misfit(mutation: Mutation, root: Path = ROOT) -> str:
    """Why a mistake cannot be planted; nothing if it can."""
    path = root / mutation.file
    if not path.is_file():
        return f"{mutation.file} does not exist"
    if mutation.start < 0:
        return f"its old text does not stand in {mutation.file} exactly once"
    if mutation.old == mutation.new:
        return "its old and new texts are the same"
    missing = [test for test in mutation.tests if not (root / test.partition("::")[0]).exists()]
    return f"there is no {missing[0]}" if missing else "" if mutation.tests else "it names no tests"


def digest(mutation: Mutation, root: Path = ROOT) -> str:
    """Changes with a mistake, its file and its tests."""
    found = hashlib.sha256(repr(mutation).encode())
    for name in (mutation.file, *mutation.tests):
        path = root / name.partition("::")[0]
        for each in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            found.update(each.read_bytes() if each.is_file() else b"")
    return found.hexdigest()


def read_kept(path: Path) -> dict[str, Outcome]:
    """Outcomes of earlier runs, by digest; the last one counts."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    parts = (line.partition(" ") for line in lines)
    return {key: outcome for key, _, outcome in parts if outcome in get_args(Outcome)}


def keep(path: Path, key: str, outcome: Outcome) -> None:
    """Write down one outcome: a run that is stopped loses none, and two runs may share a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{key} {outcome}\n")


class Copies:
    """Copies of the project, one for each mistake that is planted at the same time."""

    def __init__(self, root: Path, into: Path, jobs: int) -> None:
        self.free: queue.SimpleQueue[Path] = queue.SimpleQueue()
        self.seconds: dict[Selection, float] = {}  # infinite if the tests do not pass
        self.lock = threading.Lock()
        for number in range(jobs):
            # Times of files are kept, and with them what was compiled.
            copy = into / f"copy-{number}"
            shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
            self.free.put(copy)

    def attempt(self, mutation: Mutation) -> Outcome:
        """Plant a mistake, run its tests, and take it away again."""
        copy = self.free.get()
        try:
            if misfit(mutation, copy):
                return "DOES NOT FIT"
            seconds = self._without(mutation, copy)
            if seconds == math.inf and mutation.uncompiled:  # some tests compare with compiled code
                mutation = replace(mutation, uncompiled=False)
                seconds = self._without(mutation, copy)
            if seconds == math.inf:
                return "DOES NOT FIT"
            # Compiling takes long, and only with the mistake: without it, compiled code is on disk.
            patience = max(60.0, 10.0 * seconds) if mutation.uncompiled else PATIENCE
            return "SURVIVED" if self._passes_with(mutation, copy, patience) else "killed"
        finally:
            self.free.put(copy)

    def _without(self, mutation: Mutation, copy: Path) -> float:
        """How many seconds the tests take without the mistake."""
        with self.lock:
            known = self.seconds.get(mutation.selection)
        if known is None:
            began = time.monotonic()
            passed = passes(mutation.selection, copy, PATIENCE)
            known = time.monotonic() - began if passed else math.inf
            with self.lock:
                self.seconds[mutation.selection] = known
        return known

    def _passes_with(self, mutation: Mutation, copy: Path, patience: float) -> bool:
        path = copy / mutation.file
        text, times = path.read_bytes(), path.stat()
        try:
            path.write_bytes(mutation.planted_in(text))
            return passes(mutation.selection, copy, patience)
        finally:
            path.write_bytes(text)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def passes(selection: Selection, copy: Path, patience: float) -> bool:
    """Whether tests pass in a copy of the project; they do not if they hang."""
    tests, match, uncompiled = selection
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    command += [] if match else ["-m", "not slow"]  # entries of the table choose for themselves
    command += ["-k", match] if match else []
    command += ["--uncompiled"] if uncompiled else []
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(copy / "src"), str(copy)]),
        "PYTHONDONTWRITEBYTECODE": "1",  # Python would take two texts of one second for the same
        "LOWBID_BROWSER_REQUIRED": "1",  # tests that are skipped notice nothing
    }
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=copy, env=environment, stdout=nothing, stderr=nothing)
    AT_WORK.add(process)
    try:
        return process.wait(patience) == 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    finally:
        AT_WORK.discard(process)


def attempts(
    mutations: list[Mutation], jobs: int, root: Path = ROOT
) -> Iterator[tuple[Mutation, Outcome, float]]:
    """Plant all mistakes; outcomes come as they are known, with the seconds that each took."""
    with tempfile.TemporaryDirectory(prefix="lowbid-mutations-") as folder:
        copies = Copies(root, Path(folder), jobs)

        def timed(mutation: Mutation) -> tuple[Mutation, Outcome, float]:
            began = time.monotonic()
            return mutation, copies.attempt(mutation), time.monotonic() - began

        with ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(timed, mutation) for mutation in mutations]
            try:
                for future in as_completed(futures):
                    yield future.result()
            finally:  # also when Ctrl-C is pressed: nobody waits for these any more
                for future in futures:
                    future.cancel()
                for process in list(AT_WORK):
                    process.kill()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of names or files")
    parser.add_argument("--sample", type=int, default=100, help="how many; 0 for all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--at-least", type=float, default=0.0, help="the share to be noticed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--resume", action="store_true", help="leave out those of earlier runs")
    parser.add_argument("--list", action="store_true", help="list the mistakes, and plant none")
    given = parser.parse_args(arguments)
    whole = [*by_hand(), *generated()]
    mutations = chosen(whole, given.words, given.sample, given.seed)
    print(f"{len(mutations)} of {len(whole)} mistakes, chosen by seed {given.seed}")
    if given.list:
        print("\n".join(map(str, mutations)))
        return 0
    return report(mutations, outcomes(mutations, given.jobs, given.resume), given.at_least)


def outcomes(mutations: list[Mutation], jobs: int, resume: bool) -> dict[Mutation, Outcome]:
    """What became of each mistake, now or, if that may be resumed, in an earlier run."""
    digests = {each: digest(each) for each in mutations}
    kept = read_kept(KEPT) if resume else {}
    found = {each: kept[digests[each]] for each in mutations if digests[each] in kept}
    if resume:
        print(f"{len(found)} of {len(mutations)} were planted by an earlier run.")
    left = [each for each in mutations if each not in found]
    for number, (mutation, outcome, seconds) in enumerate(attempts(left, jobs), 1):
        print(f"[{number}/{len(left)}] {outcome:12} {seconds:5.1f} s  {mutation}", flush=True)
        keep(KEPT, digests[mutation], outcome)
        found[mutation] = outcome
    return found


def report(mutations: list[Mutation], found: dict[Mutation, Outcome], at_least: float) -> int:
    """Print the survivors, and the share that was noticed; 1 if that is not enough."""
    for each in sorted(mutations, key=str):
        if found[each] == "SURVIVED":
            print(f"survived: {each}")
        elif found[each] != "killed":
            print(f"does not fit: {each}: {misfit(each) or 'its tests do not pass without it'}")
    results = [found[each] for each in mutations]
    killed, planted = results.count("killed"), len(results) - results.count("DOES NOT FIT")
    share = killed / planted if planted else 1.0
    print(f"{killed} of {planted} mistakes were noticed: {share:.0%}")
    return 1 if share < at_least or "DOES NOT FIT" in results else 0


if __name__ == "__main__":
    sys.exit(main())
