"""The driver of a sweep: hands out tasks, collects and saves runs, and handles failures."""

from __future__ import annotations

import collections
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid.errors import WorkerError
from lowbid.experiments.sweeps._cell import Cell
from lowbid.experiments.sweeps._engines import Answers, Engine, Failure
from lowbid.experiments.sweeps._precision import further_runs, window_of
from lowbid.experiments.sweeps._rates import Rates
from lowbid.experiments.sweeps._store import CellStore, Window, alone
from lowbid.experiments.sweeps._sweep import Precision
from lowbid.simulation import PlayedShare

# Tasks are sized to last about this long, so that the cost of handing them out is negligible.
_TASK_SECONDS = 2.0
_SHORTEST_TASK = 0.02
# A task that does not respond within this multiple of its estimate, and this long, is given up.
_PATIENCE, _LEAST_PATIENCE = 30.0, 300.0
_ATTEMPTS = 3
# Runs of an unfinished cell are saved this often.
_SAVE_SECONDS = 15.0
_POLL = 0.1


@dataclass(eq=False)
class Work:
    """A cell that is being played: runs are handed out in order, and come back in any order."""

    cell: Cell
    wanted: int
    on_file: int
    handed_out: int
    further: int | None = None
    parts: dict[int, PlayedShare] = field(default_factory=dict)
    saved_at: float = field(default_factory=time.monotonic)

    @property
    def in_order(self) -> int:
        """The number of runs before the first gap."""
        end = self.on_file
        while end in self.parts:
            end += len(self.parts[end].regret)
        return end


@dataclass(frozen=True, eq=False)
class Piece:
    """Some runs of a cell, as part of a task."""

    work: Work
    first: int
    last: int


@dataclass(eq=False)
class Task:
    """Pieces that are played one after another by one worker."""

    pieces: list[Piece]
    estimate: float
    deaths: int = 0
    silences: int = 0
    since: float = field(default_factory=time.monotonic)


