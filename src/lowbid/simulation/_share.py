"""Some runs of one policy, playable anywhere: in a thread, a process, or on another machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._random import key
from lowbid._require import require_arm
from lowbid.environments import Changing, Environment, Stage
from lowbid.policies import Policy
from lowbid.simulation._delays import Late
from lowbid.simulation._loop import loop_for


class Share(NamedTuple):
    """The runs of a policy from `first` up to, but not including, `last`.

    The losses depend on the seed, the run, the arm and the number of plays, and on nothing else:
    however runs are divided into shares, the result of each run is the same.
    """

    policy: Policy
    environment: Environment
    horizon: int
    seed: int
    checkpoints: Ints
    first: int
    last: int
    late: Late | None = None


class PlayedShare(NamedTuple):
    """The result of a share: regret (run, checkpoint), pulls (run, arm), and the seconds played.

    Compiling is counted separately: it happens once per process, however much there is to play.
    """

    regret: Floats
    pulls: Ints
    seconds: float
    compiling: float = 0.0


def play_share(share: Share, stop: Ints | None = None) -> PlayedShare:
    """Play some runs in this thread; ends early, with zeros, when `stop` is set."""
    policy, environment, horizon, seed, checkpoints, first, last, late = share
    table = np.ascontiguousarray(environment.table(seed, last))
    regret = np.zeros((last - first, len(checkpoints)))
    pulls = np.zeros((last - first, environment.n_arms), np.int64)
    play, gaps = player(policy, environment, horizon, seed, late), gaps_of(environment, table)
    end = np.zeros(1, np.int64), np.zeros(1, np.int64) if stop is None else stop
    asked = time.perf_counter()
    play(table, gaps, first, checkpoints, regret[:0], pulls[:0], *end)  # compiles, and plays no run
    began = time.perf_counter()
    play(table, gaps, first, checkpoints, regret, pulls, *end)
    return PlayedShare(regret, pulls, time.perf_counter() - began, began - asked)


def gaps_of(environment: Environment, table: Floats) -> Floats:
    """How much worse than the best each arm is, (instance, arm)."""
    means = environment.means_of(table)
    return means - means.min(axis=1, keepdims=True)


def player(
    policy: Policy, environment: Environment, horizon: int, seed: int, late: Late | None = None
) -> Callable[[Floats, Floats, int, Ints, Floats, Ints, Ints, Ints], None]:
    """A function that plays runs of a policy from a given one into arrays; see `_loop.play`."""
    loop, more = loop_for(policy, environment, late, seed)
    parameters = policy.parameters(environment.n_arms, horizon, horizon)
    losses_key, policy_key = key(seed, "losses"), key(seed, policy.stream_name)

    def play(
        table: Floats,
        gaps: Floats,
        first: int,
        checkpoints: Ints,
        regret: Floats,
        pulls: Ints,
        steps_done: Ints,
        stop: Ints,
    ) -> None:
        where = (losses_key, policy_key, first, checkpoints, regret, pulls, steps_done, stop)
        now, gaps_now, world = _stage(environment, table, gaps, seed)
        arm = loop(parameters, now, gaps_now, *where, world, *more)
        require_arm(arm, policy.name, environment.n_arms)

    return play


def _stage(environment: Environment, table: Floats, gaps: Floats, seed: int) -> Stage:
    """The arms: shared by threads if they never change, otherwise a copy for one thread."""
    if isinstance(environment, Changing):
        return environment.stage(seed)
    # Loops are compiled for contiguous arrays.
    return Stage(np.ascontiguousarray(table), np.ascontiguousarray(gaps), ())
