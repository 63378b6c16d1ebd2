"""Small sweeps, and policies that misbehave, for the tests of sweeps."""

import dataclasses
import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import lowbid
from lowbid.experiments.sweeps import Sweep, SweptEnvironment, SweptPolicy, Tier

FILE = """
title = "Small"
horizons = [40, 80]
runs = 6

[[policies]]
policy = "uniform-play"

[[policies]]
policy = "greedy"

[[environments]]
name = "easy"
family = "bernoulli"
mean = [0.1, 0.9]

[[environments]]
name = "hard"
family = "bernoulli"
mean = [0.4, 0.5, 0.6]
"""


class Nothing(NamedTuple):
    nothing: np.ndarray


class PlainPolicy(lowbid.Policy):
    """Plays the first arm, in plain Python."""

    def init(self, n_arms, capacity):
        return Nothing(np.zeros(1))

    def select(self, state, step, stream):
        return 0

    def update(self, state, arm, loss, step, stream):
        pass


class Raising(PlainPolicy):
    def select(self, state, step, stream):
        raise RuntimeError("no idea")


class Slow(PlainPolicy):
    """Takes a hundredth of a second per step."""

    def select(self, state, step, stream):
        time.sleep(0.01)
        return 0


class Deadly(PlainPolicy):
    """Kills the process that plays it."""

    def select(self, state, step, stream):
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        return 0


class Hanging(PlainPolicy):
    """Never answers."""

    def select(self, state, step, stream):
        time.sleep(1000)
        return 0


@dataclasses.dataclass(frozen=True)
class HangingOnce(PlainPolicy):
    """Never answers the first time that it is played."""

    marker: str = ""

    def select(self, state, step, stream):
        if not os.path.exists(self.marker):
            Path(self.marker).touch()
            time.sleep(1000)
        return 0


def small(*policies, environments=2, horizon=20, runs=4, name="small", **more):
    """A sweep of plain policies, by their classes' names."""
    swept = [SweptPolicy(type(each).__name__, type(each).__name__, each) for each in policies]
    arms = [
        SweptEnvironment(f"e{i}", lowbid.Bernoulli([0.1, 0.2 + i / 100]))
        for i in range(environments)
    ]
    return Sweep(name, name, swept, arms, [Tier(horizon, runs)], runs, **more)


def written(path: Path, text: str = FILE) -> Path:
    path.write_text(text)
    return path
