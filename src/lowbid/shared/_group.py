"""Group commit: calls that arrive during a commit are committed together in the next one."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

# How long to wait for callers that are about to come back, in multiples of the duration of a
# commit: if all came back last time, and if some did not. The first is so long that no waiting
# thread wakes up during the commit of those that came, which would slow it down.
_LINGER, _LINGER_AFTER_MISSING = 2.0, 0.25
# A thread that commits for event loops ends after this many seconds without work.
_IDLE = 5.0


class Queued:
    """An entry of the queue: one call, of a thread or of an event loop.

    Attributes
    ----------
    done : bool
        Whether it has been answered.
    since, waited : float
        When it was made, by the clock that never goes back; and for how many seconds it waited
        for others until it was begun.
    left : bool
        Whether no thread waits for the answer, or no longer does.
    future : asyncio.Future or None
        Where an event loop waits for the answer.
    """

    def __init__(self) -> None:
        self.wake = threading.Lock()
        self.wake.acquire()
        self.done = self.left = False
        self.since, self.waited = time.monotonic(), 0.0
        self.future: asyncio.Future[Any] | None = None
        self.value: Any = None
        self.error: BaseException | None = None

    def succeed(self, value: Any) -> None:
        """Answer with a value."""
        self.value, self.done = value, True

    def fail(self, error: BaseException) -> None:
        """Answer with an error."""
        self.error, self.done = error, True

    def rouse(self) -> None:
        """Wake its thread, now or as soon as it sleeps."""
        if self.wake.locked():
            self.wake.release()


Call = TypeVar("Call", bound=Queued)


class GroupCommit(Generic[Call]):
    """A queue of calls; one thread at a time carries out all that are waiting.

    The first thread to arrive leads: it takes all waiting calls and carries them out. Those that
    arrive meanwhile wait; when it is done, one of them leads. An event loop cannot wait, so a
    thread of the queue's own leads in its place; it exists while there is work for it.

    Callers that were in the last commit, or came during it, are likely to come back at once. A
    leader therefore waits for them first: otherwise, the first of them would commit alone, and all
    others after it. The thread that completes the group leads instead, because it is already
    running. Threads whose calls are done wake each other, one by one: all at once, they would only
    queue for the interpreter.

    Parameters
    ----------
    carry_out : function
        Carries out a list of calls. What it raises is the leader's error; calls of others that are
        not done then are carried out by the next leader.
    """

    def __init__(self, carry_out: Callable[[list[Call]], None]) -> None:
        self._carry_out = carry_out
        self._mutex = threading.Lock()
        self._waiting: list[Call] = []
        self._callers = 0  # how many calls came since the last commit began
        self._batch: list[Call] = []  # the calls that the leader is carrying out
        self._leader: Queued | None = None
        self._deputy = Queued()  # leads for event loops
        self._thread: threading.Thread | None = None  # the deputy's
        self._gathering = False  # whether the leader still waits for others
        self._expected = 1  # the number of calls that it waits for
        self._pause = 0.0  # the longest wait, in seconds
        self._answered: list[Call] = []  # done, and to be handed over to their event loops
        self._asleep: collections.deque[Call] = collections.deque()  # done, and to be woken
        self.sizes: dict[int, int] = {}  # the number of commits, by how many calls they had

    @property
    def busy(self) -> bool:
        """Whether a thread leads."""
        return self._leader is not None

    def submit(self, call: Call) -> Any:
        """Carry out a call, together with others if there are any, and return its answer."""
        try:
            with self._mutex:
                self._waiting.append(call)
                self._callers += 1
                complete = self._callers >= self._expected
                if self._leader is None or (self._gathering and complete):
                    self._leader, self._gathering = call, not complete
            self._await(call)
        except BaseException:  # Ctrl-C, at any moment
            self._step_back(call)
            raise
        if call.error is not None:
            raise call.error
        return call.value

    def submit_async(self, call: Call) -> asyncio.Future[Any]:
        """Carry out a call for an event loop, which finds the answer in the future."""
        call.future = future = asyncio.get_running_loop().create_future()
        call.left = True
        with self._mutex:
            self._waiting.append(call)
            self._callers += 1
            complete = self._callers >= self._expected
            if self._leader is None:
                self._appoint(call)
                self._gathering = not complete
            elif self._gathering and complete:
                self._gathering = False
                self._leader.rouse()
        return future

    def _appoint(self, call: Call) -> None:
        """Let the thread of a call lead, or the queue's own if an event loop sent it."""
        self._leader = call if call.future is None else self._deputy
        if call.future is not None and self._thread is None:
            self._thread = threading.Thread(target=self._work, name="lowbid commits", daemon=True)
            self._thread.start()
        self._leader.rouse()

    def _work(self) -> None:
        """Lead whenever it is the deputy's turn."""
        deputy = self._deputy
        while deputy.wake.acquire(timeout=_IDLE) or not self._retires():
            if self._leader is deputy and self._has_gathered(deputy):
                self._lead(deputy)

    def _retires(self) -> bool:
        """End the deputy's thread, unless it was appointed meanwhile."""
        with self._mutex:
            if self._leader is not self._deputy:
                self._thread = None
            return self._thread is None

    def _await(self, call: Call) -> None:
        """Wait until a call is done; or lead when asked to."""
        while not call.done:
            if self._leader is not call:
                call.wake.acquire()
            elif self._has_gathered(call):
                self._lead(call)
                return
        call.left = True
        self._wake_next()

    def _has_gathered(self, leader: Queued) -> bool:
        """Wait a moment for others to come; False if one of them leads now."""
        if self._gathering:
            leader.wake.acquire(timeout=self._pause)
        with self._mutex:
            if self._leader is leader:
                self._gathering = False
            return self._leader is leader

    def _lead(self, own: Queued) -> None:
        """Carry out all that is waiting, then let another thread lead."""
        try:
            with self._mutex:
                self._batch, self._waiting = self._waiting, []
                callers, self._callers = self._callers, 0
                came = callers >= max(2, self._expected)
                batch = self._batch
                self.sizes[len(batch)] = self.sizes.get(len(batch), 0) + 1
            began = time.perf_counter()
            try:
                self._carry_out(batch)
            except Exception as error:
                for call in batch:
                    if not call.done and (call is own or self._leads_for(own, call)):
                        call.fail(error)
            linger = _LINGER if came and own is not self._deputy else _LINGER_AFTER_MISSING
            self._pause = linger * (time.perf_counter() - began)
            # An event loop works on other requests during a commit: it is not kept waiting for all.
            self._expected = callers + (0 if own is self._deputy else self._callers)
        finally:
            self._step_back(own)

    def _leads_for(self, own: Queued, call: Call) -> bool:
        """Whether a thread leads in place of the event loop that sent a call."""
        return own is self._deputy and call.future is not None

    def _step_back(self, own: Queued) -> None:
        """Leave, after leading or before; let the next thread lead.

        It can be repeated if it is interrupted.
        """
        with self._mutex:
            own.left = True
            left = [call for call in self._waiting if call.done or call is not own]
            if self._leader is own:
                self._asleep.extend(call for call in self._batch if call.done and not call.left)
                self._answered += [call for call in self._batch if call.done and call.future]
                unfinished = [call for call in self._batch if not call.done and call is not own]
                left = unfinished + [call for call in left if call not in unfinished]
                self._batch = []
            self._waiting = left
            if self._leader is own:
                self._leader, self._gathering = None, False
                if left:
                    self._appoint(left[0])
                    self._gathering = self._callers < self._expected
            _hand_over(self._answered)
            self._answered = []
        self._wake_next()

    def _wake_next(self) -> None:
        """Wake a thread whose call is done; it wakes the next one."""
        with self._mutex:
            while self._asleep:
                call = self._asleep[0]
                call.rouse()
                self._asleep.popleft()
                if not call.left:  # a thread that has left would not wake the next one
                    return


def _hand_over(calls: Sequence[Queued]) -> None:
    """Give answers to the event loops that wait for them."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Queued]] = {}
    for call in calls:
        by_loop.setdefault(call.future.get_loop(), []).append(call)  # type: ignore[union-attr]
    for loop, some in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(_settle, some)


def _settle(calls: Sequence[Queued]) -> None:
    for call in calls:
        if call.future is None or call.future.done():  # the client disconnected
            continue
        if call.error is not None:
            call.future.set_exception(call.error)
        else:
            call.future.set_result(call.value)
