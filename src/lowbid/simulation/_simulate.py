"""Many runs of many policies on the same losses."""

from __future__ import annotations

import functools
import itertools
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid._random import key
from lowbid._require import LARGEST_LOSS, require_arm, require_whole
from lowbid.environments import Environment
from lowbid.errors import InvalidValueError
from lowbid.policies._base import Ints, Policy
from lowbid.simulation._delays import Delay, Late, read_late
from lowbid.simulation._loop import loop_for
from lowbid.simulation._progress import Progress
from lowbid.simulation._provenance import provenance
from lowbid.simulation._result import Result
from lowbid.simulation._workers import work_off

_STEPS_PER_TASK = 2_000_000
# So that a worker that starts late, or has the longer runs, leaves some of its share to others.
_TASKS_PER_WORKER = 4


def simulate(
    policies: Policy | Sequence[Policy] | Mapping[str, Policy],
    environment: Environment,
    horizon: int,
    runs: int = 100,
    seed: int = 0,
    checkpoints: npt.ArrayLike | None = None,
    workers: int | None = None,
    progress: bool | str | None = None,
    delay: int | Sequence[int] | Delay = 0,
    lost: float = 0.0,
    batch: int = 1,
) -> Result:
    """Play policies on an environment, many times, and record their pseudo-regret.

    The n-th loss of an arm in a run depends on the seed, the run, the arm and n, and on nothing
    else: every policy faces the same losses, and the result is the same for any number of
    workers and any order of the policies.

    Parameters
    ----------
    policies : Policy, sequence of Policy, or mapping
        What to compare; the keys of a mapping are the names in the result.
    environment : Environment
        The arms.
    horizon : int
        The number of steps of each run.
    runs : int
        The number of independent runs.
    seed : int
        0 or larger; the same seed gives the same result.
    checkpoints : array of int, optional
        The steps at which to record; by default enough for a smooth curve.
    workers : int, optional
        The number of threads; by default one for each core.
    progress : bool or str, optional
        Show a progress bar; by default on a terminal, if it takes more than a second. A text is
        what stands before the bar.
    delay : int, sequence of int, or Delay
        How many further steps are played before a loss is known: a number, a list of observed
        ones to draw from, or a distribution such as `GeometricDelay`. All runs of all policies
        see the same delays.
    lost : float
        The chance that a loss never comes; the decision is forgotten when it would have come.
    batch : int
        Decisions are made this many at a time, before any of their losses is known.

    Returns
    -------
    Result
        The regret at each checkpoint, and each arm's number of plays.

    Examples
    --------
    >>> import lowbid
    >>> result = lowbid.simulate(
    ...     [lowbid.BatchEnsemble(batches=2), lowbid.UCB1()],
    ...     lowbid.Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3]), horizon=2000, runs=100, seed=0)
    >>> result.regret.shape == (2, 100, len(result.checkpoints))
    True
    """
    named = _named(policies)
    horizon, runs = require_whole("horizon", horizon), require_whole("runs", runs)
    if not isinstance(environment, Environment):
        raise InvalidValueError(f"environment is {environment!r}; give one such as Bernoulli(...).")
    for name, policy in named.items():
        check_losses(name, policy, environment)
    steps = _checkpoints(checkpoints, horizon)
    late = read_late(delay, lost, require_whole("batch", batch))
    simulation = _Simulation(named, environment, horizon, runs, seed, steps, late)
    simulation.run(
        require_whole("workers", (os.cpu_count() or 1) if workers is None else workers), progress
    )
    return Result(
        policies=tuple(named),
        checkpoints=steps,
        regret=simulation.regret,
        pulls=simulation.pulls,
        provenance=provenance(named, environment, horizon, runs, seed, late),
    )


