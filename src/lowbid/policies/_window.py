"""The last losses of all arms: a ring in which each new loss takes the place of the oldest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._compile import allocating_kernel, kernel
from lowbid.policies._arms import Start
from lowbid.policies._base import Floats, Ints, require_whole
from lowbid.policies._forgetting import ForgettingPolicy
from lowbid.policies._limits import Limits, Sizes, exactly, sums, whole


class Window(NamedTuple):
    """The last losses of all arms, with each arm's count and sum.

    Attributes
    ----------
    slots, losses
        The arm and the loss in each slot; the n-th loss of all, counted from 0, is in slot
        n modulo the window. -1 stands for an arm that was removed, and for an empty slot.
    seen
        The number of losses so far.
    counts, sums
        The number and the sum of each arm's losses in the window.
    """

    slots: Ints
    losses: Floats
    seen: Ints  # (1,)
    counts: Floats  # (arm,)
    sums: Floats  # (arm,)

    def limits(self, sizes: Sizes) -> Limits:
        """See `_limits`."""
        yield "slots", whole(-1, sizes.n_arms - 1)
        yield "losses", sums()
        yield "sums", sums()
        yield "seen", whole(0, sizes.steps)
        counts = np.bincount(self.slots[self.slots >= 0], minlength=sizes.n_arms)
        yield "counts", exactly(counts, "how often each arm is in the window")

    def renumber(self, before: Window, arms: Sequence[int]) -> None:
        """Keep the losses of these arms only, and number them 0, 1, 2, ..."""
        number = {old: new for new, old in enumerate(arms) if old >= 0}
        self.slots[:] = [number.get(arm, -1) for arm in before.slots.tolist()]

    def take_back(self, other: Window, shift: int) -> None:
        """Restore those losses of arms that were set aside that are still in the window."""
        ours, theirs = self._numbers(), other._numbers()
        length = len(theirs)
        there = (other.slots >= 0) & (ours[:length] == theirs)
        self.slots[:length][there] = other.slots[there] + shift
        self.losses[:length][there] = other.losses[there]
        recount(self)

    def _numbers(self) -> Ints:
        """The number of the loss that was put into each slot last; negative if none was."""
        length, seen = len(self.slots), int(self.seen[0])
        slots = np.arange(length)
        if seen <= length:
            return np.where(slots < seen, slots, -1)
        return slots + (seen - 1 - slots) // length * length


@allocating_kernel
def window_of(n_arms: int, window: int, capacity: int) -> Window:
    """Create an empty window, with no more room than there will be losses."""
    length = min(window, capacity)
    return Window(
        slots=np.full(length, -1, np.int64),
        losses=np.zeros(length),
        seen=np.zeros(1, np.int64),
        counts=np.zeros(n_arms),
        sums=np.zeros(n_arms),
    )


@kernel
def slide(window: Window, length: int, arm: int, loss: float) -> None:
    """Add a loss, and forget the one that is `length` losses old."""
    seen = window.seen[0]
    slot = seen % length
    if seen >= length:
        old = window.slots[slot]
        if old >= 0:
            window.counts[old] -= 1.0
            window.sums[old] -= window.losses[slot]
    window.slots[slot] = arm
    window.losses[slot] = loss
    window.counts[arm] += 1.0
    window.sums[arm] += loss
    window.seen[0] = seen + 1
    if slot == length - 1 and seen >= length:
        recount(window)  # once in a while, or rounding would add up


@kernel
def recount(window: Window) -> None:
    """Count and add up the losses in the window again."""
    for arm in range(len(window.counts)):
        window.counts[arm] = 0.0
        window.sums[arm] = 0.0
    for slot in range(len(window.slots)):
        arm = window.slots[slot]
        if arm >= 0:
            window.counts[arm] += 1.0
            window.sums[arm] += window.losses[slot]


@kernel
def sum_of_last(window: Window, length: int, arm: int, n: int) -> float:
    """The sum of the last n losses of an arm, all of which must be in the window."""
    total = 0.0
    slot = (window.seen[0] - 1) % length
    while n > 0:
        if window.slots[slot] == arm:
            total += window.losses[slot]
            n -= 1
        slot = slot - 1 if slot > 0 else length - 1
    return total


class WindowState(NamedTuple):
    """A window, and room for the arms' indices."""

    window: Window
    indices: Floats


@allocating_kernel
def init(parameters: WindowPolicy, n_arms: int, capacity: int) -> WindowState:
    """Start with an empty window."""
    return WindowState(window_of(n_arms, parameters.window, capacity), np.zeros(n_arms))


@dataclass(frozen=True)
class WindowPolicy(ForgettingPolicy):
    """Base class of policies that remember only the last `window` losses of all arms.

    Parameters
    ----------
    window : int
        How many losses are remembered.
    """

    window: int = 1000

    def __post_init__(self) -> None:
        require_whole("window", self.window)

    def join(
        self,
        first: WindowState,
        second: WindowState,
        sizes: tuple[int, int],
        start: Start,
    ) -> WindowState:
        """See `Policy.join`; an arm that comes back has only the losses still in the window."""
        target: WindowState = super().join(first, second, sizes, start)
        target.window.take_back(second.window, shift=sizes[0])
        return target
