"""Policies of other libraries, played by lowbid as plain Python, with one object per run."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from lowbid._random import Stream, bits
from lowbid._require import require_finite
from lowbid.policies import Policy

_SEEDS = 2**31 - 1


class Player(Protocol):
    """An object that chooses arms 0, 1, 2, ... and learns from rewards."""

    def choose(self) -> Any:
        """The arm to play."""

    def learn(self, arm: int, reward: float) -> None:
        """Record the outcome of an arm."""


class Seat:
    """Holds the player of one run, which is created when its first random number is available."""

    def __init__(self, n_arms: int) -> None:
        self.n_arms = n_arms
        self.player: Player | None = None


class GuestPolicy(Policy):
    """A policy of another library.

    Parameters
    ----------
    label : str
        Its name in results.
    zero_loss_reward : float
        The reward it receives for a loss of 0: it sees ``zero_loss_reward - loss``.
    """

    def __init__(self, label: str, zero_loss_reward: float) -> None:
        require_finite("zero_loss_reward", zero_loss_reward, above=-np.inf)
        self.label, self.zero_loss_reward = str(label), float(zero_loss_reward)

    def player(self, n_arms: int, seed: int) -> Player:
        """A new player, with its own random numbers."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """Its name in results."""
        return self.label

    @property
    def identity(self) -> str:
        """The name, which also identifies its random numbers."""
        return f"{type(self).__qualname__}({self.label}, {self.zero_loss_reward})"

    def init(self, n_arms: int, capacity: int) -> Seat:
        """A holder without a player yet."""
        return Seat(n_arms)

    def select(self, state: Seat, step: int, stream: Stream) -> Any:
        """The player's choice."""
        return self._seated(state, stream).choose()

    def update(self, state: Seat, arm: int, loss: float, step: int, stream: Stream) -> None:
        """Report the player's reward."""
        self._seated(state, stream).learn(arm, self.zero_loss_reward - loss)

    def _seated(self, state: Seat, stream: Stream) -> Player:
        if state.player is None:
            state.player = self.player(state.n_arms, int(bits(stream)) % _SEEDS)
        return state.player


class GlobalRandomness:
    """Random numbers for code that draws from NumPy's and Python's global generators.

    Inside `lent`, these generators have this object's state; afterwards their previous state is
    restored. One thread at a time.
    """

    _lock = threading.RLock()

    def __init__(self, seed: int) -> None:
        self._numpy = np.random.RandomState(seed).get_state()
        self._python = random.Random(seed).getstate()

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Let the code inside draw from this object's numbers."""
        with self._lock:
            before = np.random.get_state(), random.getstate()  # noqa: NPY002
            np.random.set_state(self._numpy)  # noqa: NPY002
            random.setstate(self._python)
            try:
                yield
            finally:
                self._numpy, self._python = np.random.get_state(), random.getstate()  # noqa: NPY002
                np.random.set_state(before[0])  # noqa: NPY002
                random.setstate(before[1])
