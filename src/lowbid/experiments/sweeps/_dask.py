"""A Dask cluster as an engine: the one module that imports distributed."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from lowbid._optional import needing
from lowbid.errors import WorkerError
from lowbid.experiments.sweeps._engines import Answers, Engine, play_task
from lowbid.simulation import Share

_CONNECT_SECONDS = 15.0
# How long a connection may be down before the scheduler counts as gone.
_PATIENCE = 10.0


class Dask(Engine):
    """The workers of a running Dask scheduler.

    Dask itself reassigns a task whose worker dies, up to its own limit.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        with needing("distributed", "dask:// needs distributed: pip install 'lowbid[cluster]'"):
            distributed: Any = importlib.import_module("distributed")
        try:
            self.client: Any = distributed.Client(
                f"tcp://{address}", timeout=_CONNECT_SECONDS, set_as_default=False
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise WorkerError(
                f"there is no Dask scheduler at {address} ({error}); start one with `dask "
                "scheduler` and workers with `dask worker`, and give its address."
            ) from error
        self._death = (distributed.scheduler.KilledWorker,)
        self._down_since: float | None = None
        self._asked, self._threads = -1.0, dict[str, int]()
        self._stuck: set[str] = set()
        self._sent: dict[Future[Answers], Any] = {}

    @property
    def workers(self) -> int:  # type: ignore[override]
        """The number of threads of all workers that respond, refreshed once per second."""
        now = time.monotonic()
        if now - self._asked > 1.0:
            self._asked = now
            with contextlib.suppress(Exception):  # the connection is down: `check` will report it
                self._threads = dict(self.client.nthreads())
        return sum(n for worker, n in self._threads.items() if worker not in self._stuck)

    def submit(self, shares: Sequence[Share]) -> Future[Answers]:
        """Submit a task."""
        answer: Future[Answers] = Future()
        answer.set_running_or_notify_cancel()
        rest = [worker for worker in self._threads if worker not in self._stuck]
        where = {"workers": rest} if self._stuck and rest else {}
        sent = self.client.submit(play_task, shares, pure=False, retries=1, **where)
        self._sent[answer] = sent
        sent.add_done_callback(lambda done: _pass_on(done, answer))
        return answer

    def check(self) -> None:
        """Raise a `WorkerError` once the scheduler has been gone for some seconds, or all hang."""
        for answer in [answer for answer in self._sent if answer.done()]:
            del self._sent[answer]
        if self.client.status == "running" and self.client.scheduler is not None:
            self._down_since = None
            if self._stuck and self.workers == 0 and self._threads:
                raise WorkerError(
                    f"all {len(self._threads)} workers at {self.address} are blocked by tasks that "
                    "never answer; restart them, with a nanny (the default of `dask worker`), "
                    "which restarts workers automatically"
                )
            return
        now = time.monotonic()
        self._down_since = self._down_since or now
        if now - self._down_since > _PATIENCE or self.client.status == "closed":
            raise WorkerError(f"the Dask scheduler at {self.address} is gone")

    def is_death(self, error: BaseException) -> bool:
        """Whether Dask gave up a task because it killed its workers."""
        return isinstance(error, self._death)

    def revive(self) -> None:
        """Do nothing: Dask looks after its workers itself."""

    def abandon(self, future: Future[Answers]) -> bool:
        """Restart the worker that does not respond; if that fails, send it no further tasks."""
        sent = self._sent.pop(future, None)
        if sent is None:
            return False
        at: list[str] = []
        try:
            at = [w for w, keys in self.client.processing().items() if sent.key in keys]
            sent.cancel()
            self.client.restart_workers(at, timeout=_CONNECT_SECONDS)
        except Exception:  # a worker without a nanny, or one that does not come back
            self._stuck.update(at)
        return False

    def close(self, *, now: bool) -> None:
        """Leave the cluster; its workers stay."""
        with contextlib.suppress(Exception):
            if now:
                self.client.cancel(list(self._sent.values()))
            self.client.close(timeout=2)


def _pass_on(done: Any, answer: Future[Answers]) -> None:
    """Copy the outcome of a Dask future to a standard one."""
    if answer.done():
        return
    if done.status == "finished":
        try:
            answer.set_result(done.result(timeout=60))
        except BaseException as error:
            answer.set_exception(error)
    elif done.status == "error":
        answer.set_exception(done.exception(timeout=60))
    else:
        answer.set_exception(WorkerError("the task was lost with the connection to Dask"))
