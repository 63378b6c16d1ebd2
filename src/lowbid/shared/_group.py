"""Group commit: calls that arrive during a commit are committed together in the next one."""

from __future__ import annotations

import collections
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from lowbid.shared._calls import Call

# How long to wait for threads that are about to come back, in multiples of the duration of a
# commit: if all came back last time, and if some did not. The first is so long that no waiting
# thread wakes up during the commit of those that came, which would slow it down.
_LINGER, _LINGER_AFTER_MISSING = 2.0, 0.25


class GroupCommit:
    """A queue of calls; one thread at a time carries out all that are waiting.

    The first thread to arrive leads: it takes all waiting calls and carries them out. Those that
    arrive meanwhile wait; when it is done, one of them leads. No dedicated thread is needed.

    Threads that were in the last commit, or came during it, are likely to come back at once. A
    leader therefore waits for them first: otherwise, the first of them would commit alone, and all
    others after it. The thread that completes the group leads instead, because it is already
    running. Threads whose calls are done wake each other, one by one: all at once, they would only
    queue for the interpreter.

    Parameters
    ----------
    carry_out : function
        Carries out a list of calls. Calls that are not done when it raises are carried out by the
        next leader, except for the leader's own.
    """

    def __init__(self, carry_out: Callable[[list[Call]], None]) -> None:
        self._carry_out = carry_out
        self._mutex = threading.Lock()
        self._waiting: list[Call] = []
        self._callers = 0  # the number of threads that wait for them
        self._batch: list[Call] = []  # the calls that the leader is carrying out
        self._leader: Call | None = None
        self._gathering = False  # whether the leader still waits for others
        self._expected = 1  # the number of threads that it waits for
        self._pause = 0.0  # the longest wait, in seconds
        self._asleep: collections.deque[Call] = collections.deque()  # done, and to be woken
        self.sizes: dict[int, int] = {}  # the number of commits, by how many calls they had

    @property
    def busy(self) -> bool:
        """Whether a thread leads."""
        return self._leader is not None

    def submit(self, call: Call) -> Any:
        """Carry out a call, together with others if there are any, and return its answer."""
        try:
            self._enqueue([call])
            self._await(call)
        except BaseException:  # Ctrl-C, at any moment
            self._step_back([call])
            raise
        if call.error is not None:
            raise call.error
        return call.value

    def submit_all(self, calls: Sequence[Call]) -> None:
        """Carry out calls together. Each keeps its own answer or error; none is raised."""
        try:
            self._enqueue(calls)
            for call in calls:
                try:
                    self._await(call)
                except Exception as error:  # what the leader's calls would have raised
                    call.fail(error)
        except BaseException:
            self._step_back(calls)
            raise

    def _enqueue(self, calls: Sequence[Call]) -> None:
        if not calls:
            return
        with self._mutex:
            self._waiting.extend(calls)
            self._callers += 1
            complete = self._callers >= self._expected
            if self._leader is None or (self._gathering and complete):
                self._leader, self._gathering = calls[0], not complete

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

    def _has_gathered(self, leader: Call) -> bool:
        """Wait a moment for others to come; False if one of them leads now."""
        if self._gathering:
            leader.wake.acquire(timeout=self._pause)
        with self._mutex:
            if self._leader is leader:
                self._gathering = False
            return self._leader is leader

    def _lead(self, own: Call) -> None:
        """Carry out all that is waiting, then let another thread lead."""
        try:
            with self._mutex:
                self._batch, self._waiting = self._waiting, []
                callers, self._callers = self._callers, 0
                came = callers >= max(2, self._expected)
                batch = self._batch
                self.sizes[len(batch)] = self.sizes.get(len(batch), 0) + 1
            began = time.perf_counter()
            self._carry_out(batch)
            linger = _LINGER if came else _LINGER_AFTER_MISSING
            self._pause = linger * (time.perf_counter() - began)
            self._expected = callers + self._callers
        finally:
            self._step_back([own])

    def _step_back(self, own: Sequence[Call]) -> None:
        """Leave, after leading or before; let the next thread lead.

        It can be repeated if it is interrupted.
        """
        with self._mutex:
            for call in own:
                call.left = True
            left = [call for call in self._waiting if call.done or call not in own]
            if self._leader in own:
                self._asleep.extend(call for call in self._batch if call.done and not call.left)
                unfinished = [call for call in self._batch if not call.done and call not in own]
                left = unfinished + [call for call in left if call not in unfinished]
                self._batch = []
            self._waiting = left
            if self._leader in own:
                self._leader = next(iter(left), None)
                self._gathering = self._leader is not None and self._callers < self._expected
                if self._leader is not None and self._leader.wake.locked():
                    self._leader.wake.release()
        self._wake_next()

    def _wake_next(self) -> None:
        """Wake a thread whose call is done; it wakes the next one."""
        with self._mutex:
            while self._asleep:
                call = self._asleep[0]
                if call.wake.locked():
                    call.wake.release()
                self._asleep.popleft()
                if not call.left:  # a thread that has left would not wake the next one
                    return
