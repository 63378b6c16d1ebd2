"""Arms that change abruptly, from one environment to another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats, Ints
from lowbid._compile import kernel
from lowbid._random import Stream, integer, key, seek_run, uniform
from lowbid._require import invalid, require, require_probability, require_value
from lowbid.environments._base import Arms
from lowbid.environments._changing import Changing
from lowbid.environments.mixed import Mixed

_NEVER = np.iinfo(np.int64).max
_LONGEST = 1e15  # steps between two changes


class Phases(NamedTuple):
    """The environments to switch between, and when.

    Attributes
    ----------
    tables, gaps
        The environments' arms, (environment, arm, column), and how far each mean is above the
        lowest, (environment, arm).
    after
        The last step before each change, followed by one that is never reached; or empty.
    log_stay
        The logarithm of the probability that there is no change after a step; 0 if the steps are
        given.
    changes_key, stream
        The source of changes at random steps.
    now
        The number of changes so far, the current environment, and its last step.
    """

    tables: Floats
    gaps: Floats
    after: Ints
    log_stay: float
    changes_key: np.uint64
    stream: Stream
    now: Ints


@kernel
def begin(table: Floats, gaps: Floats, world: Phases, run: int) -> None:
    """Start with the first environment."""
    seek_run(world.stream, world.changes_key, run)
    world.now[0] = 0
    world.now[1] = 0
    world.now[2] = last_step(world, 0)
    show(table, gaps, world)


@kernel
def move(table: Floats, gaps: Floats, world: Phases, step: int) -> None:
    """Switch to another environment if the current one has ended."""
    if step <= world.now[2]:
        return
    environments = world.tables.shape[0]
    onward = 1
    if world.log_stay < 0.0 and environments > 2:
        onward = 1 + integer(world.stream, environments - 1)
    world.now[0] += 1
    world.now[1] = (world.now[1] + onward) % environments
    world.now[2] = last_step(world, world.now[2])
    show(table, gaps, world)


@kernel
def last_step(world: Phases, before: int) -> int:
    """The last step of the environment that starts after step `before`."""
    if world.log_stay < 0.0:
        # How many steps pass until a change, by inverting the distribution function.
        steps = math.log(1.0 - uniform(world.stream)) / world.log_stay
        return before + 1 + int(min(steps, _LONGEST))
    return world.after[world.now[0]]


@kernel
def show(table: Floats, gaps: Floats, world: Phases) -> None:
    """Make the environment whose turn it is the current one."""
    for arm in range(table.shape[1]):
        gaps[0, arm] = world.gaps[world.now[1], arm]
        for column in range(table.shape[2]):
            table[0, arm, column] = world.tables[world.now[1], arm, column]


class Switching(Changing):
    """Arms that change abruptly, from one environment to another.

    Give the steps of the changes, or their probability. With given steps the environments take
    turns, and after the last one comes the first again. With a probability the changes happen at
    random steps, which differ from run to run, and one of the other environments is drawn.

    Parameters
    ----------
    environments : sequence of Arms
        At least two, with the same number of arms each; they may be of different families.
    after : sequence of int, optional
        The changes happen after these steps: with ``after=[100]`` the first environment is used at
        steps 1 to 100, and the second from step 101 on.
    chance : float, optional
        The probability of a change after each step.

    Examples
    --------
    >>> import lowbid
    >>> day, night = lowbid.Bernoulli([0.1, 0.5]), lowbid.Bernoulli([0.5, 0.1])
    >>> arms = lowbid.Switching([day, night], after=[1000])
    >>> policy = lowbid.SlidingWindowUCB(window=300)
    >>> lowbid.simulate(policy, arms, horizon=2000, runs=100, seed=0).measure
    'dynamic regret'
    """

    begin = begin
    move = move

    def __init__(
        self,
        environments: Sequence[Arms],
        after: Sequence[int] | npt.NDArray[Any] | None = None,
        chance: float | None = None,
    ) -> None:
        self.environments = _checked(environments)
        require(
            (after is None) != (chance is None),
            "give the steps after which the arms change, after=[1000], or chance=0.001 for changes "
            "at random steps; not both.",
        )
        if chance is not None:
            require_probability("chance", chance, ends=False)
        self.after = None if after is None else _steps(after)
        self.chance = None if chance is None else float(chance)
        self.draw, self._tables = _joined(self.environments)
        self.first_table = self._tables[:1]

    @property
    def finite_variance(self) -> bool:
        """Whether all environments' variances are finite."""
        return all(each.finite_variance for each in self.environments)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest loss that can occur."""
        lows, highs = zip(*(each.support for each in self.environments), strict=True)
        return min(lows), max(highs)

    def world(self, seed: int) -> Phases:
        """The environments, and when they change."""
        means = np.stack([each.means for each in self.environments])
        return Phases(
            tables=self._tables,
            gaps=means - means.min(axis=1, keepdims=True),
            after=np.array([*(self.after or ()), _NEVER], np.int64),
            log_stay=0.0 if self.chance is None else math.log1p(-self.chance),
            changes_key=key(seed, "changes"),
            stream=np.zeros(1, np.uint64),
            now=np.zeros(3, np.int64),
        )

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return self._of(table, [each.means for each in self.environments])

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return self._of(table, [each.variances for each in self.environments])

    def _of(self, table: Floats, moments: list[Floats]) -> Floats:
        """The moments of the environments to which the instances of a table belong."""
        found = [
            next(i for i, known in enumerate(self._tables) if np.array_equal(known, instance))
            for instance in table
        ]
        return np.stack([moments[i] for i in found])

    def describe(self) -> dict[str, Any]:
        """The environments, and when they change."""
        when: dict[str, Any] = {"chance": self.chance}
        if self.after is not None:
            when = {"after": list(self.after)}
        return {
            "environment": "Switching",
            "of": [each.describe() for each in self.environments],
            **when,
        }

    def __repr__(self) -> str:
        when = f"chance={self.chance:g}" if self.after is None else f"after={list(self.after)}"
        return f"Switching({list(self.environments)!r}, {when})"


def _checked(environments: Any) -> tuple[Arms, ...]:
    """The environments, or an error."""
    if not isinstance(environments, Sequence) or isinstance(environments, str | bytes):
        raise invalid(
            "environments",
            environments,
            "give a list such as [Bernoulli([0.1, 0.5]), Bernoulli([0.5, 0.1])].",
        )
    for each in environments:
        require(
            isinstance(each, Arms),
            f"one of the environments is {each!r}; give arms such as Bernoulli([0.1, 0.5]) that "
            "neither change nor are drawn at random.",
        )
    require(
        len(environments) > 1,
        f"there is {len(environments)} environment to switch between; give at least two.",
    )
    numbers = [each.n_arms for each in environments]
    require(
        len(set(numbers)) == 1,
        f"the environments have {', '.join(map(str, numbers))} arms; give them the same number.",
    )
    return tuple(environments)


def _steps(after: Any) -> tuple[int, ...]:
    """Increasing whole numbers, or an error."""
    try:
        steps = np.atleast_1d(np.asarray(after))
    except ValueError:  # lists of different lengths
        steps = np.zeros(0)
    good = steps.ndim == 1 and steps.size > 0 and np.issubdtype(steps.dtype, np.integer)
    require_value(
        "after",
        after,
        good and bool(steps[0] >= 1) and bool((np.diff(steps) > 0).all()),
        "give increasing whole numbers of steps, such as [1000, 3000].",
    )
    return tuple(int(step) for step in steps)


def _joined(environments: tuple[Arms, ...]) -> tuple[Any, Floats]:
    """A draw for all environments, and the table of each, (environment, arm, column)."""
    first, tables = environments[0], [each.table() for each in environments]
    alike = all(each.draw is first.draw for each in environments)
    if alike and len({table.shape for table in tables}) == 1:
        return first.draw, np.concatenate(tables)
    mixed = Mixed(environments)
    table = mixed.table()
    return mixed.draw, table.reshape(len(environments), first.n_arms, table.shape[2])
