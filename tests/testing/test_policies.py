"""Each promise of `check_policy` is broken by a policy, and each is caught."""

import dataclasses
import inspect
import itertools
import re
from typing import NamedTuple

import numpy as np
import pytest

import lowbid
from lowbid import Policy
from lowbid._arrays import Floats
from lowbid.errors import InvalidValueError
from lowbid.kernels import allocating_kernel, kernel
from lowbid.policies import Kernels
from lowbid.policies._scan import argmin
from lowbid.random import integer, uniform
from lowbid.testing import _policies as kit
from lowbid.testing import check_policy


class State(NamedTuple):
    counts: Floats
    sums: Floats


@dataclasses.dataclass(frozen=True)
class Sound(Policy):
    """Epsilon-greedy in plain Python, which keeps every promise."""

    epsilon: float = 0.2
    scale_free = True
    location_free = True

    def init(self, n_arms, capacity):
        return State(np.zeros(n_arms), np.zeros(n_arms))

    def select(self, state, step, stream):
        unplayed = np.flatnonzero(state.counts == 0)
        if len(unplayed):
            return int(unplayed[integer(stream, len(unplayed))])
        if uniform(stream) < self.epsilon:
            return integer(stream, len(state.counts))
        means = state.sums / state.counts
        lowest = np.flatnonzero(means == means.min())
        return int(lowest[integer(stream, len(lowest))])

    def update(self, state, arm, loss, step, stream):
        state.counts[arm] += 1
        state.sums[arm] += loss


class PlaysTheWorst(Sound):
    """It mistakes losses for rewards."""

    def update(self, state, arm, loss, step, stream):
        super().update(state, arm, -loss, step, stream)


class IgnoresLosses(Sound):
    """It plays in turn, from a random arm on."""

    def select(self, state, step, stream):
        lowest = np.flatnonzero(state.counts == state.counts.min())
        return int(lowest[integer(stream, len(lowest))])


class PrefersTheFirst(Sound):
    """`argmin` returns the first of several equal arms."""

    def select(self, state, step, stream):
        if uniform(stream) < self.epsilon and state.counts.all():
            return integer(stream, len(state.counts))
        means = state.sums / np.maximum(state.counts, 1) - (state.counts == 0) * 1e9
        return int(means.argmin())


class PrefersTheFirstLater(Sound):
    """Unplayed arms come in random order, but later ties go to the first arm."""

    def select(self, state, step, stream):
        arm = super().select(state, step, stream)
        means = state.sums / np.maximum(state.counts, 1)
        return arm if not state.counts.all() else int(means.argmin())


class NeverPlaysTheLast(Sound):
    """It is off by one."""

    def select(self, state, step, stream):
        arm = super().select(State(*(array[:-1] for array in state)), step, stream)
        return arm if len(state.counts) > 1 else 0


class HasAScale(Sound):
    """It claims to be scale-free, but has an absolute bonus."""

    epsilon: float = 0.0
    bonus = 0.3

    def select(self, state, step, stream):
        if not state.counts.all():
            return super().select(state, step, stream)
        indices = state.sums / state.counts - self.bonus / np.sqrt(state.counts)
        lowest = np.flatnonzero(indices == indices.min())
        return int(lowest[integer(stream, len(lowest))])


class HasAnOrigin(Sound):
    """It claims to be location-free, but imagines a loss of 0 for each arm."""

    def select(self, state, step, stream):
        return super().select(State(state.counts + (state.counts > 0), state.sums), step, stream)


class IgnoresItsRange(HasAScale):
    """It claims to need a range, and then ignores it."""

    scale_free = False
    needs_range = True


@dataclasses.dataclass(frozen=True)
class TakesAnEndForTheWidth(HasAScale):
    """It mistakes the upper end of the range for its width, and takes none narrower than 1."""

    width: float | None = None
    scale_free = False

    @property
    def needs_range(self):
        return self.width is None

    @property
    def bonus(self):
        return self.width or 1.0

    def for_range(self, low, high):
        return type(self)(width=max(1.0, high))


class HasItsOwnDice(Sound):
    """It draws from a generator of its own."""

    dice = np.random.default_rng(1)

    def select(self, state, step, stream):
        arm = super().select(state, step, stream)
        return arm if self.dice.random() > 0.1 else 0


