"""Plant mistakes, one at a time, and see whether the tests notice.

    python tests/mutations/run.py [--jobs 2] [--list] [--resume] [WORD ...]

The mistakes are in the tables next to this file, one for each folder of the package:

    [[mutation]]
    name = "the same delays in every run"
    file = "src/lowbid/simulation/_late_loop.py"
    old = "seek_run(chance, delays_key, run)"  # occurs in the file exactly once
    new = "seek_run(chance, delays_key, 0)"
    tests = ["tests/simulation/test_late_feedback.py"]
    match = "delays"     # optional: pytest's -k, if few of those tests are enough
    uncompiled = true    # optional: run kernels as plain Python, where that is quicker

Every mistake is made in a copy of the project, never in the project itself, and the named tests run
there. Before that they run without any mistake, and must pass. With words, only those mistakes are
planted whose table, name or file contains one of them ("online:" is the whole table). Exits with 1
if a mistake survives, or if an entry no longer fits the code.

Outcomes are kept in out/mutations.txt. With --resume, mistakes that were noticed are not planted
again unless their entry, their file or their tests have changed since. Other files are not
compared, so run without it for a final result.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NOT_COPIED = (".venv", ".git", "out", ".peers", ".mypy_cache", ".ruff_cache", ".hypothesis")
KEPT = ROOT / "out" / "mutations.txt"
PATIENCE = 600.0  # seconds; tests that hang have noticed

AT_WORK: set[subprocess.Popen[bytes]] = set()

Outcome = Literal["killed", "SURVIVED", "DOES NOT FIT"]
Selection = tuple[tuple[str, ...], str, bool]


@dataclass(frozen=True)
class Mutation:
    """One mistake: a text of a file, what to put there, and the tests that must notice."""

    table: str
    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    match: str = ""
    uncompiled: bool = False

    @property
    def selection(self) -> Selection:
        """Which tests run, and how."""
        return self.tests, self.match, self.uncompiled

    def __str__(self) -> str:
        return f"{self.table}: {self.name}"


def read_tables(folder: Path = HERE) -> list[Mutation]:
    """All mistakes of all tables."""
    found = []
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]:
            found.append(Mutation(path.stem, **{**entry, "tests": tuple(entry["tests"])}))
    return found


def chosen(mutations: Iterable[Mutation], words: list[str]) -> list[Mutation]:
    """Those whose table, name or file contains one of the words."""
    return [
        each
        for each in mutations
        if not words or any(word.lower() in f"{each} {each.file}".lower() for word in words)
    ]


def misfit(mutation: Mutation, root: Path = ROOT) -> str:
    """Why a mistake cannot be planted; nothing if it can."""
    path = root / mutation.file
    if not path.is_file():
        return f"{mutation.file} does not exist"
    times = path.read_text(encoding="utf-8").count(mutation.old)
    if times != 1:
        return f"its old text stands in {mutation.file} {times} times"
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


def read_kept(path: Path) -> dict[str, str]:
    """Outcomes of earlier runs, by digest; the last one counts."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {key: outcome for key, _, outcome in (line.partition(" ") for line in lines)}


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
            seconds = math.inf if misfit(mutation, copy) else self._without(mutation, copy)
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
        text, times = path.read_text(encoding="utf-8"), path.stat()
        try:
            path.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
            return passes(mutation.selection, copy, patience)
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def passes(selection: Selection, copy: Path, patience: float) -> bool:
    """Whether tests pass in a copy of the project; they do not if they hang."""
    tests, match, uncompiled = selection
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
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
    parser.add_argument("words", nargs="*", help="parts of tables, names or files")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--resume", action="store_true", help="leave out those that an earlier run has noticed"
    )
    parser.add_argument("--list", action="store_true", help="list the mistakes, and plant none")
    given = parser.parse_args(arguments)
    mutations = chosen(read_tables(), given.words)
    if given.list:
        print("\n".join(map(str, mutations)))
        return 0
    digests = {each: digest(each) for each in mutations}
    if given.resume:
        kept = read_kept(KEPT)
        mutations = [each for each in mutations if kept.get(digests[each]) != "killed"]
        print(f"{len(digests) - len(mutations)} of {len(digests)} were noticed by an earlier run.")
    bad = []
    for number, (mutation, outcome, seconds) in enumerate(attempts(mutations, given.jobs), 1):
        print(f"[{number}/{len(mutations)}] {outcome:12} {seconds:5.1f} s  {mutation}", flush=True)
        keep(KEPT, digests[mutation], outcome)
        if outcome != "killed":
            why = misfit(mutation) or "its tests do not pass without it"
            bad.append(f"{mutation}: {'survived' if outcome == 'SURVIVED' else why}")
    print("\n" + ("\n".join(sorted(bad)) or f"All {len(digests)} mistakes were noticed."))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
