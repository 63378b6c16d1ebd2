"""Many runs of many rules on the same model."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Ints
from lowbid._compile import interpreted, specialise
from lowbid._random import key
from lowbid._require import invalid, require_whole
from lowbid.errors import InvalidValueError
from lowbid.mdp._base import Rule
from lowbid.mdp._loop import episode_of_rule, play
from lowbid.mdp._tabular import Tabular
from lowbid.simulation import (
    Progress,
    Result,
    Task,
    Wanted,
    check_progress,
    check_size,
    named_rules,
    provenance,
    read_checkpoints,
    run_in_threads,
)

_TASKS_PER_WORKER = 4
_RULES = Wanted("rule", "rules", "mdp.QLearning()", "init, plan and update")


def simulate(
    rules: Rule | Sequence[Rule] | Mapping[str, Rule],
    environment: Tabular,
    episodes: int,
    runs: int = 20,
    seed: int = 0,
    checkpoints: npt.ArrayLike | None = None,
    workers: int | None = None,
    progress: bool | str | None = None,
) -> Result:
    """Simulate agents that learn in an environment, and record their exact regret by episode.

    In each run, the outcome of the n-th visit of (stage, state, action), a loss and a next state,
    depends on the seed, the run, these and n, and on nothing else: all rules face the same world,
    and the result is the same for any number of workers. The regret of an episode is the exact
    value of the policy that is played in it, minus the optimal value; it has no sampling noise.

    Parameters
    ----------
    rules : Rule, sequence of Rule, or mapping
        The rules to compare; the keys of a mapping are the names in the result.
    environment : Tabular
        The MDP.
    episodes : int
        The number of episodes per run.
    runs : int
        The number of independent runs.
    seed : int
        0 or larger; the same seed gives the same result.
    checkpoints : array of int, optional
        The episodes after which to record; by default enough for a smooth curve.
    workers : int, optional
        The number of threads; by default one for each core.
    progress : bool or str, optional
        Show a progress bar; by default on a terminal, if it takes more than a second.

    Returns
    -------
    Result
        The same as that of `lowbid.simulate`: a step is an episode, and `pulls` are visits, which
        `lowbid.mdp.visits` reshapes.

    Examples
    --------
    >>> from lowbid import mdp
    >>> rules = [mdp.BatchEnsembleValueIteration(), mdp.QLearning()]
    >>> result = mdp.simulate(rules, mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> [row.policy for row in result.summary()]
    ['BatchEnsembleValueIteration', 'QLearning']
    """
    named = named_rules(rules, Rule, _RULES)
    check_progress(progress)
    if not isinstance(environment, Tabular):
        raise invalid("environment", environment, "give one such as RiverSwim().")
    episodes, runs = require_whole("episodes", episodes), require_whole("runs", runs)
    steps = read_checkpoints(checkpoints, episodes)
    workers = require_whole("workers", (os.cpu_count() or 1) if workers is None else workers)
    check_size(runs, len(named), len(steps), environment.world.means.size)
    regret = np.zeros((len(named), runs, len(steps)))
    pulls = np.zeros((len(named), runs, environment.world.means.size), np.int64)
    chunk = max(1, -(-runs // (_TASKS_PER_WORKER * workers)))
    stop = np.zeros(1, np.int64)
    tasks = [
        task
        for number, rule in enumerate(named.values())
        for task in _tasks(
            rule, environment, seed, steps, regret[number], pulls[number], chunk, stop
        )
    ]
    run_in_threads(tasks, workers, stop, Progress(len(named) * runs * episodes, progress))
    # Rules and models describe themselves as policies and arms do.
    source = provenance(cast(Any, named), cast(Any, environment), episodes, runs, seed)
    return Result(tuple(named), steps, regret, pulls, source)


def visits(result: Result, environment: Tabular) -> npt.NDArray[np.int64]:
    """How often each action was taken, (rule, run, stage, state, action).

    The stage axis has one entry if all stages are alike: visits are then summed over stages.
    """
    shape = environment.world.means.shape
    if result.pulls.shape[2] != int(np.prod(shape)):
        raise InvalidValueError(
            f"the result has {result.pulls.shape[2]} places, but {environment!r} has "
            f"{int(np.prod(shape))}; give the environment that was simulated."
        )
    return result.pulls.reshape(*result.pulls.shape[:2], *shape)


def stuck(result: Result, environment: Tabular) -> dict[str, float]:
    """The share of each rule's runs that lose half of the optimum in the last tenth of episodes.

    The optimum is a return; where it is not above 0, as with losses, the result is empty.
    """
    if not environment.has_rewards or environment.optimum <= 0.0:
        return {}
    last = int(result.checkpoints[-1])
    before = int(np.searchsorted(result.checkpoints, 0.9 * last, side="right")) - 1
    if before < 0 or result.checkpoints[before] == last:
        return {}
    lost = (result.regret[:, :, -1] - result.regret[:, :, before]) / (
        last - result.checkpoints[before]
    )
    shares = (lost > 0.5 * environment.optimum).mean(axis=1)
    return {name: float(share) for name, share in zip(result.policies, shares, strict=True)}


def loop_for(rule: Rule) -> Any:
    """The loop of a rule."""
    functions = rule.functions
    episode = specialise(episode_of_rule, act=functions.act, update=functions.update)
    return specialise(
        play,
        init=functions.init,
        plan=functions.plan,
        exploration=functions.exploration,
        play_episode=episode,
    )


def _tasks(
    rule: Rule,
    environment: Tabular,
    seed: int,
    checkpoints: Ints,
    regret: Any,
    pulls: Any,
    chunk: int,
    stop: Ints,
) -> Iterator[Task]:
    """Functions that each play some of one rule's runs."""
    loop = loop_for(rule)
    problem = rule.for_problem(environment.problem(int(checkpoints[-1])))
    optimum = float(environment.world.first @ environment._best[0][0])
    keys = [key(seed, "losses"), key(seed, "first states"), key(seed, rule.stream_name)]
    fixed = (rule.parameters(problem), problem, environment.course, optimum, np.array(keys))

    def task(first: int, episodes_done: Ints) -> None:
        runs = slice(first, first + chunk)
        fault = np.full(3, -1, np.int64)
        # Kernels cannot read a rule in plain Python, so nothing is compiled for one.
        with contextlib.nullcontext() if rule.compiled else interpreted():
            loop(*fixed, first, checkpoints, regret[runs], pulls[runs], episodes_done, stop, fault)
        if fault[0] >= 0:
            stage, s, action = fault.tolist()
            raise InvalidValueError(
                f"{rule.name} chose action {action} at stage {stage} in state {s}, which has "
                f"actions 0 to {environment.world.actions[s] - 1}."
            )

    for first in range(0, len(regret), chunk):
        yield functools.partial(task, first)
