"""What a bandit is made of."""

from __future__ import annotations

import copy
import threading
from typing import Any

from lowbid._random import Stream
from lowbid.online._decisions import Arm, Decision, Decisions
from lowbid.online._engine import Engine
from lowbid.online._feedback import Feedback
from lowbid.online._roster import Roster
from lowbid.policies import Policy


class Parts:
    """The parts of a bandit, and what can be read off them at any time."""

    policy: Policy
    expiry: int | None
    _engine: Engine
    _roster: Roster
    _decisions: Decisions
    _feedback: Feedback | None  # None until it is known whether losses or rewards are told
    _lock: threading.Lock

    @property
    def arms(self) -> list[Arm]:
        """All arms that can be chosen, by name."""
        return list(self._roster.names)

    @property
    def paused(self) -> list[Arm]:
        """The arms that are paused, by name."""
        return list(self._roster.shelf)

    @property
    def n_arms(self) -> int:
        """The number of arms that can be chosen."""
        return self._engine.n_arms

    @property
    def horizon(self) -> int | None:
        """The number of decisions that will be made, if that is known."""
        return self._engine.horizon

    @property
    def step(self) -> int:
        """The step about to be played, from 1."""
        return self._engine.step

    @property
    def capacity(self) -> int:
        """The number of steps for which there is room at present."""
        return self._engine.capacity

    @property
    def parameters(self) -> Any:
        """What the policy's kernels read."""
        return self._engine.parameters

    @property
    def state(self) -> Any:
        """The policy's state; arms are numbers there, in the order of `arms`."""
        return self._engine.state

    @property
    def stream(self) -> Stream:
        """The policy's random numbers."""
        return self._engine.stream

    def pending(self) -> list[Decision]:
        """The decisions whose outcomes are still to come, oldest first."""
        with self._lock:
            found = [(arm, identity) for identity, (arm, _) in self._decisions.open.items()]
            return [Decision(arm, identity) for arm, identity in found if arm is not None]

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # what is copied or pickled later must not change meanwhile
            parts = {name: part for name, part in self.__dict__.items() if name != "_lock"}
            return copy.deepcopy(parts)

    def __setstate__(self, parts: dict[str, Any]) -> None:
        self.__dict__.update(parts)
        self._lock = threading.Lock()