class Driver:
    """Plays cells on an engine until each has its runs, or has failed.

    Attributes
    ----------
    failures : dict
        Why cells could not be played, by digest.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        store: CellStore,
        engine: Engine,
        rates: Rates,
        precision: Precision | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.store, self.engine, self.rates = store, engine, rates
        self.precision, self.time_limit = precision, time_limit
        self.failures: dict[str, Failure] = {}
        self.works = {work.cell.digest: work for work in works_of(cells, store, precision)}
        self.waiting = collections.deque(w for w in self.works.values() if w.handed_out < w.wanted)
        self.suspects: collections.deque[Task] = collections.deque()
        self.again: collections.deque[Task] = collections.deque()
        self.at_work: dict[Future[Answers], Task] = {}
        self._played_seconds = 0.0
        self._waiting_seconds, self._counted_until = 0.0, 0.0
        self._n_saved = 0

    def mind(self, busy: Sequence[Future[Answers]]) -> None:
        """Take into account tasks that workers are still busy with, and may never finish."""
        self.at_work.update({future: Task([], 0.0) for future in busy})

    def run(self, show: Callable[[], None] = lambda: None) -> None:
        """Play everything; finished runs are saved, however this ends."""
        try:
            while self.waiting or self.at_work or self.suspects or self.again:
                self._hand_out()
                done, _ = wait(self.at_work, timeout=_POLL, return_when=FIRST_COMPLETED)
                self._take_in_all(done)
                self.engine.check()
                self._give_up_silent_tasks()
                show()
        finally:
            for work in self.works.values():
                if work.parts and work.cell.digest not in self.failures:
                    self._save(work)

    @property
    def seconds_left(self) -> float:
        """An estimate of the work that is left, in seconds of one worker."""
        # Summing over 100,000 cells takes a while, so it is done only now and then.
        now = time.monotonic()
        if now >= self._counted_until:
            self._waiting_seconds = sum(
                self.rates.seconds(work.cell, work.wanted - work.handed_out)
                for work in self.waiting
                if work.cell.digest not in self.failures
            )
            self._counted_until = now + 50.0 * (time.monotonic() - now)
        at_work = sum(task.estimate for task in self.at_work.values())
        return self._waiting_seconds + at_work + self._keeping(len(self.waiting))

    @property
    def seconds_done(self) -> float:
        """The work that is done, in the same unit."""
        return self._played_seconds + self._keeping(self._n_saved)

    def _keeping(self, cells: int) -> float:
        """The cost of saving cells: all workers wait for it, if they have nothing else to do."""
        return cells * self.rates.keeping * max(1, self.engine.workers)

    @property
    def finished(self) -> int:
        """The number of cells that have all their runs."""
        return sum(work.on_file >= work.wanted for work in self.works.values())

    def _hand_out(self) -> None:
        """Keep workers busy; a task that may have killed a worker is run alone."""
        if self.suspects:
            if not self.at_work:
                self._submit(self.suspects.popleft())
            return
        # No more tasks than free workers: a task that is queued could be mistaken for a silent one.
        room = max(1, self.engine.workers) - len(self.at_work)
        left = self.seconds_left if room > 0 else 0.0
        for _ in range(room):
            if self.again:
                self._submit(self.again.popleft())
                continue
            pieces = list(self._next_pieces(left))
            if not pieces:
                return
            cost = sum(self.rates.seconds(p.work.cell, p.last - p.first) for p in pieces)
            self._submit(Task(pieces, cost))

    def _next_pieces(self, left: float) -> Iterator[Piece]:
        """Pieces for one task: from one cell if it is large, from many if they are small."""
        even = left / (4.0 * max(1, self.engine.workers))
        budget = min(_TASK_SECONDS, max(_SHORTEST_TASK, even))
        while self.waiting and budget > 0.0:
            work = self.waiting[0]
            if work.cell.digest in self.failures:
                self.waiting.popleft()
                continue
            run = max(self.rates.seconds(work.cell, 1), 1e-12)
            first = work.handed_out
            last = min(work.wanted, first + max(1, int(budget / run)))
            work.handed_out, budget = last, budget - run * (last - first)
            if last == work.wanted:
                self.waiting.popleft()
            yield Piece(work, first, last)

    def _submit(self, task: Task) -> None:
        task.since = time.monotonic()
        shares = [piece.work.cell.share(piece.first, piece.last) for piece in task.pieces]
        try:
            self.at_work[self.engine.submit(shares)] = task
        except Exception as error:
            if not self.engine.is_death(error):
                raise
            self._after_death(task, error)

    def _take_in_all(self, done: Collection[Future[Answers]]) -> None:
        """Process finished tasks; workers get their next tasks first, before results are saved."""
        good = [(future, self.at_work.pop(future)) for future in done if _succeeded(future)]
        if good and len(good) == len(done):
            self._hand_out()
        for future, task in good:
            self._process(future, task)
        for future in done:
            if future in self.at_work:  # one failure may have ended other tasks too
                self._take_in(future)

    def _take_in(self, future: Future[Answers]) -> None:
        self._process(future, self.at_work.pop(future))

    def _process(self, future: Future[Answers], task: Task) -> None:
        error = None if future.cancelled() else future.exception()
        if not task.pieces and not (error is not None and self.engine.is_death(error)):
            return
        if future.cancelled() or isinstance(error, WorkerError):
            self.again.append(task)  # lost in transit; an engine that is gone reports that itself
            time.sleep(_POLL)
        elif error is None:
            for piece, answer in zip(task.pieces, future.result(), strict=True):
                self._keep(piece, answer)
        elif self.engine.is_death(error):
            self._after_death(task, error)
        else:
            for piece in task.pieces:
                self._fail(piece.work, Failure(f"{type(error).__name__}: {error}"))

    def _keep(self, piece: Piece, answer: PlayedShare | Failure) -> None:
        work = piece.work
        if isinstance(answer, Failure):
            self._fail(work, answer)
            return
        self.rates.learn(work.cell, piece.last - piece.first, answer.seconds)
        self._played_seconds += answer.seconds
        if work.cell.digest in self.failures or piece.first < work.on_file:
            return  # handed out twice
        work.parts[piece.first] = answer
        if work.in_order >= work.wanted:
            self._complete(work)
        elif time.monotonic() - work.saved_at > _SAVE_SECONDS:
            self._save(work)

    def _complete(self, work: Work) -> None:
        """Save a cell's runs; if they were a pilot, find out how many more it needs."""
        began = time.perf_counter()
        regret = self._save(work)
        self.rates.learn_keeping(time.perf_counter() - began)
        self._n_saved += 1
        if work.on_file < work.wanted:
            return  # runs on file were lost meanwhile, and are played again
        if self.precision is not None and work.further is None:
            steps = [list(work.cell.checkpoints).index(step) for step in work.cell.record]
            work.further = further_runs(regret[: work.cell.runs, steps], self.precision)
            work.wanted = max(work.wanted, work.cell.runs + work.further)
            if work.on_file < work.wanted:
                work.handed_out = work.on_file
                self.waiting.appendleft(work)
            else:
                self._save(work)

    def _save(self, work: Work) -> npt.NDArray[Any]:
        """Save the runs before the first gap; returns their regret."""
        with alone(self.store.folder):
            return self._add_to_file(work)

    def _add_to_file(self, work: Work) -> npt.NDArray[Any]:
        before, end = self.store.result(work.cell), work.in_order
        there = 0 if before is None else before.regret.shape[1]
        if there < work.on_file:
            self._play_again(work, there)
            end = work.in_order
        # Another sweep may have put further runs on file meanwhile: they are the same, bit for bit.
        parts = [work.parts.pop(first) for first in sorted(work.parts) if first < end]
        seconds = self.store.seconds(work.cell) + sum(part.seconds for part in parts)
        regret, pulls = [part.regret for part in parts], [part.pulls for part in parts]
        if before is not None:
            ours = max(0, there - work.on_file)
            regret = [before.regret[0], *_after(regret, ours)]
            pulls = [before.pulls[0], *_after(pulls, ours)]
        if not regret:
            return np.zeros((0, len(work.cell.checkpoints)))
        all_regret = np.concatenate(regret)
        window = window_of(work.cell.runs, work.further)
        if len(all_regret) < window.last:
            window = Window(0, len(all_regret))
        result = work.cell.result(all_regret, np.concatenate(pulls))
        self.store.save(work.cell, result, seconds, window)
        work.on_file, work.saved_at = end, time.monotonic()
        return all_regret

    def _play_again(self, work: Work, there: int) -> None:
        """Hand out runs again that were on file and are lost, by damage or by another process."""
        pieces = [Piece(work, there, work.on_file)]
        cost = self.rates.seconds(work.cell, work.on_file - there)
        self.again.append(Task(pieces, cost))
        work.on_file = there

    def _fail(self, work: Work, failure: Failure) -> None:
        self.failures.setdefault(work.cell.digest, failure)
        work.parts.clear()

    def _after_death(self, task: Task, error: BaseException) -> None:
        """A worker died: any running task may be the cause, so each is repeated alone."""
        lost = [task, *self._lose_all()]
        self.engine.revive()
        for each in lost:
            each.deaths += 1
            if each.deaths >= _ATTEMPTS and len(each.pieces) == 1:
                why = f"its worker died {each.deaths} times ({type(error).__name__})"
                self._fail(each.pieces[0].work, Failure(why))
            else:
                self.suspects.extend(_apart(each))

    def _lose_all(self) -> list[Task]:
        """Collect the tasks that are lost when the engine is restarted."""
        lost = [task for future, task in self.at_work.items() if not _succeeded(future)]
        for future in [future for future in self.at_work if _succeeded(future)]:
            self._take_in(future)
        self.at_work.clear()
        return lost

    def _give_up_silent_tasks(self) -> None:
        """Hand out silent tasks again; a cell that never responds has failed."""
        now = time.monotonic()
        for future, task in list(self.at_work.items()):
            limit = self.time_limit or max(_LEAST_PATIENCE, _PATIENCE * task.estimate)
            if future not in self.at_work or future.done() or now - task.since < limit:
                continue
            del self.at_work[future]
            if self.engine.abandon(future):
                self.again.extend(self._lose_all())
                self.engine.revive()
            for each in _apart(task):
                each.silences = task.silences + 1
                if each.silences >= _ATTEMPTS:
                    why = f"no answer within {limit:.0f} s, {each.silences} times"
                    self._fail(each.pieces[0].work, Failure(why))
                else:
                    self.again.append(each)


