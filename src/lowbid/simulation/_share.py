"""Some runs of one policy, playable anywhere: in a thread, a process, or on another machine."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import on_behalf_of
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


class Game:
    """A policy on an environment: all that its runs have in common.

    Threads share one; another process makes its own.
    """

    def __init__(
        self,
        name: str,
        policy: Policy,
        environment: Environment,
        horizon: int,
        seed: int,
        late: Late | None,
    ) -> None:
        self.name, self.policy, self.environment, self.seed = name, policy, environment, seed
        self.loop, self.more = loop_for(policy, environment, late, seed)
        self.parameters = policy.parameters(environment.n_arms, horizon, horizon)
        self.keys = key(seed, "losses"), key(seed, policy.stream_name)

    def play(
        self,
        arms: Stage,
        first: int,
        checkpoints: Ints,
        regret: Floats,
        pulls: Ints,
        stop: Ints,
        steps_done: Ints,
    ) -> None:
        """Play the runs from `first` on, one per row of `regret`; see `_loop.play`."""
        if isinstance(self.environment, Changing):
            arms = self.environment.stage(self.seed)  # no other thread may change them
        table, gaps, world = arms
        where = first, checkpoints, regret, pulls, steps_done, stop
        with on_behalf_of(self.name):
            arm = self.loop(self.parameters, table, gaps, *self.keys, *where, world, *self.more)
        require_arm(arm, self.policy.name, self.environment.n_arms)


def arms_of(environment: Environment, seed: int, runs: int) -> Stage:
    """The arms of all runs; those that change are for one thread."""
    if isinstance(environment, Changing):
        return environment.stage(seed)
    table = np.ascontiguousarray(environment.table(seed, runs))
    means = environment.means_of(table)
    return Stage(table, np.ascontiguousarray(means - means.min(axis=1, keepdims=True)), ())


def play_share(share: Share, stop: Ints | None = None) -> PlayedShare:
    """Play some runs in this thread; ends early, with zeros, when `stop` is set."""
    policy, environment, horizon, seed, checkpoints, first, last, late = share
    regret = np.zeros((last - first, len(checkpoints)))
    pulls = np.zeros((last - first, environment.n_arms), np.int64)
    game = Game(policy.name, policy, environment, horizon, seed, late)
    arms = arms_of(environment, seed, last)
    end = np.zeros(1, np.int64) if stop is None else stop, np.zeros(1, np.int64)
    asked = time.perf_counter()
    game.play(arms, first, checkpoints, regret[:0], pulls[:0], *end)  # compiles, and plays no run
    began = time.perf_counter()
    game.play(arms, first, checkpoints, regret, pulls, *end)
    return PlayedShare(regret, pulls, time.perf_counter() - began, began - asked)
