"""A policy at work: its parameters, state and random stream, and the step that it is at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lowbid._kernel import Kernel, kernel, specialise
from lowbid._random import Stream, key, stream_of_run
from lowbid._require import require_arm
from lowbid.online._feedback import LOW, WIDTH, Scale, loss_of
from lowbid.online._ledger import Ledger, record
from lowbid.policies import Policy
from lowbid.policies._base import copy_of, extend

_FIRST_CAPACITY = 1024

# The policy's function that the template below is bound to.
update: Any = None


@kernel
def take_in(
    parameters: Any,
    state: Any,
    arm: int,
    value: float,
    step: int,
    stream: Stream,
    ledger: Ledger,
    scale: Scale,
) -> None:
    """Tell the policy what a measured value comes to, and write the value down."""
    update(parameters, state, arm, loss_of(scale, value), step, stream)
    record(ledger, arm, value, scale[LOW], scale[WIDTH])


class Engine:
    """Arms are numbers 0, 1, 2, ... here, and nothing is checked.

    Attributes
    ----------
    step : int
        The step about to be played, from 1.
    capacity : int
        The number of steps for which there is room.
    """

    _select: Callable[..., Any] | None
    _take_in: Callable[..., Any] | None
    _hold: Callable[..., Any] | None

    def __init__(self, policy: Policy, n_arms: int, seed: int, horizon: int | None) -> None:
        self.policy, self.n_arms, self.horizon = policy, n_arms, horizon
        self.step, self.capacity = 1, _FIRST_CAPACITY
        self.parameters, self.state = policy.start(n_arms, horizon, self.capacity)
        self.stream = stream_of_run(key(seed, policy.identity), 0)
        self.aside: dict[str | int, Any] = {}  # the states of arms that are paused, by name
        self._unbind()

    def select(self) -> int:
        """The arm to play at this step."""
        if self.step > self.capacity:
            self.make_room(2 * self.capacity)
        if self._select is None:
            rule = self.policy.kernels.select
            self._select = _entry(rule, self.parameters, self.state, 1, self.stream)
        arm = self._select(self.parameters, self.state, self.step, self.stream)
        if type(arm) is int and 0 <= arm < self.n_arms:  # the quick way
            return arm
        return require_arm(arm, self.policy.name, self.n_arms)

    def update(self, arm: int, value: float, step: int, ledger: Ledger, scale: Scale) -> None:
        """Take in a value that was measured of an arm."""
        if step > self.capacity:
            self.make_room(2 * self.capacity)
        if self._take_in is None:
            rule = specialise(take_in, update=self.policy.kernels.update)
            common = (self.parameters, self.state)
            self._take_in = _entry(rule, *common, 0, 0.0, 1, self.stream, ledger, scale)
        self._take_in(self.parameters, self.state, arm, value, step, self.stream, ledger, scale)

    def hold(self, arm: int, change: int) -> None:
        """Tell the policy that an arm has more or fewer pending decisions, if it wants to know."""
        rule = type(self.policy).hold
        if rule is None:
            return
        if self._hold is None:
            self._hold = _entry(rule, self.parameters, self.state, arm, change)
        self._hold(self.parameters, self.state, arm, change)

    def indices(self) -> list[float]:
        """Every arm's index now."""
        if self.step > self.capacity:
            self.make_room(2 * self.capacity)
        values = self.policy.indices(self.parameters, self.state, self.step)
        return [float(value) for value in values[: self.n_arms]]

    def ahead(self) -> Any:
        """A copy of the state as the next choice will find it: new batches, say, are in use."""
        if self.step > self.capacity:
            self.make_room(2 * self.capacity)
        state = copy_of(self.state)
        self.policy.kernels.select(self.parameters, state, self.step, np.zeros(1, np.uint64))
        return state

    def make_room(self, capacity: int) -> None:
        """Move the state into one with room for more steps."""
        before, self.capacity = self.capacity, capacity
        try:  # a schedule of the user's may fail, and memory may run out
            aside = {name: extend(state, self.empty(1)) for name, state in self.aside.items()}
            self.replace(extend(self.state, self.empty(self.n_arms)), self.n_arms)
        except BaseException:
            self.capacity = before
            raise
        self.aside = aside

    def replace(self, state: Any, n_arms: int) -> None:
        """Go on with another state."""
        self.parameters = self.policy.parameters(n_arms, self.horizon, self.capacity)
        self.n_arms, self.state = n_arms, state
        self._unbind()

    def empty(self, n_arms: int) -> Any:
        """The state of arms of which nothing is known, with the room that there is."""
        return self.policy.start(n_arms, self.horizon, self.capacity)[1]

    def add(self) -> None:
        """Go on with one arm more, of which nothing is known."""
        self.replace(self._take([*range(self.n_arms), -1]), self.n_arms + 1)

    def remove(self, arm: int) -> None:
        """Go on without an arm."""
        rest = [other for other in range(self.n_arms) if other != arm]
        self.replace(self._take(rest), self.n_arms - 1)

    def pause(self, arm: int, name: str | int) -> None:
        """Go on without an arm, but keep its state."""
        self.aside[name] = self._take([arm])
        self.remove(arm)

    def resume(self, name: str | int) -> None:
        """Go on with an arm that was paused, as the last one."""
        sizes = (self.n_arms, 1)
        state = self.policy.join(self.state, self.aside[name], sizes, self.empty)
        del self.aside[name]
        self.replace(state, self.n_arms + 1)

    def reorder(self, arms: Sequence[int]) -> None:
        """Call arm ``arms[i]`` arm i from now on."""
        self.replace(self._take(arms), self.n_arms)

    def take_over(self, merged: Any, step: int, capacity: int) -> None:
        """Go on with a state that was merged with that of another engine."""
        self.step += step - 1
        self.capacity += capacity
        self.replace(extend(merged, self.empty(self.n_arms)), self.n_arms)

    def _take(self, arms: Sequence[int]) -> Any:
        return self.policy.take(self.state, self.n_arms, arms, self.empty)

    def _unbind(self) -> None:
        self._select = self._take_in = self._hold = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_select": None, "_take_in": None, "_hold": None}


def _entry(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    return function.entry(*arguments) if isinstance(function, Kernel) else function
