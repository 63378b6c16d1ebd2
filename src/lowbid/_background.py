"""Compile in the background, while kernels run uncompiled.

One thread takes jobs from a queue. What is on disk it loads; the rest is compiled by a helper
process, which leaves it on disk to be loaded. Compiling in the thread itself would hold up all
other threads of the process again and again, so that is done only where no helper can be started,
where it cannot import what is to be compiled, or where nothing can be kept on disk.

Nobody ever waits for the thread, with two exceptions. A fork waits until the compiler can be left:
locks that are held by a thread that does not exist in the child would never be released. And so
does the end of the interpreter: code of the compiler must not run while its library is unloaded.
The compiler can be left between two of its passes, in a fraction of a second.
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

# A script that is over by then need not import a compiler; a first decision comes before it.
_HEAD_START = 0.25
# How long a helper waits for more to do, and how long the end of the interpreter waits, in seconds.
_PATIENCE = 2.0
_LONGEST_WAIT = 10.0


class Job(Protocol):
    """Something to compile. It can be pickled if a helper process can do it too."""

    submitted: bool

    def load(self) -> bool:
        """Take over what is on disk, and say whether it was there."""

    def keeps(self) -> bool:
        """Whether what is compiled can be kept on disk."""

    def compile(self) -> None:
        """Compile it, keep it on disk if that is possible, and take it over."""


class _Left(BaseException):
    """Raised between two passes of the compiler, to leave it."""


class Background:
    """The queue, the thread, and the helper process."""

    def __init__(self) -> None:
        self.open: list[Job] = []  # submitted and not done, in order
        self.changed = threading.Condition()  # of that list, for the thread
        self.compiler = threading.Lock()  # held by the thread while it is inside numba
        self.leave = False  # asks the thread to let go of that lock
        self.thread: threading.Thread | None = None
        self.helper: subprocess.Popen[bytes] | None = None
        self.listening = False

    def submit(self, job: Job) -> None:
        """Do a job some time."""
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

        text = "%r goes on uncompiled, since compiling it failed: %s"
        logging.getLogger("lowbid").warning(text, job, error)

    def _do(self, job: Job) -> None:
        if self._inside(job.load):
            return
        if self._inside(job.keeps) and self._helped(job) and self._inside(job.load):
            return
        self._inside(job.compile)

    def _inside(self, work: Any) -> Any:
        """Do something inside numba; again from the start if it had to be left."""
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
        """Have numba ask between any two passes whether it is to be left."""
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
        """Have a helper process do a job, and say whether it did."""
        try:
            task = pickle.dumps(job)
        except Exception:  # made at a prompt, in a function, ...
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
        # Programs that Python is a part of put their own name there.
        if "python" not in os.path.basename(sys.executable or "").lower() or self.leave:
            return None
        import subprocess

        self.helper = subprocess.Popen(
            [sys.executable, "-c", "from lowbid._background import help_out; help_out()"],
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
        """Let the thread go on."""
        self.compiler.release()
        self.leave = False

    def after_fork_in_child(self) -> None:
        """Start anew: the thread is not here, and the helper belongs to the parent."""
        left, helper, listening = self.open, self.helper, self.listening
        for pipe in (helper.stdin, helper.stdout) if helper else ():
            if pipe is not None:
                pipe.close()
        if helper is not None:
            helper.returncode = 0  # nobody is to wait for it here
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
    """What the helper process does: compile what it is told until nobody is there any more."""
    if hasattr(os, "nice"):
        os.nice(5)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a user's module prints when it is imported is no answer
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
