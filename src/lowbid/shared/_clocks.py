"""Clocks that disagree with the time of a log."""

from __future__ import annotations

import warnings

# A log whose last event is this much later than the clock says, in microseconds, is reported.
_TOO_FAR = 60_000_000


class ClockWatch:
    """Reports, once, that time stands still because the clock is behind the log.

    Attributes
    ----------
    ahead : int
        How much later the last event was than the clock said last, in microseconds.
    """

    def __init__(self) -> None:
        self.ahead, self._warned = 0, False

    def report(self, bandit: str, store: str) -> None:
        """Warn if that is too far; again only if the clock has caught up meanwhile."""
        warned, self._warned = self._warned, self.ahead > _TOO_FAR
        if self._warned and not warned:
            warnings.warn(
                f"the last event of bandit {bandit!r} in {store} is {self.ahead // 1_000_000:,} s "
                "later than the clock says: the clock was set back, or that of another process is "
                "ahead. The log's time stands still until the clock has caught up: no window "
                "ends, and units keep their arms. Check the clocks; if it would take too long, "
                "start a bandit with another name.",
                RuntimeWarning,
                stacklevel=2,
            )