class _Simulation:
    """Arrays to fill, and the tasks that fill them."""

    def __init__(
        self,
        policies: dict[str, Policy],
        environment: Environment,
        horizon: int,
        runs: int,
        seed: int,
        checkpoints: Ints,
        late: Late | None = None,
    ) -> None:
        self.late = late
        self.policies, self.environment = policies, environment
        self.horizon, self.runs, self.seed, self.checkpoints = horizon, runs, seed, checkpoints
        self.table = environment.table(seed, runs)
        means = environment.means_of(self.table)
        self.gaps = means - means.min(axis=1, keepdims=True)
        self.regret = np.zeros((len(policies), runs, len(checkpoints)))
        self.pulls = np.zeros((len(policies), runs, environment.n_arms), np.int64)
        self.stop = np.zeros(1, np.int64)

    def run(self, workers: int, progress: bool | str | None) -> None:
        """Spread the runs over threads, and wait for them."""
        share = -(-self.runs // (_TASKS_PER_WORKER * workers))
        chunk = max(1, min(share, _STEPS_PER_TASK // self.horizon))
        bar = Progress(len(self.policies) * self.runs * self.horizon, progress)
        tasks = (
            functools.partial(task, first, first + chunk)
            for task in itertools.starmap(self._task, enumerate(self.policies.values()))
            for first in range(0, self.runs, chunk)
        )
        work_off(tasks, workers, self.stop, bar)

    def _task(self, number: int, policy: Policy) -> Any:
        """A function that plays one policy's runs from `first` to before `last`."""
        loop, more = loop_for(policy, self.environment, self.late, self.seed)
        parameters = policy.parameters(self.environment.n_arms, self.horizon, self.horizon)
        losses_key, policy_key = key(self.seed, "losses"), key(self.seed, policy.identity)

        def task(first: int, last: int, steps_done: Ints) -> None:
            runs = slice(first, min(last, self.runs))
            arm = loop(
                parameters,
                self.table,
                self.gaps,
                losses_key,
                policy_key,
                first,
                self.checkpoints,
                self.regret[number, runs],
                self.pulls[number, runs],
                steps_done,
                self.stop,
                *more,
            )
            require_arm(arm, policy.name, self.environment.n_arms)

        return task


def _named(policies: Policy | Iterable[Policy] | Mapping[str, Policy]) -> dict[str, Policy]:
    """Policies by name, or a clear error."""
    if isinstance(policies, Policy):
        policies = [policies]
    pairs = list(_pairs(policies))
    if not pairs:
        raise InvalidValueError("policies is empty; give at least one, such as BatchEnsemble().")
    for _, policy in pairs:
        if not isinstance(policy, Policy):
            hint = f"{policy.__name__}()" if isinstance(policy, type) else "BatchEnsemble()"
            raise InvalidValueError(f"a policy is {policy!r}; give an object such as {hint}.")
        if not hasattr(policy, "kernels"):
            raise InvalidValueError(
                f"{type(policy).__name__} has no rule; define its methods init, select and update, "
                "or its kernels."
            )
    named = dict(pairs)
    if len(named) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidValueError(
            f"two policies are named {twice!r}; give a mapping from names to policies."
        )
    return named


def _pairs(policies: Iterable[Policy] | Mapping[str, Policy]) -> Iterator[tuple[str, Policy]]:
    if isinstance(policies, Mapping):
        yield from ((str(name), policy) for name, policy in policies.items())
    else:
        for policy in policies:
            yield getattr(policy, "name", repr(policy)), policy


def check_losses(name: str, policy: Policy, environment: Environment) -> None:
    """Refuse arms whose losses a policy cannot take."""
    low, high = policy.loss_range
    lowest, highest = environment.support
    for end in (lowest, highest):
        if math.isfinite(end) and abs(end) > LARGEST_LOSS:
            raise InvalidValueError(
                f"{environment!r} has losses as large as {end:g}, whose sums would overflow; "
                f"scale the arms to below {LARGEST_LOSS:g}."
            )
    if lowest < low or highest > high:
        raise InvalidValueError(
            f"{name} takes losses from {low:g} to {high:g}, but {environment!r} gives losses from "
            f"{lowest:g} to {highest:g}; scale the arms, or leave the policy out."
        )


def _checkpoints(checkpoints: npt.ArrayLike | None, horizon: int) -> Ints:
    if checkpoints is None:
        return default_checkpoints(horizon)
    steps = np.asarray(checkpoints)
    good = steps.ndim == 1 and steps.size > 0 and np.issubdtype(steps.dtype, np.integer)
    steps = steps.astype(np.int64) if good else steps
    if not good or steps[0] < 1 or steps[-1] > horizon or (np.diff(steps) <= 0).any():
        raise InvalidValueError(
            f"checkpoints are {checkpoints!r}; give increasing whole numbers from 1 to the "
            f"horizon, {horizon}."
        )
    return np.unique(np.append(steps, horizon)).astype(np.int64)


def default_checkpoints(horizon: int) -> Ints:
    """Steps that draw a smooth curve on a linear and on a logarithmic axis."""
    even = np.linspace(horizon / 200, horizon, 200)
    log = np.geomspace(1, horizon, 60)
    return np.unique(np.ceil(np.concatenate([even, log, [1, horizon]]))).astype(np.int64)
