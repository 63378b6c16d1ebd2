"""Propensities that a policy cannot compute, estimated by repeated draws off the critical path.

Thompson sampling and similar policies draw for every arm. The probability of the chosen arm is
estimated by drawing again, from a copy of the state that the choice was made from, in a separate
thread.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from lowbid._compile import kernel, specialise
from lowbid._random import Stream, key, stream_of_run
from lowbid.policies import Policy

# How often a choice is drawn again.
DRAWS = 1000
# At most this many choices wait; the propensity of further ones is not estimated.
_MOST_WAITING = 1000
# States with more numbers than this are not copied: copying is on the critical path.
_MOST_NUMBERS = 10_000
_MOST_AT_ONCE = 256

# The policy's function that the template below is bound to.
select: Any = None


class DrawnChoice(NamedTuple):
    """A choice, and the state that it was made from."""

    identity: str
    arm: int
    policy: Policy
    parameters: Any
    state: Any
    step: int


@kernel
def times_chosen(
    parameters: Any, state: Any, step: int, stream: Stream, arm: int, draws: int
) -> int:
    """How often an arm is chosen when the choice is repeated."""
    count = 0
    for _ in range(draws):
        count += int(select(parameters, state, step, stream) == arm)
    return count


def estimated_chance(choice: DrawnChoice, draws: int = DRAWS) -> float:
    """The propensity of a choice; the original draw counts too, so it is never 0."""
    again = specialise(times_chosen, select=choice.policy.kernels.select)
    stream = stream_of_run(key(0, f"chance/{choice.identity}"), 0)
    count = again(choice.parameters, choice.state, choice.step, stream, choice.arm, draws)
    return (int(count) + 1) / (draws + 1)


def is_small(state: Any) -> bool:
    """Whether a state is small enough to copy quickly."""
    if isinstance(state, tuple):
        return all(is_small(part) for part in state)
    return int(state.size) <= _MOST_NUMBERS


class Estimator:
    """A thread that estimates propensities while choices are waiting.

    Parameters
    ----------
    hand_over : function
        Called with the propensities that are ready, by decision.
    """

    def __init__(self, hand_over: Callable[[dict[str, float]], None]) -> None:
        self._hand_over = hand_over
        self._waiting: queue.Queue[DrawnChoice] = queue.Queue(_MOST_WAITING)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, choices: list[DrawnChoice]) -> None:
        """Estimate these when there is time; drop those that do not fit in the queue."""
        for choice in choices:
            try:
                self._waiting.put_nowait(choice)
            except queue.Full:
                break
        with self._lock:
            if self._thread is None and not self._waiting.empty():
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait until everything is estimated, but no longer than this."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)

    def _work(self) -> None:
        while True:
            chances: dict[str, float] = {}
            while len(chances) < _MOST_AT_ONCE and not self._waiting.empty():
                choice = self._waiting.get()
                chances[choice.identity] = estimated_chance(choice)
            if chances:
                self._hand_over(chances)
            with self._lock:
                if self._waiting.empty():
                    self._thread = None
                    return
