"""One bandit, one decision at a time."""

from __future__ import annotations

import math

import numpy as np

from lowbid._random import key, stream_of_run
from lowbid._require import require_whole
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.policies import BatchEnsemble, Policy
from lowbid.policies._base import extend

_FIRST_CAPACITY = 1024


class Bandit:
    """A policy that is asked for an arm, and told what happened, one step at a time.

    It makes the same choices as the first run of a simulation with the same seed.

    Parameters
    ----------
    arms : int
        The number of arms; they are called 0, 1, 2, ...
    policy : Policy, optional
        By default `BatchEnsemble`.
    seed : int
        0 or larger; fixes the policy's own randomness.
    horizon : int, optional
        The number of steps that will be played, for policies that need to know it.

    Examples
    --------
    >>> import lowbid
    >>> bandit = lowbid.Bandit(arms=3, policy=lowbid.BatchEnsemble(), seed=0)
    >>> for _ in range(100):
    ...     arm = bandit.select()
    ...     bandit.update(arm, loss=[0.5, 0.1, 0.9][arm])
    >>> bandit.select()
    1
    """

    def __init__(
        self, arms: int, policy: Policy | None = None, seed: int = 0, horizon: int | None = None
    ) -> None:
        self.policy = BatchEnsemble() if policy is None else policy
        self.n_arms, self.horizon = require_whole("arms", arms), horizon
        self.step = 1
        self.capacity = _FIRST_CAPACITY
        self.parameters, self.state = self.policy.start(self.n_arms, horizon, self.capacity)
        self.stream = stream_of_run(key(seed, self.policy.identity), 0)

    def select(self) -> int:
        """The arm to play now."""
        self._make_room()
        return int(self.policy.kernels.select(self.parameters, self.state, self.step, self.stream))

    def update(self, arm: int, *, loss: float) -> None:
        """Tell the policy the loss of an arm."""
        self._check(arm, loss)
        self._make_room()
        self.policy.kernels.update(
            self.parameters, self.state, int(arm), float(loss), self.step, self.stream
        )
        self.step += 1

    def _check(self, arm: int, loss: float) -> None:
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer):
            raise UnknownNameError(
                f"arm {arm!r} is not known; the arms are 0 to {self.n_arms - 1}."
            )
        if not 0 <= arm < self.n_arms:
            raise UnknownNameError(f"arm {arm} is not known; the arms are 0 to {self.n_arms - 1}.")
        low, high = self.policy.loss_range
        if not (isinstance(loss, int | float | np.number) and math.isfinite(loss)):
            raise InvalidValueError(f"the loss is {loss!r}; give a finite number.")
        if not low <= loss <= high:
            raise InvalidValueError(
                f"the loss is {loss!r}, but {self.policy.name} takes losses from {low:g} to "
                f"{high:g}; scale it."
            )

    def _make_room(self) -> None:
        """Double the room for history and schedule when the steps outgrow it."""
        if self.step > self.capacity:
            self.capacity *= 2
            self.parameters, larger = self.policy.start(self.n_arms, self.horizon, self.capacity)
            self.state = extend(self.state, larger)
