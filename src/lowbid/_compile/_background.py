"""Compile in the background, while kernels run uncompiled.

One thread takes jobs from a queue. It loads code that is on disk; the rest is compiled by a helper
process, which stores it on disk to be loaded. Compiling in the thread itself would repeatedly block
all other threads of the process, so that is done only where no helper can be started, where it
cannot import what is to be compiled, or where nothing can be stored on disk.

Nothing ever waits for the thread, with two exceptions. A fork waits until the compiler can be
interrupted: locks held by a thread that does not exist in the child would never be released.
Interpreter shutdown also waits: compiler code must not run while its library is unloaded. The
compiler can be interrupted between two of its passes, within a fraction of a second.
"""

from __future__ import annotations

import atexit
import os
import pickle
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import subprocess

# A script that ends before then need not import a compiler; a first decision comes earlier.
_HEAD_START = 0.25
# How long a helper waits for more work, and how long interpreter shutdown waits, in seconds.
_PATIENCE = 2.0
_LONGEST_WAIT = 10.0


class Job(Protocol):
    """Something to compile. It can be pickled if a helper process can do it too."""

    submitted: bool

    def load(self) -> bool:
        """Load the code from disk, and return whether it was there."""

    def keeps(self) -> bool:
        """Whether compiled code can be stored on disk."""

    def compile(self) -> None:
        """Compile it, store it on disk if possible, and use it."""


class _Left(BaseException):
    """Raised between two passes of the compiler, to interrupt it."""


class Background:
    """The queue, the thread, and the helper process."""

    def __init__(self) -> None:
        self.open: list[Job] = []  # submitted and not done, in order
        self.changed = threading.Condition()  # of that list, for the thread
        self.compiler = threading.Lock()  # held by the thread while it is inside numba
        self.leave = False  # asks the thread to release that lock
        self.thread: threading.Thread | None = None
        self.helper: subprocess.Popen[bytes] | None = None
        self.listening = False

    def submit(self, job: Job) -> None:
        """Queue a job."""
        job.submitted = True
        with self.changed:
            self.open.append(job)
            self.changed.notify()
            if self.thread is None and not self.leave:
                self.thread = threading.Thread(target=self._run, name="lowbid", daemon=True)
                self.thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is left to do; False if it takes longer."""
        end = time.monotonic() + seconds
        while self.open and time.monotonic() < end:
            time.sleep(0.01)
        return not self.open

    def _run(self) -> None:
        time.sleep(_HEAD_START)
        while True:
            with self.changed:
                if not self.open and not self.changed.wait(_PATIENCE):
                    self._dismiss_helper()
                while not self.open:
                    self.changed.wait()
            try:
                self._do(self.open[0])
            except Exception as error:
                self._give_up(self.open[0], error)
            del self.open[0]

    def _give_up(self, job: Job, error: Exception) -> None:
        import logging

        text = "%r keeps running uncompiled, because compiling it failed: %s"
        logging.getLogger("lowbid").warning(text, job, error)

    def _do(self, job: Job) -> None:
        if self._inside(job.load):
            return
        if self._inside(job.keeps) and self._helped(job) and self._inside(job.load):
            return
        self._inside(job.compile)

    def _inside(self, work: Any) -> Any:
        """Run something inside numba; restart it if it was interrupted."""
        while True:
            while self.leave:
                time.sleep(0.001)
            with self.compiler:
                try:
                    self._listen()
                    return work()
                except _Left:
                    pass

    def _listen(self) -> None:
        """Make numba check between any two passes whether to stop."""
        if self.listening:
            return
        from numba.core import event

        background = self

        class BetweenPasses(event.Listener):
            def on_start(self, event: Any) -> None:
                if background.leave and threading.current_thread() is background.thread:
                    raise _Left

            def on_end(self, event: Any) -> None:
                pass

        event.register("numba:run_pass", BetweenPasses())
        self.listening = True

    def _helped(self, job: Job) -> bool:
        """Let a helper process do a job, and return whether it succeeded."""
        try:
            task = pickle.dumps(job)
        except Exception:  # defined at a prompt, in a function, ...
            return False
        try:
            helper = self.helper or self._start_helper()
            if helper is None or helper.stdin is None or helper.stdout is None:
                return False
            helper.stdin.write(len(task).to_bytes(8, "big") + task)
            helper.stdin.flush()
            return helper.stdout.readline() == b"done\n"
        except OSError:
            self._dismiss_helper()
            return False

    def _start_helper(self) -> subprocess.Popen[bytes] | None:
        # Programs that embed Python put their own name there.
        if "python" not in os.path.basename(sys.executable or "").lower() or self.leave:
            return None
        import subprocess

        self.helper = subprocess.Popen(
            [sys.executable, "-c", "from lowbid._compile._background import help_out; help_out()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        return self.helper

    def _dismiss_helper(self) -> None:
        helper, self.helper = self.helper, None
        if helper is not None:
            helper.kill()
            helper.communicate()

    # Forks, and the end

    def before_fork(self) -> None:
        """Get the thread out of numba."""
        self.leave = True
        self.compiler.acquire()

    def after_fork_in_parent(self) -> None:
        """Let the thread continue."""
        self.compiler.release()
        self.leave = False

    def after_fork_in_child(self) -> None:
        """Reset: the thread does not exist here, and the helper belongs to the parent."""
        left, helper, listening = self.open, self.helper, self.listening
        pipes: tuple[Any, ...] = (helper.stdin, helper.stdout) if helper else ()
        for pipe in pipes:
            pipe.raw.close()  # the thread may hold the lock of the buffer around it
        if helper is not None:
            helper.returncode = 0  # so that nothing here waits for it
        self.__init__()  # type: ignore[misc]
        self.listening = listening
        for job in left:
            job.submitted = False

    def at_exit(self) -> None:
        """Leave nothing running."""
        self.leave = True
        if self.thread is None:
            return
        if self.helper is not None:
            self.helper.kill()
        self.compiler.acquire(timeout=_LONGEST_WAIT)


background = Background()
atexit.register(background.at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=background.before_fork,
        after_in_parent=background.after_fork_in_parent,
        after_in_child=background.after_fork_in_child,
    )


def help_out() -> None:
    """The main loop of the helper process: compile jobs until the parent is gone."""
    if hasattr(os, "nice"):
        os.nice(5)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of a user's module must not be taken for an answer
    tasks = sys.stdin.buffer
    while length := tasks.read(8):
        task = tasks.read(int.from_bytes(length, "big"))
        try:
            pickle.loads(task).compile()
            answer = b"done\n"
        except Exception:
            answer = b"failed\n"
        out.write(answer)
        out.flush()
