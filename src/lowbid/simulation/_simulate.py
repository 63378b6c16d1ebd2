"""Many runs of many policies on the same losses."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Ints
from lowbid._require import require_whole
from lowbid.environments import Environment
from lowbid.policies import Policy
from lowbid.simulation._delays import Delay, Late, read_late
from lowbid.simulation._features import adapted
from lowbid.simulation._inputs import (
    check_environment,
    check_executor,
    check_losses,
    check_progress,
    check_size,
    misfit_of,
    named_policies,
    read_checkpoints,
    read_horizon,
    warn_of,
)
from lowbid.simulation._progress import Progress
from lowbid.simulation._provenance import provenance
from lowbid.simulation._result import Result
from lowbid.simulation._share import Game, Share, arms_of, play_share
from lowbid.simulation._workers import run_in_threads, run_on_executor

_STEPS_PER_TASK = 2_000_000
# Sending a task to another process or machine takes milliseconds, however small it is.
_STEPS_PER_SHARE = 20_000_000
# More tasks than workers, so that others can help a worker that starts late or has long runs.
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
    executor: Executor | None = None,
) -> Result:
    """Play policies on an environment, many times, and record their pseudo-regret.

    The n-th loss of an arm in a run depends on the seed, the run, the arm and n, and on nothing
    else: every policy faces the same losses, and the result is the same for any number of
    workers and any order of the policies.

    On arms that change (`Switching`, `Drifting`) the regret is dynamic: against the arm that is
    best at each step. The state of the arms at a step depends on the seed, the run and the step;
    the randomness in the n-th loss of an arm still depends on the seed, the run, the arm and n.

    Parameters
    ----------
    policies : Policy, sequence of Policy, or mapping
        The policies to compare; the keys of a mapping are the names in the result.
    environment : Environment
        The arms.
    horizon : int
        The number of steps per run.
    runs : int
        The number of independent runs.
    seed : int
        0 or larger; the same seed gives the same result.
    checkpoints : array of int, optional
        The steps at which to record; by default enough for a smooth curve.
    workers : int, optional
        The number of threads; by default one per core. With an executor, the number of tasks that
        it runs at a time, if the executor does not say.
    progress : bool or str, optional
        Whether to show a progress bar; by default only in a terminal, after a second. A string is
        used as its label.
    delay : int, sequence of int, or Delay
        The number of further steps played before a loss is known: a number, a list of observed
        delays to draw from, or a distribution such as `GeometricDelay`. In each run, all policies
        see the same delays.
    lost : float
        The probability that a loss never arrives; the decision is forgotten when it would have
        arrived.
    batch : int
        Decisions are made this many at a time, before any of their losses is known.
    executor : concurrent.futures.Executor, optional
        Used instead of threads of this process: a process pool, Dask's ``client.get_executor()``,
        an executor of mpi4py or ipyparallel. The result is the same, bit for bit. The executor
        stays open.

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
    named = named_policies(policies)
    horizon, runs = read_horizon(horizon), require_whole("runs", runs)
    seed = require_whole("seed", seed, at_least=0)
    check_environment(environment)
    check_progress(progress)
    named = {name: adapted(policy, environment) for name, policy in named.items()}
    for name, policy in named.items():
        check_losses(name, policy, environment)
        warn_of(misfit_of(name, policy, environment))
    steps = read_checkpoints(checkpoints, horizon)
    check_size(runs, len(named), len(steps), environment.n_arms)
    late = read_late(delay, lost, batch)
    check_executor(executor)
    simulation = _Simulation(named, environment, horizon, runs, seed, steps, late)
    if executor is None:
        workers = (os.cpu_count() or 1) if workers is None else workers
        simulation.run(require_whole("workers", workers), progress)
    else:
        workers = workers_of(executor) if workers is None else workers
        simulation.run_on(executor, require_whole("workers", workers), progress)
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
        self.regret = np.zeros((len(policies), runs, len(checkpoints)))
        self.pulls = np.zeros((len(policies), runs, environment.n_arms), np.int64)
        self.stop = np.zeros(1, np.int64)

    def run(self, workers: int, progress: bool | str | None) -> None:
        """Spread the runs over threads, and wait for them."""
        arms = arms_of(self.environment, self.seed, self.runs)
        fixed = self.environment, self.horizon, self.seed, self.late
        games = [Game(name, policy, *fixed) for name, policy in self.policies.items()]
        tasks = (
            functools.partial(
                games[number].play,
                arms,
                runs.start,
                self.checkpoints,
                self.regret[number, runs],
                self.pulls[number, runs],
                self.stop,
            )
            for number, runs in self._parts(workers, _STEPS_PER_TASK)
        )
        run_in_threads(tasks, workers, self.stop, self._bar(progress))

    def run_on(self, executor: Executor, workers: int, progress: bool | str | None) -> None:
        """Spread the runs over an executor's workers, and wait for them."""
        fixed = self.environment, self.horizon, self.seed, self.checkpoints
        policies = list(self.policies.values())
        tasks = {
            (number, runs.start, runs.stop): functools.partial(
                play_share, Share(policies[number], *fixed, runs.start, runs.stop, self.late)
            )
            for number, runs in self._parts(workers, _STEPS_PER_SHARE)
        }
        bar, done = self._bar(progress), 0
        try:
            bar.show(done)
            for (number, *ends), played in run_on_executor(tasks, executor):
                runs = slice(*ends)
                self.regret[number, runs], self.pulls[number, runs] = played.regret, played.pulls
                done += len(played.regret) * self.horizon
                bar.show(done)
        finally:
            bar.close()

    def _parts(self, workers: int, most_steps: int) -> Iterator[tuple[int, slice]]:
        """The number of a policy, and some of its runs, for each task."""
        share = -(-self.runs // (_TASKS_PER_WORKER * workers))
        size = max(1, min(share, most_steps // self.horizon))
        for number in range(len(self.policies)):
            for first in range(0, self.runs, size):
                yield number, slice(first, min(first + size, self.runs))

    def _bar(self, progress: bool | str | None) -> Progress:
        return Progress(len(self.policies) * self.runs * self.horizon, progress)


def workers_of(executor: Executor) -> int:
    """The number of tasks an executor runs at a time, if it says; otherwise one per core."""
    known = getattr(executor, "_max_workers", None)
    return known if isinstance(known, int) and known > 0 else os.cpu_count() or 1