class NumbersItsRuns(Sound):
    """Every fifth run is different."""

    runs = 0

    def init(self, n_arms, capacity):
        type(self).runs += 1
        return super().init(n_arms, capacity)

    def select(self, state, step, stream):
        arm = super().select(state, step, stream)
        return arm if self.runs % 5 else 0


class RemembersOutsideItsState(Sound):
    """Its counter is not in its state, so a restored state lacks it."""

    seen = itertools.count()

    def init(self, n_arms, capacity):
        type(self).seen = itertools.count()
        return super().init(n_arms, capacity)

    def select(self, state, step, stream):
        arm = super().select(state, step, stream)
        return arm if next(self.seen) % 7 else len(state.counts) - 1


class KnowsItsRoom(Sound):
    """It plays by the room for steps, which online is not the horizon."""

    def init(self, n_arms, capacity):
        return State(np.zeros(n_arms), np.full(n_arms, 1e-9 * capacity))

    def select(self, state, step, stream):
        if state.sums[0] >= 1e-9 * 1000 and step % 3 == 0:
            return 0
        return super().select(state, step, stream)


class Window(NamedTuple):
    counts: Floats
    sums: Floats
    losses: Floats


class KeepsItsHistoryBackwards(Sound):
    """A state that moves into a larger one keeps the beginnings of its arrays, not their ends."""

    def init(self, n_arms, capacity):
        return Window(np.zeros(n_arms), np.zeros(n_arms), np.zeros(capacity))

    def update(self, state, arm, loss, step, stream):
        super().update(state, arm, loss, step, stream)
        state.losses[-step] = loss + 1.0

    def select(self, state, step, stream):
        arm = super().select(state, step, stream)
        return 0 if step > 1 and state.losses[-1] == 0.0 else arm


@allocating_kernel
def init(parameters, n_arms, capacity):
    return State(np.zeros(n_arms), np.zeros(n_arms))


@kernel
def select_by_overflow(parameters, state, step, stream):
    # Compiled, whole numbers have 64 bits, and this one comes out as 0.
    if (step + (1 << 62)) * 4 > 10_000 and step > len(state.counts):
        return 0
    return integer(stream, len(state.counts))


@kernel
def select_by_overflow_with_many(parameters, state, step, stream):
    if len(state.counts) > 50 and (step + (1 << 62)) * 4 > 10_000:
        return 0
    return argmin(state.counts, True, stream)


@kernel
def update(parameters, state, arm, loss, step, stream):
    state.counts[arm] += 1.0
    state.sums[arm] += loss


@dataclasses.dataclass(frozen=True)
class OtherWhenCompiled(Policy):
    """Its kernel has another meaning compiled than in plain Python."""

    kernels = Kernels(init, select_by_overflow, update)


@dataclasses.dataclass(frozen=True)
class OtherWhenCompiledWithManyArms(Policy):
    """The same, but only with a hundred arms."""

    kernels = Kernels(init, select_by_overflow_with_many, update)


@kernel
def update_beyond(parameters, state, arm, loss, step, stream):
    state.counts[arm] += 1.0
    state.sums[arm + 1] += loss  # beyond


@kernel
def update_below(parameters, state, arm, loss, step, stream):
    state.counts[arm] += 1.0
    state.sums[arm - step] += loss  # below


@kernel
def select_random(parameters, state, step, stream):
    return integer(stream, len(state.counts))


@kernel
def select_none(parameters, state, step, stream):
    return -1


@kernel
def select_by_power(parameters, state, step, stream):
    return integer(stream, len(state.counts)) ** 1  # power


@allocating_kernel
def select_by_list(parameters, state, step, stream):
    return int(np.array([0.0])[0]) + integer(stream, len(state.counts))


def made_of(select, update):
    @dataclasses.dataclass(frozen=True)
    class Made(Policy):
        kernels = Kernels(init, select, update)

    return Made()


def line_of(function, comment):
    lines, first = inspect.getsourcelines(function.function)
    at = first + next(i for i, line in enumerate(lines) if line.endswith(f"# {comment}\n"))
    return f"test_policies.py, line {at}: "


@pytest.mark.parametrize(
    ("select", "update", "function", "comment"),
    [
        (select_random, update_beyond, update_beyond, "beyond"),
        (select_random, update_below, update_below, "below"),
        (select_by_power, update, select_by_power, "power"),
    ],
)
def test_a_kernel_that_is_wrong_is_named_by_its_line(select, update, function, comment, caplog):
    with pytest.raises(AssertionError, match=re.escape(line_of(function, comment))):
        check_policy(made_of(select, update), horizon=100)


