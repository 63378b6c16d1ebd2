"""Group commit: calls that come in while a commit is under way go into the next one together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from lowbid.shared._calls import Call

# A leader waits at most for this part of a commit's time for others to come, and looks this often.
_LINGER = 0.25
_GLANCE = 0.00003  # seconds


class GroupCommit:
    """A queue of calls, and one thread at a time that carries out all that are waiting.

    The first thread to come leads: it takes all waiting calls and carries them out. Those that come
    meanwhile wait; when it is done, one of them leads. No thread is kept just for this.

    Parameters
    ----------
    carry_out : function
        Carries out a list of calls. Calls that are not done when it raises are carried out by the
        next leader, but for the leader's own.
    """

    def __init__(self, carry_out: Callable[[list[Call]], None]) -> None:
        self._carry_out = carry_out
        self._mutex = threading.Lock()
        self._waiting: list[Call] = []
        self._busy = False
        self.sizes: dict[int, int] = {}  # how many commits had so many calls
        self._last = 1, 0.0  # the calls of the last commit, and how many seconds it took

    @property
    def busy(self) -> bool:
        """Whether a thread leads."""
        return self._busy

    def submit(self, call: Call) -> Any:
        """Carry out a call, with others if there are some; gives its answer."""
        with self._mutex:
            self._waiting.append(call)
            leads, self._busy = not self._busy, True
        if not leads:
            try:
                call.wake.acquire()
            except BaseException:  # Ctrl-C while another thread leads
                self._withdraw(call)
                raise
        if not call.done:
            self._lead(call)
        if call.error is not None:
            raise call.error
        return call.value

    def submit_all(self, calls: Sequence[Call]) -> None:
        """Carry out calls together. Each keeps its own answer or error; none is raised."""
        with self._mutex:
            self._waiting.extend(calls)
            leads, self._busy = not self._busy, True
        for call in calls:
            if not leads:
                call.wake.acquire()
            leads = False
            if not call.done:
                try:
                    self._lead(call)
                except Exception as error:  # what the leader's calls would have raised
                    call.fail(error)

    def _lead(self, own: Call) -> None:
        """Carry out all that is waiting, then let another thread lead."""
        batch: list[Call] = []
        try:
            self._linger()
            with self._mutex:
                batch, self._waiting = self._waiting, []
                self.sizes[len(batch)] = self.sizes.get(len(batch), 0) + 1
            began = time.perf_counter()
            self._carry_out(batch)
            self._last = len(batch), time.perf_counter() - began
        finally:
            with self._mutex:
                left = [call for call in batch if not call.done and call is not own]
                self._waiting = left + [call for call in self._waiting if call is not own]
            for call in batch:
                if call.done and call is not own:
                    call.wake.release()
            self._hand_on()

    def _linger(self) -> None:
        """Wait a moment for the threads of the last commit, which are about to come back.

        Without it the first of them would commit alone, and all others after it.
        """
        size, seconds = self._last
        until = time.perf_counter() + _LINGER * seconds
        while len(self._waiting) < size and time.perf_counter() < until:
            time.sleep(_GLANCE)

    def _hand_on(self) -> None:
        """Let the next thread lead, if one is waiting."""
        with self._mutex:
            if self._waiting:
                self._waiting[0].wake.release()
            else:
                self._busy = False

    def _withdraw(self, call: Call) -> None:
        """Take back a call whose thread was interrupted."""
        with self._mutex:
            told = call.wake.acquire(blocking=False)  # to lead, or that it is done
            if call in self._waiting:
                self._waiting.remove(call)
        if told and not call.done:
            self._hand_on()
