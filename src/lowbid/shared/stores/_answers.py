"""A connection of psycopg that does not wait forever for an answer.

A server can hang while its machine still answers: it was stopped, or its disk does not respond.
Neither TCP nor the server's own timeouts end the wait then.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import psycopg

from lowbid.shared.stores._patience import Patience

# The longest time between two looks at the clock, in seconds: psycopg's own.
_STEP = 0.1
# Seconds that any answer may take, even if the patience of its call is over. A server that waited
# for a lock as long as it was to says so then; and a commit is not given up because the lock came
# late.
_GRACE = 1.0


class NoAnswerError(psycopg.OperationalError):
    """The server did not answer in time; what it does with the command is unknown."""


class PatientConnection(psycopg.Connection[Any]):
    """A connection that is closed when an answer takes too long.

    Attributes
    ----------
    patience : Patience
        What is left of the patience of the call that uses it.
    """

    patience: Patience

    def wait(self, gen: Any, *given: Any, **named: Any) -> Any:
        """Wait for an answer; psycopg calls this for every command."""
        try:
            return super().wait(_limited(gen, self.patience), *given, **named)
        except NoAnswerError:
            self.close()  # the answer may still come, and would be taken for that of another
            raise


def _limited(steps: Any, patience: Patience) -> Generator[Any, Any, Any]:
    """The steps of psycopg's wait, which are taken when data comes or a moment has passed."""
    least = min(patience.left, 0.0) - _GRACE
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if not ready and patience.is_over(_STEP) and patience.left <= least:
                raise NoAnswerError("the server gives no answer")
            wanted = steps.send(ready)
    except StopIteration as end:
        return end.value
