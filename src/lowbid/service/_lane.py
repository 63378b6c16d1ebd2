"""Calls of an event loop on a shared bandit: those that wait for a commit share the next one."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from lowbid.shared._bandit import SharedBandit
from lowbid.shared._calls import Call

Waiting = tuple[Call, "asyncio.Future[Any]"]


class Lane:
    """One thread that carries out the calls of many requests, a commit at a time.

    A thread per request would spend more time on switching between threads than on decisions.
    """

    def __init__(self, bandit: SharedBandit) -> None:
        self._bandit = bandit
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"lane of {bandit.name}")
        self._mutex = threading.Lock()
        self._waiting: list[Waiting] = []
        self._busy = False

    async def submit(self, call: Call) -> Any:
        """The answer to a call, once what it did is on disk."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        with self._mutex:
            self._waiting.append((call, future))
            starts, self._busy = not self._busy, True
        if starts:
            self._pool.submit(self._drain, loop)
        return await future

    def close(self) -> None:
        """Finish what was submitted, then stop."""
        self._pool.shutdown(wait=True)

    def _drain(self, loop: asyncio.AbstractEventLoop) -> None:
        """Carry out what is waiting until nothing is."""
        while True:
            with self._mutex:
                batch, self._waiting = self._waiting, []
                if not batch:
                    self._busy = False
                    return
            calls = [call for call, _ in batch]
            try:
                self._bandit.submit_all(calls)
            except Exception as error:  # the bandit itself failed: after a fork, say
                for call in calls:
                    if not call.done:
                        call.fail(error)
            loop.call_soon_threadsafe(_settle, batch)


def _settle(batch: list[Waiting]) -> None:
    for call, future in batch:
        if future.done():  # the client is gone
            continue
        if call.error is not None:
            future.set_exception(call.error)
        else:
            future.set_result(call.value)
