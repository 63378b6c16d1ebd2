"""The base class of policies: parameters, a state, and three functions on that state."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats as Floats
from lowbid._arrays import Ints as Ints
from lowbid._parameters import Parameterised, adopt_functions, fields_of, plain
from lowbid._require import require as require
from lowbid._require import require_choice as require_choice
from lowbid._require import require_finite as require_finite
from lowbid._require import require_whole as require_whole
from lowbid.errors import InvalidValueError
from lowbid.policies import _arms
from lowbid.policies._arms import Start


class Kernels(NamedTuple):
    """The three functions that make up a policy's rule.

    Attributes
    ----------
    init
        ``init(parameters, n_arms, capacity)`` creates the state before the first step, with room
        for `capacity` steps if the policy keeps a history.
    select
        ``select(parameters, state, step, stream)`` returns the arm to play at this step, counted
        from 1.
    update
        ``update(parameters, state, arm, loss, step, stream)`` records the loss of an arm.
    """

    init: Callable[..., Any]
    select: Callable[..., Any]
    update: Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class About:
    """What to know about a policy before using it.

    Attributes
    ----------
    family : str
        The kind of rule: index, posterior sampling, ensemble, ...
    needs : str
        What it must know about the losses.
    time, memory : str
        How its cost per step and its state grow, with K arms, l batches, t steps so far.
    guarantee : str
        The bound on its regret that the reference proves.
    cite : str
        What to cite: keys of ``references.bib``, separated by commas; the last one is the main
        reference. A policy outside the library gives its BibTeX entries instead.
    pending : str
        How it treats decisions whose loss is not known yet.
    """

    family: str
    needs: str
    time: str
    memory: str
    guarantee: str
    cite: str
    pending: str = "ignored: it chooses as if they had not been made"


class Constructor(NamedTuple):
    """A way to make a policy, and the names of the parameters that it takes."""

    make: Callable[..., Policy]
    parameters: tuple[str, ...]


class Policy(Parameterised):
    """Base class of all policies.

    A policy is a frozen dataclass of its parameters; it holds no state. Its rule is three
    functions: either kernels, named in the class attribute `kernels`, which are compiled, or
    methods ``init``, ``select`` and ``update``, which run as plain Python. Both have the same
    signatures (see `Kernels`): what a kernel gets as `parameters`, a method gets as `self`.

    Rules draw random numbers only from the stream that they are given, change a state only by
    writing to its arrays, and never raise.
    """

    about: ClassVar[About]
    kernels: ClassVar[Kernels]

    # ``hold(parameters, state, arm, change)`` counts decisions of an arm whose losses are not
    # known yet: `change` is 1 when one is made, -1 when its loss arrived or never will.
    hold: ClassVar[Callable[..., None] | None] = None
    # ``see(state, features)`` takes the features, an array, of the next call of another function,
    # and what `keep` added to them; None if the policy does not look at features.
    see: ClassVar[Callable[..., None] | None] = None
    # ``keep(state, memory)`` writes what the outcome of a decision will need: its features, as they
    # were used, and one more number.
    keep: ClassVar[Callable[..., None] | None] = None
    # Why arms cannot be added or removed while the policy is in use; empty if they can.
    fixed_arms: ClassVar[str] = ""
    # Whether `select` draws random numbers for nothing but ties between equal indices.
    draws_for_ties_only: ClassVar[bool] = False
    # Whether `select` can be called repeatedly on one state: it changes nothing that is read.
    select_keeps_state: ClassVar[bool] = False
    # Whether it learns from recent losses only, because arms may change.
    forgets: ClassVar[bool] = False
    # What to do if mean losses may be below `best_loss`; only for rules that depend on location.
    below_best: ClassVar[str] = "add a number to all losses, so that no mean is below it"
    # What `indices` are: "loss", in the unit of the losses, or "evidence", a number of its own.
    index_unit: ClassVar[str] = "loss"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        adopt_functions(cls, Kernels)

    @classmethod
    def variants(cls) -> list[Policy]:
        """Objects that represent the class in tests and tables: its defaults and other variants."""
        return [cls()]

    @classmethod
    def constructors(cls) -> dict[str, Constructor]:
        """The ways to make an object of the class, by name."""
        names = tuple(inspect.signature(cls).parameters)
        return {cls.__name__: Constructor(cls, names)}

    @property
    def scale_free(self) -> bool:
        """Whether multiplying every loss by a positive number leaves all choices the same.

        This refers to exact arithmetic. In floating point it holds exactly if the products are
        exact, as with powers of two or whole numbers; otherwise rounding may make two equal
        indices differ, or two different ones tie.
        """
        return False

    @property
    def location_free(self) -> bool:
        """Whether adding a number to every loss leaves all choices the same, up to rounding."""
        return False

    @property
    def loss_range(self) -> tuple[float, float]:
        """The losses that the rule makes sense for; others are refused."""
        return -math.inf, math.inf

    @property
    def needs_range(self) -> bool:
        """Whether the rule assumes that losses are 1 wide because no width was given."""
        return False

    def for_range(self, low: float, high: float) -> Policy:
        """Adapt the policy to losses that are known to lie in a range.

        A policy that must know how far losses spread takes that from the range, or refuses the
        range if it contradicts a parameter that was given. Then the choices are the same in every
        unit of measurement, if the random numbers are: use the `stream_name` of the policy *before*
        this call.
        """
        return self

    def for_columns(self, columns: int) -> Policy:
        """Adapt the policy to features in this many columns; most do not look at features."""
        return self

    @property
    def best_loss(self) -> float:
        """The loss that the rule assumes to be the best possible: 0, or the low end of a range."""
        low, _ = self.loss_range
        return low if math.isfinite(low) else 0.0

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Any:
        """The parameters as the kernels read them: by default the fields, as a named tuple.

        Parameters
        ----------
        n_arms : int
            The number of arms.
        horizon : int or None
            The number of steps that will be played, if known.
        capacity : int
            The number of steps for which the parameters must be valid.
        """
        if not self.compiled:
            return self
        return self.Parameters(**{field.name: plain(self, field) for field in fields_of(self)})

    def start(
        self, n_arms: int, horizon: int | None = None, capacity: int | None = None
    ) -> tuple[Any, Any]:
        """The parameters that the kernels read, and the state before the first step."""
        capacity = capacity or horizon or 1
        parameters = self.parameters(n_arms, horizon, capacity)
        return parameters, self.kernels.init(parameters, n_arms, capacity)

    def take(self, state: Any, n_arms: int, arms: Sequence[int], start: Start) -> Any:
        """A state in which arm i is what arm ``arms[i]`` was, or a new one if that is -1.

        Parameters
        ----------
        state
            The current state, which is not changed.
        n_arms : int
            Its number of arms.
        arms : sequence of int
            For each arm of the new state, its number in the current one, or -1.
        start : function
            Creates an empty state for a number of arms, with the same capacity.
        """
        return _arms.take(self, state, n_arms, arms, start)

    def join(self, first: Any, second: Any, sizes: tuple[int, int], start: Start) -> Any:
        """A state with the arms of one, followed by those of another; neither is changed."""
        return _arms.join(self, first, second, sizes, start)

    def merge(self, first: Any, second: Any) -> Any:
        """Merge two states that saw different losses of the same arms; neither is changed.

        The state of a policy whose states add up may have a method ``merged(other)``.
        """
        if hasattr(first, "merged"):
            return first.merged(second)
        raise InvalidValueError(
            f"two states of {self.name} cannot be merged; feed all losses to one of them, or "
            "choose a policy whose state adds up, such as BatchEnsemble."
        )

    def deal_alike(self, state: Any, leader: Any, arm: int) -> None:
        """Prepare a state to treat an arm's next loss as a state that has seen more losses would.

        For policies whose states depend on which loss goes where, such as Batch Ensemble's. Called
        for a process of a fleet, whose own state is merged with those of the others later.
        """

    @property
    def holding(self) -> Callable[..., None] | None:
        """The function `hold` of the rule, if it has one."""
        return type(self).hold

    def chance(self, state: Any, step: int, arm: int) -> float | None:
        """The probability with which `select` has just chosen an arm, from the state afterwards.

        Called only if `select` drew random numbers. None if the rule cannot compute it.
        """
        indices = _indices_in(state) if self.draws_for_ties_only else None
        if indices is None:
            return None
        return 1.0 / int(np.count_nonzero(indices == indices[arm]))

    def indices(self, parameters: Any, state: Any, step: int) -> Floats:
        """Every arm's index at this step, possibly with more entries; the lowest is played."""
        copy = copy_of(state)
        indices = _indices_in(copy)
        if indices is None:
            raise InvalidValueError(f"{self.name} does not use an index.")
        self.kernels.select(parameters, copy, step, np.zeros(1, np.uint64))
        return indices


def _indices_in(state: Any) -> Floats | None:
    """The field `indices` of a state, or of a named tuple within it; None if there is none."""
    if hasattr(state, "indices"):
        return cast(Floats, state.indices)
    parts = (_indices_in(part) for part in state if isinstance(part, tuple))
    return next((found for found in parts if found is not None), None)


def extend(state: Any, larger: Any) -> Any:
    """Move a state into a larger one: every array into the corner of its counterpart."""
    for old, new in zip(arrays_of(state), arrays_of(larger), strict=True):
        new[tuple(slice(length) for length in old.shape)] = old
    return larger


def copy_of(state: Any) -> Any:
    """A state that shares nothing with the one given."""
    parts = (copy_of(part) if isinstance(part, tuple) else part.copy() for part in state)
    return type(state)(*parts)


def arrays_of(state: Any) -> Iterator[npt.NDArray[Any]]:
    """All arrays of a state, those of the named tuples within it included."""
    if not isinstance(state, tuple):
        raise InvalidValueError(
            f"the state is {state!r}; init must return a named tuple of arrays, so that it can be "
            "saved, moved and compared."
        )
    for value in state:
        if isinstance(value, tuple):
            yield from arrays_of(value)
        else:
            yield value
