"""Tasks spread over threads or an executor; all end at once if one fails or on Ctrl-C."""

from __future__ import annotations

import collections
import contextvars
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    FIRST_EXCEPTION,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from typing import TypeVar

import numpy as np

from lowbid._arrays import Ints
from lowbid.errors import WorkerError
from lowbid.simulation._progress import Progress

K = TypeVar("K")
R = TypeVar("R")

# A task adds to an array of one number how many steps it has played.
Task = Callable[[Ints], None]


def run_in_threads(tasks: Iterable[Task], workers: int, stop: Ints, bar: Progress) -> None:
    """Run all tasks, and wait for them; sets `stop` for running ones if one fails."""
    waiting = collections.deque(tasks)
    done = [np.zeros(1, np.int64) for _ in range(min(workers, len(waiting)))]
    pool = ThreadPoolExecutor(len(done))
    try:
        # Threads do not inherit the caller's context, which says how kernels run.
        pending = {
            pool.submit(contextvars.copy_context().run, _until_none_is_left, waiting, steps)
            for steps in done
        }
        while pending:
            finished, pending = wait(pending, timeout=0.1, return_when=FIRST_EXCEPTION)
            for future in finished:
                future.result()
            bar.show(sum(int(steps[0]) for steps in done))
    except BaseException:
        stop[0] = 1
        waiting.clear()
        raise
    finally:
        bar.close()
        # Does not wait: a thread that is compiling cannot be stopped, and Ctrl-C must take effect
        # at once.
        pool.shutdown(wait=False)


def _until_none_is_left(waiting: collections.deque[Task], steps_done: Ints) -> None:
    """Run tasks from a shared queue, one after another."""
    while True:
        try:
            task = waiting.popleft()
        except IndexError:  # another worker took the last one
            return
        task(steps_done)


def run_on_executor(
    tasks: Mapping[K, Callable[[], R]], executor: Executor
) -> Iterator[tuple[K, R]]:
    """The result of each task as it completes; when one fails, those not started are cancelled."""
    places: dict[Future[R], K] = {}
    try:
        for place, task in tasks.items():
            places[executor.submit(task)] = place
        pending = set(places)
        while pending:
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in finished:
                yield places.pop(future), outcome_of(future)
    finally:
        for future in places:
            future.cancel()


def outcome_of(future: Future[R]) -> R:
    """The result of a task; an error that says what to do if its worker was lost."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError) as error:
        raise WorkerError(
            "a worker of the executor was lost with its task, or the executor was closed; start "
            "another executor and simulate again: the result will be the same."
        ) from error
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        if "pickle" not in f"{type(error)} {error}".lower():
            raise
        raise WorkerError(
            f"a policy or environment cannot be sent to another process ({error}); define it at "
            "the top of a module that the workers can import, or play in threads."
        ) from error
