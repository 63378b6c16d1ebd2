"""Where tasks run: threads, processes, an executor, or a Dask cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import queue
import signal
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Ints
from lowbid._require import invalid, require_whole
from lowbid.errors import WorkerError
from lowbid.simulation import PlayedShare, Share, play_share, workers_of

_CLUSTER = "dask://"
_PARENT_CHECK = 1.0  # seconds
_START_SECONDS = 60.0
_NOTICE_SECONDS = 5.0


class Failure(NamedTuple):
    """Why a cell could not be played."""

    error: str
    trace: str = ""


Answers = list["PlayedShare | Failure"]


def play_task(shares: Sequence[Share], stop: Ints | None = None) -> Answers:
    """Play some shares, one after another; a failure does not affect the others."""
    return [_play(share, stop) for share in shares]


def _play(share: Share, stop: Ints | None) -> PlayedShare | Failure:
    try:
        return play_share(share, stop)
    except Exception as error:
        return Failure(f"{type(error).__name__}: {error}", traceback.format_exc())


class Engine:
    """Base class of engines: an executor, and how to recover when it fails.

    Attributes
    ----------
    workers : int
        The number of tasks that run at a time.
    one_interpreter : bool
        Whether workers block one another while they compile or run plain Python.
    """

    workers: int
    one_interpreter: bool = False

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.workers = workers_of(executor)

    def submit(self, shares: Sequence[Share]) -> Future[Answers]:
        """Submit a task."""
        return self.executor.submit(play_task, shares)

    def check(self) -> None:
        """Raise a `WorkerError` if the scheduler is gone."""

    def is_death(self, error: BaseException) -> bool:
        """Whether an error means that a worker died, rather than that a task failed."""
        return isinstance(error, BrokenExecutor)

    def revive(self) -> None:
        """Replace workers that died; all submitted tasks are lost."""
        raise WorkerError(
            "the executor's workers died, and it cannot be started again from here; start another "
            "one and run the sweep again: finished work is kept."
        )

    def abandon(self, future: Future[Answers]) -> bool:
        """Give up a task that does not respond; returns whether all others were lost with it."""
        future.cancel()
        return False

    def close(self, *, now: bool) -> None:
        """Stop the workers started here; at once if nobody is waiting for their tasks."""


class Threads(Engine):
    """Threads of this process, which do not keep it from exiting."""

    one_interpreter = True

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._stops: dict[Future[Answers], Ints] = {}
        for _ in range(workers):
            self._start()

    def _start(self) -> None:
        threading.Thread(target=self._work, daemon=True, name="lowbid-sweep").start()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()

    def submit(self, shares: Sequence[Share]) -> Future[Answers]:
        """Submit a task."""
        future: Future[Answers] = Future()
        stop = self._stops[future] = np.zeros(1, np.int64)

        def task() -> None:
            if future.set_running_or_notify_cancel():
                answers = play_task(shares, stop)
                self._stops.pop(future, None)
                future.set_result(answers)

        self._tasks.put(task)
        return future

    def abandon(self, future: Future[Answers]) -> bool:
        """Ask a task to end, and replace the thread that it blocks."""
        self._stops.pop(future, np.zeros(1))[0] = 1
        if not future.cancel():
            self._start()
        return False

    def close(self, *, now: bool) -> None:
        """Let the threads end."""
        if now:
            for stop in list(self._stops.values()):
                stop[0] = 1
        for _ in range(10 * self.workers):
            self._tasks.put(None)


class Processes(Engine):
    """Processes on this machine; they end with this one, however it ends."""

    _dead_since: float | None = None

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.revive()

    def check(self) -> None:
        """End all processes if one has died and the pool has not noticed for some seconds.

        That happens if it died in the middle of an answer: the pool waits for the rest of it.
        """
        ended = multiprocessing.connection.wait([p.sentinel for p in self._processes()], timeout=0)
        now = time.monotonic()
        self._dead_since = (self._dead_since or now) if ended else None
        if self._dead_since is not None and now - self._dead_since > _NOTICE_SECONDS:
            self._kill()

    def revive(self) -> None:
        """Restart all processes."""
        self._dead_since = None
        before: Executor | None = getattr(self, "executor", None)
        if before is not None:
            before.shutdown(wait=False, cancel_futures=True)
        self.executor = ProcessPoolExecutor(
            self.workers,
            multiprocessing.get_context("spawn"),
            initializer=_end_with_parent,
            initargs=(os.getpid(),),
        )
        # Starting Python and importing takes a while; no task should be blamed for that.
        ready = [self.executor.submit(int) for _ in range(self.workers)]
        wait(ready, timeout=_START_SECONDS)

    def abandon(self, future: Future[Answers]) -> bool:
        """Restart all processes: it is not known which one has the task."""
        self._kill()
        return True

    def close(self, *, now: bool) -> None:
        """End the processes."""
        if now:
            self._kill()
        self.executor.shutdown(wait=not now, cancel_futures=True)

    def _processes(self) -> list[Any]:
        return list((getattr(self.executor, "_processes", None) or {}).values())

    def _kill(self) -> None:
        # One may be in the middle of an answer. With our end open as well, the pool would wait for
        # the rest for ever, and Python for the pool when it exits.
        answers = getattr(self.executor, "_result_queue", None)
        if answers is not None:
            answers._writer.close()
        for process in self._processes():
            process.kill()


def _end_with_parent(parent: int) -> None:
    """In a worker: leave Ctrl-C to the parent, and end when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_CHECK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def engine_for(on: str | Executor, workers: int | None) -> Engine:
    """The engine for ``threads``, ``processes``, ``dask://HOST:PORT``, or an executor."""
    if not isinstance(on, str):
        if not callable(getattr(on, "submit", None)):
            raise invalid(
                "on", on, "give 'threads', 'processes', 'dask://HOST:PORT', or an executor."
            )
        return Engine(on)
    number = require_whole("workers", (os.cpu_count() or 1) if workers is None else workers)
    if on == "threads":
        return Threads(number)
    if on == "processes":
        return Processes(number)
    if on.startswith(_CLUSTER) and ":" in on.removeprefix(_CLUSTER):
        from lowbid.experiments.sweeps._dask import Dask

        return Dask(on.removeprefix(_CLUSTER))
    raise invalid("on", on, "give threads, processes, or dask://HOST:PORT.")


@contextlib.contextmanager
def running(engine: Engine) -> Any:
    """Close an engine at the end: at once if an error or Ctrl-C ends the block."""
    try:
        yield engine
    except BaseException:
        engine.close(now=True)
        raise
    engine.close(now=False)
