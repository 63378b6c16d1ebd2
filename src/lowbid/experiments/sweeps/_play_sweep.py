"""Play a sweep into a folder, and read its results from the folder."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import NamedTuple

from lowbid._require import require_finite
from lowbid._terminal import filled
from lowbid.errors import WorkerError
from lowbid.experiments._claim_folder import claimed
from lowbid.experiments.sweeps._cell import Cell
from lowbid.experiments.sweeps._driver import Driver, further_on_file, works_of
from lowbid.experiments.sweeps._engines import Answers, Engine, Failure, engine_for, running
from lowbid.experiments.sweeps._part import part_of, write
from lowbid.experiments.sweeps._precision import window_of
from lowbid.experiments.sweeps._rates import Rates
from lowbid.experiments.sweeps._store import CellStore, Window
from lowbid.experiments.sweeps._sweep import Precision, Sweep
from lowbid.experiments.sweeps._tidy import Row, SweepTable, row_of
from lowbid.simulation import Progress

# Without a progress bar, a line is written this often.
_LINE_SECONDS = 60.0
_PARTS = 1_000_000
_FAILURES = "failures.json"

Say = Callable[[str], None]


class Plan(NamedTuple):
    """The work that a sweep has left to do.

    Attributes
    ----------
    cells : list of Cell
        All cells of the sweep; some may differ only in their names.
    different : int
        How many of them differ.
    finished : int
        How many of these are on file.
    runs, steps : int
        The amount left to play; with a precision, at least this much.
    seconds : float
        An estimate of how long that takes with one worker.
    damaged : list of Path
        Files that cannot be used, and are played again.
    busy : list of Future
        Tasks that workers are still busy with after the calibration.
    """

    cells: list[Cell]
    different: int
    finished: int
    runs: int
    steps: int
    seconds: float
    damaged: list[Path]
    busy: list[Future[Answers]]


def plan(sweep: Sweep, store: CellStore, rates: Rates, engine: Engine) -> Plan:
    """Find out what is on file, and estimate how long the rest takes."""
    cells = sweep.cells
    works = list(works_of(cells, store, sweep.precision))
    left = [work for work in works if work.on_file < work.wanted]
    busy = rates.calibrate([work.cell for work in left], engine)
    runs = sum(work.wanted - work.on_file for work in left)
    steps = sum((work.wanted - work.on_file) * work.cell.horizon for work in left)
    seconds = sum(rates.seconds(work.cell, work.wanted - work.on_file) for work in left)
    # One worker puts cells on file, and each compiles for itself, or all wait for one another.
    by_all = len(left) * rates.keeping + rates.compiling(work.cell for work in left)
    seconds += by_all * engine.workers
    finished = len(works) - len(left)
    return Plan(cells, len(works), finished, runs, steps, seconds, store.damaged, busy)


def described(sweep: Sweep, found: Plan, workers: int) -> str:
    """A plan as text."""
    horizons = sorted({cell.horizon for cell in found.cells})
    lines = [
        f"{sweep.title}: {counted(len(sweep.policies), 'policy', 'policies')} x "
        f"{counted(len(sweep.environments), 'environment')}, "
        f"{'horizon' if len(horizons) == 1 else 'horizons'} "
        f"{', '.join(f'{steps:,}' for steps in horizons)}, {counted(len(sweep.seeds), 'seed')}",
        f"{counted(len(found.cells), 'cell')} ({found.different:,} different), "
        f"{found.finished:,} finished",
    ]
    if found.damaged:
        lines.append(damaged_text(found.damaged, "played again"))
    if sweep.precision is not None:
        lines.append(
            f"means to within {sweep.precision.percent}: a pilot in each cell decides how many "
            f"further runs it gets, {sweep.precision.most_runs:,} in total at most; the figures "
            "below are those of the pilots"
        )
    if not found.runs:
        return "\n".join(map(filled, [*lines, "nothing is left to run"]))
    lines.append(
        f"{found.runs:,} runs, {found.steps:,} steps left: about "
        f"{duration(found.seconds / max(1, workers))} on {counted(workers, 'worker')}"
    )
    return "\n".join(map(filled, lines))


def damaged_text(files: Sequence[Path], what: str) -> str:
    """Which files cannot be used, and what is done about it."""
    first, *others = map(str, files)
    verb, more = ("are", " ...") if others else ("is", "")
    return f"{counted(1 + len(others), 'damaged file')} {verb} {what}: {first}{more}"


def counted(number: int, one: str, several: str | None = None) -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def dry_run(
    sweep: Sweep, folder: Path, on: str | Executor = "threads", workers: int | None = None
) -> str:
    """Describe what playing a sweep would do; nothing is written."""
    with running(engine_for(on, workers)) as engine:
        found = plan(sweep, CellStore(folder), Rates(), engine)
        if found.busy:
            engine.close(now=True)  # their results are not needed
        return described(sweep, found, engine.workers)


def play_sweep(
    sweep: Sweep,
    folder: Path,
    on: str | Executor = "threads",
    workers: int | None = None,
    time_limit: float | None = None,
    progress: bool | None = None,
    say: Say = print,
) -> dict[str, Failure]:
    """Play the cells that are not on file yet; return why cells failed, by their names.

    Parameters
    ----------
    sweep : Sweep
        The sweep to play; see `read_sweep`.
    folder : Path
        The folder for its results. Other sweeps may use it too, even at the same time.
    on : str or concurrent.futures.Executor
        ``"threads"``, ``"processes"``, ``"dask://HOST:PORT"``, or an executor.
    workers : int, optional
        The number of threads or processes; by default one for each core.
    time_limit : float, optional
        Reassign a task after this many seconds without a sign of life; by default 30 times as
        long as it is expected to take, and at least five minutes.
    progress : bool, optional
        Show a progress bar; by default on a terminal.
    say : function
        Called with each message.
    """
    if time_limit is not None:
        require_finite("time_limit", time_limit, above=0.0)
    part = part_of(sweep, folder)
    with claimed(part):
        write(part / "sweep.toml", sweep.text)
        store, rates = CellStore(folder), Rates()
        with running(engine_for(on, workers)) as engine:
            found = plan(sweep, store, rates, engine)
            say(described(sweep, found, engine.workers))
            driver = Driver(found.cells, store, engine, rates, sweep.precision, time_limit)
            driver.mind(found.busy)
            bar = _Bar(driver, progress, say)
            try:
                driver.run(bar.show)
            except (WorkerError, OSError) as error:
                raise WorkerError(
                    f"{error}: {driver.finished:,} of {found.different:,} cells are finished and "
                    f"kept in {folder}. The same command continues from there."
                ) from error
            finally:
                bar.close()
        failed = {
            str(cell): driver.failures[cell.digest]
            for cell in found.cells
            if cell.digest in driver.failures
        }
        texts = {name: list(failure) for name, failure in failed.items()}
        write(part / _FAILURES, json.dumps(texts, indent=1))
    return failed


class _Bar:
    """A progress bar with the remaining time; without a terminal, an occasional line."""

    def __init__(self, driver: Driver, progress: bool | None, say: Say) -> None:
        self.driver, self.say = driver, say
        self.bar = Progress(_PARTS, progress)
        self.looked = self.told = time.monotonic()

    def show(self) -> None:
        """Draw the bar, at most twice per second."""
        now = time.monotonic()
        if now - self.looked < 0.5:
            return
        self.looked = now
        done, left = self.driver.seconds_done, self.driver.seconds_left
        part = done / (done + left) if done + left > 0 else 1.0
        cells = f"{self.driver.finished:,} of {len(self.driver.works):,} cells"
        self.bar.what = cells
        if self.bar.enabled:
            self.bar.show(int(_PARTS * part))
        elif now - self.told > _LINE_SECONDS:
            self.told = now
            workers = max(1, self.driver.engine.workers)
            self.say(f"{part:.0%}, {cells}, about {duration(left / workers)} left")

    def close(self) -> None:
        """Remove the bar."""
        self.bar.close()


def read_table(sweep: Sweep, store: CellStore) -> SweepTable:
    """The figures of all cells that are on file."""
    rows: list[Row] = []
    for cell in sweep.cells:
        window = window_on_file(cell, store, sweep.precision)
        found = None if window is None else store.figures(cell, window)
        rows += [row_of(cell, step, figures) for step, figures in (found or {}).items()]
    return SweepTable(rows)


def window_on_file(cell: Cell, store: CellStore, precision: Precision | None) -> Window | None:
    """The runs of a cell that count; None as long as its pilot is not finished."""
    if precision is None:
        return window_of(cell.runs, None)
    further = further_on_file(cell, store, precision)
    return None if further is None else window_of(cell.runs, further)


def cells_finished(cells: Sequence[Cell], table: SweepTable) -> list[Cell]:
    """The cells that have rows in a table."""
    there = {(row.policy, row.place) for row in table}
    return [cell for cell in cells if all((cell.policy.name, at) in there for at in cell.places)]


def failures_on_file(part: Path) -> dict[str, Failure]:
    """Why cells failed when a sweep was last played to its end, by their names."""
    try:
        texts = json.loads((part / _FAILURES).read_text(encoding="utf-8"))
        return {str(name): Failure(*map(str, values)) for name, values in texts.items()}
    except (OSError, ValueError, TypeError, AttributeError):  # not there, or damaged
        return {}


def duration(seconds: float) -> str:
    """A duration, rounded for people to read.

    >>> [duration(seconds) for seconds in (0.2, 59, 90, 5400, 200000)]
    ['1 s', '59 s', '2 min', '1.5 h', '2.3 days']
    """
    for unit, length, digits in (("days", 86_400.0, 1), ("h", 3_600.0, 1), ("min", 60.0, 0)):
        if seconds >= 1.2 * length:
            return f"{seconds / length:.{digits}f} {unit}"
    return f"{max(1.0, seconds):.0f} s"


def failures_text(failed: dict[str, Failure], most: int = 10) -> str:
    """The failures as text."""
    lines = [f"{len(failed)} cells failed:"]
    lines += [f"  {name}: {failure.error}" for name, failure in list(failed.items())[:most]]
    if len(failed) > most:
        lines.append(f"  ... and {len(failed) - most} more, in failures.json")
    return "\n".join(lines)
