"""A running policy: its parameters, state, random stream and current step."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self, TypeVar, cast

import numpy as np

from lowbid._compile import Kernel, When, compiling, default_when, kernel, specialise, with_numbers
from lowbid._random import Stream, stream_of_run
from lowbid._require import require, require_arm, require_whole
from lowbid.online._features import Columns
from lowbid.online._feedback import LOW, SCALE, WIDTH, Scale, scaled_loss
from lowbid.online._ledger import Ledger, record
from lowbid.online._plain import state_from, state_to
from lowbid.policies import Policy, Sizes, check_state, copy_of, extend, fill

_FIRST_CAPACITY = 1024
# Of files: sizes of arrays are small multiples of it, and must not overflow.
_LARGEST_CAPACITY = 2**40
# What is made when it is first needed, and never copied.
_BOUND = ("_select", "_take_in", "_hold", "_see", "_keep", "_ledger", "_scale")

R = TypeVar("R")

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
    """Convert a measured value to a loss, hand it to the policy, and record the value."""
    update(parameters, state, arm, scaled_loss(scale, value), step, stream)
    record(ledger, arm, value, scale[LOW], scale[WIDTH])


class ArmState(NamedTuple):
    """Everything a policy knows about one arm, kept while the engine continues without it.

    Attributes
    ----------
    state
        A state that has this arm only.
    capacity : int
        The number of steps for which there is room in it.
    """

    state: Any
    capacity: int


Method = TypeVar("Method", bound=Callable[..., Any])


def _in_compile_mode(method: Method) -> Method:
    """Make a method of an engine compile its kernels when the engine does."""

    @functools.wraps(method)
    def with_mode(self: Engine, *args: Any, **kwargs: Any) -> Any:
        with compiling(self.compiled):
            return method(self, *args, **kwargs)

    return cast(Method, with_mode)


class Engine:
    """A running policy, with arms numbered 0, 1, 2, ...; nothing is checked.

    Its behaviour depends only on the calls and on the random stream it is given.

    Attributes
    ----------
    compiled : {"background", "now", "never"}
        When the policy is compiled; see `lowbid._compile.compiling`.
    step : int
        The step about to be played, from 1.
    capacity : int
        The number of steps for which there is room.
    """

    _select: Callable[..., Any] | None
    _take_in: Callable[..., Any] | None
    _hold: Callable[..., Any] | None
    _see: Callable[..., Any] | None
    _keep: Callable[..., Any] | None
    _ledger: Ledger | None
    _scale: Scale | None

    def __init__(
        self,
        policy: Policy,
        n_arms: int,
        horizon: int | None,
        stream: Stream,
        compiled: When | None = None,
    ) -> None:
        self.policy, self.n_arms, self.horizon = policy, n_arms, horizon
        self.compiled = compiled or default_when()
        self.step, self.capacity = 1, _FIRST_CAPACITY
        with compiling(self.compiled):
            self.parameters, self.state = policy.start(n_arms, horizon, self.capacity)
        self.stream = stream
        # The features of a call, and one more number; see `Policy.see`.
        self._memory = np.zeros(getattr(policy, "columns", 0) + 1)
        self._unbind()

    @_in_compile_mode
    def to_data(self) -> dict[str, Any]:
        """Everything but the policy, as plain data."""
        return {
            "horizon": self.horizon,
            "step": self.step,
            "capacity": self.capacity,
            "stream": [f"{int(word):#018x}" for word in self.stream],
            "state": state_to(self.state, self.empty(self.n_arms)),
        }

    @classmethod
    def from_data(
        cls, policy: Policy, n_arms: int, saved: dict[str, Any], compiled: When | None = None
    ) -> Self:
        """Restore what `to_data` returned, with this policy; an error if it cannot have been so."""
        horizon = None if saved["horizon"] is None else require_whole("horizon", saved["horizon"])
        capacity = require_whole("capacity", saved["capacity"], at_most=_LARGEST_CAPACITY)
        # There is always room for the steps so far, and it is doubled for the next one.
        step = require_whole("step", saved["step"], at_most=capacity + 1)
        engine = cls(policy, n_arms, horizon, _stream_from(saved["stream"]), compiled)
        engine.step, engine.capacity = step, capacity
        engine.replace(engine._state_from(saved["state"], n_arms, capacity), n_arms)
        return engine

    @_in_compile_mode
    def _state_from(self, saved: Any, n_arms: int, capacity: int) -> Any:
        """A state that was saved, if the policy can have reached it by now."""
        state = state_from(saved, self.empty(n_arms, capacity))
        self.check(state, n_arms)
        return state

    def check(self, state: Any, n_arms: int) -> None:
        """Raise an error for a state that the policy cannot have reached by now."""
        check_state(state, Sizes(n_arms, self.step - 1))

    @_in_compile_mode
    def arm_to_data(self, kept: ArmState) -> dict[str, Any]:
        """An arm that was put aside, as plain data."""
        state = state_to(kept.state, self.empty(1, kept.capacity))
        return {"capacity": kept.capacity, "state": state}

    @_in_compile_mode
    def arm_from_data(self, saved: dict[str, Any]) -> ArmState:
        """Restore what `arm_to_data` returned."""
        capacity = require_whole("capacity", saved["capacity"], at_most=self.capacity)
        return ArmState(self._state_from(saved["state"], 1, capacity), capacity)

    @_in_compile_mode
    def check_paused(self, paused: Sequence[ArmState]) -> None:
        """Raise an error if arms that were put aside do not fit together with the others."""
        state, n_arms = self.state, self.n_arms
        for kept in paused:
            state, n_arms = self._joined(state, n_arms, kept), n_arms + 1
            self.check(state, n_arms)

    def see(self, features: Columns) -> None:
        """Take the features of the next call, and what `kept` returned with them."""
        self._memory[: len(features)] = features
        rule = self._see
        if rule is None:
            rule = self._bind_see()
        rule()

    def kept(self) -> Columns:
        """What the outcome of a decision that was just made will need, besides its arm."""
        rule = self._keep
        if rule is None:
            rule = self._bind_keep()
        rule()
        return self._memory.copy()

    def select(self) -> int:
        """The arm to play at this step."""
        if self.step > self.capacity:
            self.make_room(2 * self.capacity)
        rule = self._select
        if rule is None:
            rule = self._bind_select()
        arm = rule(self.step)
        if type(arm) is int and 0 <= arm < self.n_arms:  # the fast path
            return arm
        return require_arm(arm, self.policy.name, self.n_arms)

    def update(self, arm: int, value: float, step: int, ledger: Ledger, scale: Scale) -> None:
        """Record a measured value of an arm."""
        if step > self.capacity:
            self.make_room(2 * self.capacity)
        rule = self._take_in
        if rule is None or ledger is not self._ledger or scale is not self._scale:
            rule = self._bind_take_in(ledger, scale)
        rule(arm, value, step)

    def hold(self, arm: int, change: int) -> None:
        """Inform the policy that an arm has more or fewer pending decisions, if it uses that."""
        if self.policy.holding is None:
            return
        rule = self._hold
        if rule is None:
            rule = self._bind_hold()
        rule(arm, change)

    def bind(self, ledger: Ledger) -> None:
        """Compile everything a decision and its outcome need, if that is to be done now."""
        if self.compiled == "now":
            self._bind_select()
            self._bind_take_in(ledger, np.zeros(len(SCALE)))
            if self.policy.holding is not None:
                self._bind_hold()
            if len(self._memory) > 1:
                self._bind_see()
                self._bind_keep()

    # While a rule is not compiled, each call tries again to switch to compiled code.

    def _bind_select(self) -> Callable[..., Any]:
        rule = self.policy.kernels.select
        bound, is_final = self._bound(rule, self.parameters, self.state, 1, self.stream)
        self._select = bound if is_final else None
        return bound

    def _bind_take_in(self, ledger: Ledger, scale: Scale) -> Callable[..., Any]:
        rule = specialise(take_in, update=self.policy.kernels.update)
        known = self.parameters, self.state
        bound, is_final = self._bound(rule, *known, 0, 0.0, 1, self.stream, ledger, scale)
        self._take_in, self._ledger, self._scale = bound if is_final else None, ledger, scale
        return bound

    def _bind_hold(self) -> Callable[..., Any]:
        bound, is_final = self._bound(self.policy.holding, self.parameters, self.state, 0, 1)
        self._hold = bound if is_final else None
        return bound

    def _bind_see(self) -> Callable[..., Any]:
        bound, is_final = self._bound(self.policy.see, self.state, self._memory)
        self._see = bound if is_final else None
        return bound

    def _bind_keep(self) -> Callable[..., Any]:
        bound, is_final = self._bound(self.policy.keep, self.state, self._memory)
        self._keep = bound if is_final else None
        return bound

    @_in_compile_mode
    def _bound(self, rule: Any, *arguments: Any) -> tuple[Callable[..., Any], bool]:
        """A rule as a function of the numbers among its arguments, and whether that is final."""
        if isinstance(rule, Kernel):
            return rule.bind(*arguments)
        return functools.partial(_call, rule, self.compiled, arguments), True

    @_in_compile_mode
    def indices(self) -> list[float]:
        """Every arm's index now."""
        if self.step > self.capacity:
            self.make_room(2 * self.capacity)
        values = self.policy.indices(self.parameters, self.state, self.step)
        return [float(value) for value in values[: self.n_arms]]

    @_in_compile_mode
    def ahead(self, features: Columns | None = None) -> Any:
        """A copy of the state as the next choice will find it, with new batches in use."""
        if self.step > self.capacity:
            self.make_room(2 * self.capacity)
        state = copy_of(self.state)
        if features is not None and self.policy.see is not None:
            self.policy.see(state, features)
        self.policy.kernels.select(self.parameters, state, self.step, np.zeros(1, np.uint64))
        return state

    @_in_compile_mode
    def make_room(self, capacity: int) -> None:
        """Move the state into one with room for more steps."""
        state = extend(self.state, self.empty(self.n_arms, capacity))
        parameters = self.policy.parameters(self.n_arms, self.horizon, capacity)
        # Nothing changes before this line: a user's schedule may fail, or memory may run out.
        self.capacity, self.state, self.parameters = capacity, state, parameters
        self._unbind()

    @_in_compile_mode
    def replace(self, state: Any, n_arms: int) -> None:
        """Continue with another state."""
        self.parameters = self.policy.parameters(n_arms, self.horizon, self.capacity)
        self.n_arms, self.state = n_arms, state
        self._unbind()

    def empty(self, n_arms: int, capacity: int | None = None) -> Any:
        """The state of arms about which nothing is known, by default with the current capacity."""
        with compiling(self.compiled):
            return self.policy.start(n_arms, self.horizon, capacity or self.capacity)[1]

    @_in_compile_mode
    def add(self) -> None:
        """Continue with one more arm, about which nothing is known."""
        self.replace(self._take([*range(self.n_arms), -1]), self.n_arms + 1)

    @_in_compile_mode
    def remove(self, arm: int) -> None:
        """Continue without an arm."""
        rest = [other for other in range(self.n_arms) if other != arm]
        self.replace(self._take(rest), self.n_arms - 1)

    @_in_compile_mode
    def put_aside(self, arm: int) -> ArmState:
        """Continue without an arm, and return what is known about it."""
        kept = ArmState(self._take([arm]), self.capacity)
        self.remove(arm)
        return kept

    @_in_compile_mode
    def take_back(self, kept: ArmState) -> None:
        """Continue with an arm that was put aside, as the last one."""
        self.replace(self._joined(self.state, self.n_arms, kept), self.n_arms + 1)

    def _joined(self, state: Any, n_arms: int, kept: ArmState) -> Any:
        """A state with one more arm, which was put aside."""
        arm = kept.state
        if kept.capacity < self.capacity:
            arm = extend(arm, self.empty(1))
        return self.policy.join(state, arm, (n_arms, 1), self.empty)

    @_in_compile_mode
    def reorder(self, arms: Sequence[int]) -> None:
        """Renumber the arms: ``arms[i]`` becomes arm i."""
        self.replace(self._take(arms), self.n_arms)

    @_in_compile_mode
    def merge(self, other: Engine) -> None:
        """Add what another engine knows about the same arms in the same order."""
        merged = self.policy.merge(self.state, other.state)
        capacity = self.capacity + other.capacity
        state = extend(merged, self.empty(self.n_arms, capacity))
        self.step, self.capacity = self.step + other.step - 1, capacity
        self.replace(state, self.n_arms)

    @_in_compile_mode
    def adopt(self, state: Any, step: int, capacity: int, stream: Stream) -> None:
        """Continue with what others know about the same arms, at their step."""
        self.step, self.capacity, self.stream = step, capacity, stream
        self.replace(extend(state, self.empty(self.n_arms)), self.n_arms)

    @_in_compile_mode
    def _take(self, arms: Sequence[int]) -> Any:
        return self.policy.take(self.state, self.n_arms, arms, self.empty)

    def _unbind(self) -> None:
        self._select = self._take_in = self._hold = self._ledger = self._scale = None
        self._see = self._keep = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, **dict.fromkeys(_BOUND)}


def _stream_from(saved: Any) -> Stream:
    """The stream that was saved."""
    stream = np.zeros_like(stream_of_run(np.uint64(0), 0))
    fill(stream, [int(word, 16) for word in saved], "stream")
    require(len(saved) == len(stream), f"stream has {len(saved)} words; allowed: {len(stream)}.")
    return stream


def _call(function: Callable[..., R], when: When, arguments: tuple[Any, ...], *numbers: Any) -> R:
    """Call a plain function, which may call kernels, with other numbers among its arguments."""
    with compiling(when):
        return with_numbers(function, arguments, *numbers)
