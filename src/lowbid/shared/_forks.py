"""Make bandits continue in a forked process before it has threads that could use them."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forkable(Protocol):
    """An object that continues in a forked process."""

    def continue_after_fork(self) -> None:
        """Continue in the forked process, unless that is already done."""


_FORKABLE: weakref.WeakSet[Forkable] = weakref.WeakSet()


def continue_in_children(forkable: Forkable) -> None:
    """Let an object continue in forked processes, as long as it is alive."""
    _FORKABLE.add(forkable)


def _continue_after_fork() -> None:
    for forkable in _FORKABLE:
        forkable.continue_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_continue_after_fork)
