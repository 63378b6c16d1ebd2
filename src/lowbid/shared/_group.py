"""Group commit: calls that arrive during a commit are committed together in the next one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from lowbid.shared._calls import Call

# A leader waits for others for at most this fraction of a commit's time, and looks this often.
_LINGER = 0.25
_GLANCE = 0.00003  # seconds


class GroupCommit:
    """A queue of calls; one thread at a time carries out all that are waiting.

    The first thread to arrive leads: it takes all waiting calls and carries them out. Those that
    arrive meanwhile wait; when it is done, one of them leads. No dedicated thread is needed.

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
        self._batch: list[Call] = []  # what the leader is carrying out
        self._leader: Call | None = None
        self.sizes: dict[int, int] = {}  # the number of commits, by how many calls they had
        self._last = 1, 0.0  # the calls of the last commit, and how many seconds it took

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
            self._last = 1, 0.0  # a caller with many calls has already waited for them
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
        with self._mutex:
            self._waiting.extend(calls)
            if self._leader is None and calls:
                self._leader = calls[0]

    def _await(self, call: Call) -> None:
        """Wait until a call is done, or lead when asked to."""
        if self._leader is not call:
            call.wake.acquire()
        if not call.done:
            self._lead(call)

    def _lead(self, own: Call) -> None:
        """Carry out all that is waiting, then let another thread lead."""
        try:
            self._linger()
            with self._mutex:
                self._batch, self._waiting = self._waiting, []
                batch = self._batch
                self.sizes[len(batch)] = self.sizes.get(len(batch), 0) + 1
            began = time.perf_counter()
            self._carry_out(batch)
            self._last = len(batch), time.perf_counter() - began
        finally:
            self._step_back([own])

    def _linger(self) -> None:
        """Wait a moment for the threads of the last commit, which are about to call again.

        Otherwise, the first of them would commit alone, and all others after it.
        """
        size, seconds = self._last
        until = time.perf_counter() + _LINGER * seconds
        while len(self._waiting) < size and time.perf_counter() < until:
            time.sleep(_GLANCE)

    def _step_back(self, own: Sequence[Call]) -> None:
        """Wake those whose calls are done, and let the next thread lead.

        It can be repeated if it is interrupted.
        """
        with self._mutex:
            if self._leader not in own:
                self._waiting = [call for call in self._waiting if call not in own or call.done]
                return
            for call in self._batch:
                if call.done and call not in own and call.wake.locked():
                    call.wake.release()
            left = [call for call in self._batch if not call.done]
            self._batch = []
            self._waiting = left + [call for call in self._waiting if call not in left]
            self._waiting = [call for call in self._waiting if call is not self._leader]
            self._leader = self._waiting[0] if self._waiting else None
            if self._leader is not None and self._leader.wake.locked():
                self._leader.wake.release()
