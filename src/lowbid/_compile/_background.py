"""Compile in the background, while kernels run uncompiled.

One thread takes kernels from a queue. It holds a lock while it compiles one, as does every thread
that compiles because a caller waits for it. Nothing else waits for the thread, with two exceptions,
which take as long as one kernel does, a fraction of a second. A fork waits: locks held by a thread
that does not exist in the child would never be released. The end of the process waits: the
compiler must not run while its library is unloaded.
"""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

# A script that ends before then need not import a compiler, in seconds.
_HEAD_START = 0.02
# How long a thread keeps the GIL when another one wants it, in seconds. Compiling takes many turns,
# in each of which Python's usual 5 ms would pass before the caller or the compiler goes on.
_TURN = 0.0005
# How long the end of the process waits for a kernel, in seconds.
_LONGEST_WAIT = 10.0


class Background:
    """The queue and the thread."""

    def __init__(self) -> None:
        self.queue: dict[Any, Any] = {}  # what is to be done, in order
        self.changed = threading.Condition()  # of that queue
        self.compiler = threading.RLock()  # held by a thread that compiles
        self.thread: threading.Thread | None = None
        self.failed = False  # whether LLVM does not work here

    def has(self, kernel: Any, form: str) -> bool:
        """Whether a form of a kernel is waiting to be compiled, or being compiled."""
        return (kernel, form) in self.queue

    def submit(self, kernel: Any, form: str, arguments: tuple[Any, ...]) -> None:
        """Queue a form of a kernel, unless it is there already."""
        if self.has(kernel, form):
            return
        with self.changed:
            self.queue[kernel, form] = contextvars.copy_context(), kernel, form, arguments
            self.changed.notify()
            if self.thread is None:
                self._start()

    def _start(self) -> None:
        """Start the thread; if the system allows no more of them, the next kernel tries again."""
        thread = threading.Thread(target=self._run, name="lowbid", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            self.queue.clear()
        else:
            self.thread = thread

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is left to do; False if it takes longer."""
        end = time.monotonic() + seconds
        while self.queue and time.monotonic() < end:
            time.sleep(0.01)
        return not self.queue

    def _run(self) -> None:
        time.sleep(_HEAD_START)
        while True:
            with self.changed:
                while not self.queue:
                    self.changed.wait()
                name = next(iter(self.queue))
                context, kernel, form, arguments = self.queue[name]
            try:
                with self.compiler, _in_short_turns():
                    context.run(kernel.native, form, arguments, wait=True)
            except Exception:  # for example, of a handler of the log; the thread goes on
                failure = threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread()))
                threading.excepthook(failure)
            del self.queue[name]

    def after_fork_in_child(self) -> None:
        """Start again: the thread does not exist here."""
        failed = self.failed
        self.__init__()  # type: ignore[misc]
        self.failed = failed

    def at_exit(self) -> None:
        """Let no other kernel begin."""
        self.compiler.acquire(timeout=_LONGEST_WAIT)


@contextlib.contextmanager
def _in_short_turns() -> Iterator[None]:
    """Let threads take turns more often inside this block."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, _TURN))
    short = sys.getswitchinterval()
    try:
        yield
    finally:
        if sys.getswitchinterval() == short:  # otherwise, somebody else has set it meanwhile
            sys.setswitchinterval(usual)


background = Background()
atexit.register(background.at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: background.compiler.acquire(),
        after_in_parent=lambda: background.compiler.release(),
        after_in_child=background.after_fork_in_child,
    )
