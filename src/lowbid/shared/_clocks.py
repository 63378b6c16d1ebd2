"""The clock of a log: the store's, or one for tests; and clocks that disagree with it."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from lowbid.shared._durations import microseconds_since_1970

# The seconds since 1970, as tests have them; None for the store's clock.
Clock = Callable[[], float] | None

# A log whose last event is this much later than the clock says, in microseconds, is reported.
_TOO_FAR = 60_000_000


def time_by(clock: Clock, now: int) -> int:
    """The time of a given clock, or else that of the store, in microseconds since 1970."""
    return now if clock is None else microseconds_since_1970("clock()", clock())


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
