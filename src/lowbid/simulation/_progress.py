"""A progress bar."""

from __future__ import annotations

import sys
import time

from lowbid._compile import waiting
from lowbid._terminal import can_show, room

_WIDTH = 30


class Progress:
    """A progress bar that appears after one second; silent without a terminal."""

    def __init__(self, total: int, progress: bool | str | None) -> None:
        self.total = max(total, 1)
        self.what = progress if isinstance(progress, str) else "simulating"
        self.enabled = progress if isinstance(progress, bool) else sys.stderr.isatty()
        self.began = time.monotonic()
        self.shown = False

    def show(self, done: int) -> None:
        """Draw the bar for this much done."""
        elapsed = time.monotonic() - self.began
        if not self.enabled or elapsed < 1.0:
            return
        part = min(done / self.total, 1.0)
        filled = round(part * _WIDTH)
        left = f"{elapsed * (1 - part) / part:.0f} s left" if part > 0.01 else "starting"
        names = waiting()
        if names:
            left = f"compiling {', '.join(names)} ..."
        full, empty = "█░" if can_show("█░", sys.stderr) else "#."
        bar = f"{full * filled}{empty * (_WIDTH - filled)} {part:4.0%}  {left}"
        # A wrapped line could not be erased, so the bar is dropped first.
        line = f"{self.what} {bar}"
        if len(line) >= room():
            line = f"{self.what} {part:4.0%}"[: room() - 1]
        print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)
        self.shown = True

    def close(self) -> None:
        """Erase the bar."""
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
