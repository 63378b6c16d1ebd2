"""How long to wait for a store."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from lowbid.errors import StoreUnavailableError

if TYPE_CHECKING:
    from lowbid.shared.stores._interface import Store

R = TypeVar("R")

# The first pause and the longest one while a store is unavailable, in seconds.
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
# A step that takes this many seconds longer than its maximum was interrupted: the process was
# stopped, or its machine was suspended or moved.
_LATE = 1.0


class Patience:
    """A limit on the total time spent waiting, step by step.

    Time during which this process did not run does not count. The process that holds the store was
    probably stopped too, and needs a moment to continue.

    Parameters
    ----------
    seconds : float
        The limit.

    Attributes
    ----------
    seconds : float
        The limit.
    left : float
        How many of them were left when one last asked; less than 0 if they are over.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = self.left = self._given = seconds
        self._since = time.monotonic()
        self._excused = self._failed = False

    def change(self, seconds: float) -> None:
        """Have more seconds left, or fewer."""
        self.left += seconds
        self._given += seconds

    @property
    def taken(self) -> float:
        """The seconds that have passed so far, as of the last step."""
        return self._given - self.left

    @contextlib.contextmanager
    def extended(self, seconds: float) -> Iterator[None]:
        """Let a block that goes through much data take this many seconds, which do not count.

        They do count if it fails, and after a failure: what is tried again and again has no more
        than the limit in total.
        """
        if self._failed:
            yield
            return
        left, self.left, self._since = self.left, seconds, time.monotonic()
        try:
            yield
        except BaseException:
            self.left = min(left, self.left)
            raise
        self.left, self._since = left, time.monotonic()

    def ends_after_failure(self, longest_step: float) -> bool:
        """Whether the limit is reached, after an attempt that failed and could be repeated."""
        self._failed = True
        return self.is_over(longest_step)

    def is_over(self, longest_step: float) -> bool:
        """Whether the limit is reached, after a step that can take at most this many seconds.

        A step that took much longer is not counted the first time; after that, it is.
        """
        now = time.monotonic()
        taken, self._since = now - self._since, now
        if taken > longest_step + _LATE and not self._excused:
            self._excused = True
        else:
            self.left -= taken
        return self.left <= 0.0


def patiently(store: Store, work: Callable[[], R]) -> R:
    """Do something that may be repeated, as soon as the store is available."""
    pause = FIRST_PAUSE
    with store.one_call() as patience:
        while True:
            try:
                return work()
            except StoreUnavailableError:
                if patience.ends_after_failure(store.patience):
                    raise
            time.sleep(pause)
            pause = min(2.0 * pause, LONGEST_PAUSE)