def works_of(
    cells: Sequence[Cell], store: CellStore, precision: Precision | None
) -> Iterator[Work]:
    """The work left for each cell, minus what is on file; identical cells are played once."""
    by_digest: dict[str, Cell] = {}
    for cell in cells:
        known = by_digest.get(cell.digest)
        if known is None or known.runs < cell.runs:
            by_digest[cell.digest] = cell
    for cell in by_digest.values():
        on_file, further = store.runs(cell), None
        if precision is not None and on_file >= cell.runs:
            further = further_on_file(cell, store, precision)
        wanted = window_of(cell.runs, further).last
        yield Work(cell, wanted, on_file, on_file, further)


def further_on_file(cell: Cell, store: CellStore, precision: Precision) -> int | None:
    """The number of runs that the pilot on file calls for; None if there is no pilot."""
    result = store.result(cell)
    if result is None or result.regret.shape[1] < cell.runs:
        return None
    steps = [result.checkpoints.tolist().index(step) for step in cell.record]
    return further_runs(result.regret[0, : cell.runs, steps].T, precision)


def _after(parts: Sequence[npt.NDArray[Any]], skipped: int) -> list[npt.NDArray[Any]]:
    """Arrays one after another, without this many of their first rows."""
    return [np.concatenate(parts)[skipped:]] if parts else []


def _apart(task: Task) -> list[Task]:
    """Every piece of a task as a separate task."""
    share = task.estimate / max(1, len(task.pieces))
    return [Task([piece], share, task.deaths, task.silences) for piece in task.pieces]


def _succeeded(future: Future[Answers]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
