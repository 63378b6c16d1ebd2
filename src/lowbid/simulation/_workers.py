"""Tasks spread over threads, which end at once when one fails or Ctrl-C comes."""

from __future__ import annotations

import collections
import contextvars
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

import numpy as np

from lowbid.policies._base import Ints
from lowbid.simulation._progress import Progress

# A task adds to an array of one number how many steps it has played.
Task = Callable[[Ints], None]


def work_off(tasks: Iterable[Task], workers: int, stop: Ints, bar: Progress) -> None:
    """Do all tasks, and wait for them; sets `stop` for those at work if it cannot be all."""
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
        # Not waiting: a thread that is compiling cannot be stopped, and Ctrl-C is to be
        # answered at once.
        pool.shutdown(wait=False)


def _until_none_is_left(waiting: collections.deque[Task], steps_done: Ints) -> None:
    """Do tasks, one after another; other workers take theirs from the same queue."""
    while True:
        try:
            task = waiting.popleft()
        except IndexError:  # another worker took the last one
            return
        task(steps_done)