def test_an_index_outside_only_when_compiled_is_found_by_checks():
    with pytest.raises(AssertionError, match=re.escape(line_of(first_of_wrapped, "wraps"))):
        check_policy(made_of(first_of_wrapped, update), horizon=100)


@kernel
def first_of_wrapped(parameters, state, step, stream):
    arm = integer(stream, len(state.counts))
    place = (step + (1 << 62)) * 2 // (1 << 62)  # 2 for Python, -2 in 64 bits
    return arm + int(0.0 * state.counts[place - 2 if place > 0 else -99])  # wraps


def test_an_arm_that_does_not_exist_is_named():
    with pytest.raises(AssertionError, match="select chose arm -1 at step 1"):
        check_policy(made_of(select_none, update), horizon=100)


def test_only_init_may_create_arrays():
    with pytest.raises(AssertionError, match="select is marked with @allocating_kernel"):
        check_policy(made_of(select_by_list, update), horizon=100)


BROKEN = {
    PlaysTheWorst: "it does not learn: .* uniform play would give it 25%",
    IgnoresLosses: "it does not learn",
    PrefersTheFirst: "ties are not fair: .* at the first step",
    PrefersTheFirstLater: "ties are not fair: .* at steps 1 to 40",
    NeverPlaysTheLast: "an arm was never played in 100 steps",
    HasAScale: r"declares otherwise, but x -> 0.000976562 x \+ 0 changes its choices",
    HasAnOrigin: r"declares otherwise, but x -> 1 x \+ 5 changes its choices",
    IgnoresItsRange: "it needs a range, but does not take one",
    TakesAnEndForTheWidth: r"declares otherwise, but x -> 0.000976562 x \+ 0 changes",
    HasItsOwnDice: "a restored state makes other choices than the original",
    NumbersItsRuns: "two simulations with the same seed differ",
    RemembersOutsideItsState: "same seed differ|different choices|restored state makes other",
    KnowsItsRoom: "online object and the simulation make different choices",
    KeepsItsHistoryBackwards: "differ within 1100 steps",
    OtherWhenCompiled: "the compiled and the uncompiled simulation differ",
    OtherWhenCompiledWithManyArms: "with 100 arms compiled and uncompiled choices differ",
}


def test_a_sound_policy_passes_and_is_said_to_run_uncompiled(caplog):
    check_policy(Sound(), horizon=100)
    (said,) = caplog.messages
    assert said.startswith("Sound consists of plain Python methods: it runs uncompiled, ")


@pytest.mark.parametrize("cls", BROKEN, ids=lambda cls: cls.__name__)
def test_a_broken_promise_is_caught(cls):
    with pytest.raises(AssertionError, match=BROKEN[cls]):
        check_policy(cls(), horizon=100)


def test_what_is_not_meant_to_learn_or_to_be_fair_passes_if_one_says_so():
    check_policy(IgnoresLosses(), horizon=100, learns=False)
    with pytest.raises(AssertionError, match="it does not learn"):
        check_policy(lowbid.UniformPlay(), horizon=100)
    check_policy(PrefersTheFirst(), horizon=100, fair_ties=False)


class Careless(lowbid.Bandit):
    """Takes any number for a loss."""

    def update(self, what, *, loss):
        super().update(what, loss=loss if loss in (0.5, 0.0, 1.0) or loss == loss else 0.5)


class Hasty(lowbid.Bandit):
    """Refuses bad input only after it has counted it."""

    def update(self, what, *, loss):
        try:
            super().update(what, loss=loss)
        except InvalidValueError:
            self.state.counts[0] += 1
            raise


@pytest.mark.parametrize(
    ("bandit", "complaint"),
    [(Careless, "loss=nan.* was not refused"), (Hasty, "was refused, but changed the state")],
)
def test_bad_input_that_gets_through_is_caught(bandit, complaint, monkeypatch):
    monkeypatch.setattr(kit, "Bandit", bandit)
    with pytest.raises(AssertionError, match=complaint):
        check_policy(Sound(), horizon=100)


def test_too_few_steps_are_refused():
    with pytest.raises(InvalidValueError, match="give 100 or more"):
        check_policy(Sound(), horizon=99)
