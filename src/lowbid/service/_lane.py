"""Calls from an event loop on a shared bandit: those that wait for a commit share the next one."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import Any

from lowbid.errors import StoreUnavailableError
from lowbid.shared._bandit import SharedBandit
from lowbid.shared._calls import Call

Waiting = tuple[Call, "asyncio.Future[Any]"]

# Clients that were just answered are about to call again: wait for them for this fraction of a
# commit's time. Otherwise, the first to arrive would commit alone, and all others after it.
_LINGER = 0.25


class Lane:
    """One thread that carries out the calls of many requests, one commit at a time.

    With one thread per request, more time would go into switching threads than into decisions. The
    thread starts with the first call.
    """

    def __init__(self, bandit: SharedBandit) -> None:
        self._bandit = bandit
        self._mutex = threading.Lock()
        self._waiting: list[Waiting] = []
        self._wanted = 1  # the thread is woken when this many are waiting
        self._enough = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    async def submit(self, call: Call) -> Any:
        """The answer to a call, once its effect is on disk."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        with self._mutex:
            if self._closed:
                raise StoreUnavailableError(
                    "the experiment was closed on this server; send the request again."
                )
            self._waiting.append((call, future))
            if self._thread is None:
                name = f"lane of {self._bandit.name}"
                self._thread = threading.Thread(target=self._work, name=name, daemon=True)
                self._thread.start()
            if len(self._waiting) == self._wanted:
                self._enough.set()
        return await future

    def close(self) -> None:
        """Finish what was submitted, then stop."""
        with self._mutex:
            self._closed = True
            self._enough.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        """Carry out calls until the lane is closed."""
        size, seconds = 1, 0.0
        while batch := self._gathered(size, _LINGER * seconds):
            began = time.perf_counter()
            self._carry_out([call for call, _ in batch])
            size, seconds = len(batch), time.perf_counter() - began
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is waiting
                batch[0][1].get_loop().call_soon_threadsafe(_settle, batch)

    def _gathered(self, size: int, patience: float) -> list[Waiting]:
        """The waiting calls: wait briefly for this many, then settle for one."""
        for wanted, timeout in ((size, patience), (1, None)):
            with self._mutex:
                self._wanted = wanted
                if len(self._waiting) < wanted and not self._closed:
                    self._enough.clear()
                else:
                    self._enough.set()
            self._enough.wait(timeout)
            with self._mutex:
                if self._waiting:
                    break
        with self._mutex:
            batch, self._waiting = self._waiting, []
        return batch

    def _carry_out(self, calls: list[Call]) -> None:
        try:
            self._bandit.submit_all(calls)
        except Exception as error:  # the bandit itself failed, for instance after a fork
            for call in calls:
                if not call.done:
                    call.fail(error)


def _settle(batch: list[Waiting]) -> None:
    for call, future in batch:
        if future.done():  # the client disconnected
            continue
        if call.error is not None:
            future.set_exception(call.error)
        else:
            future.set_result(call.value)
