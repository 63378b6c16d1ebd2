"""SMPyBandits: its policies in lowbid. It is not imported; its protocol is enough."""

from __future__ import annotations

import copy
from typing import Any

from lowbid._require import invalid
from lowbid.adapters._guest import GlobalRandomness, GuestPolicy
from lowbid.errors import InvalidValueError

_PROTOCOL = ("startGame", "choice", "getReward")


class FromSMPyBandits(GuestPolicy):
    """An SMPyBandits policy, to be played by lowbid.

    Its policies draw from NumPy's and Python's global generators. Each run gives these its own
    state, so results depend only on lowbid's seed, for any number of workers, and the global
    generators are restored afterwards.

    Parameters
    ----------
    policy : object or callable
        A policy, which is copied for each run; or a callable that makes one from the number of
        arms: a class such as ``UCB``, or ``lambda n: UCBalpha(n, alpha=0.5)``.
    zero_loss_reward : float
        The reward it receives for a loss of 0: it sees ``zero_loss_reward - loss``.
    name : str, optional
        Its name in results; by default its class name.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid.adapters.smpybandits import FromSMPyBandits
    >>> class Alternate:  # with SMPyBandits installed: from SMPyBandits.Policies import UCB
    ...     def __init__(self, nbArms):
    ...         self.nbArms = nbArms
    ...     def startGame(self):
    ...         self.t = 0
    ...     def choice(self):
    ...         return self.t % self.nbArms
    ...     def getReward(self, arm, reward):
    ...         self.t += 1
    >>> arms = lowbid.Bernoulli([0.2, 0.6])
    >>> lowbid.simulate(FromSMPyBandits(Alternate), arms, horizon=10, runs=1).pulls
    array([[[5, 5]]])
    """

    def __init__(self, policy: Any, zero_loss_reward: float = 1.0, name: str | None = None) -> None:
        ready = not isinstance(policy, type) and all(hasattr(policy, part) for part in _PROTOCOL)
        if not ready and not callable(policy):
            raise invalid(
                "policy",
                policy,
                f"give an object with {', '.join(_PROTOCOL)}, or a callable that makes one from "
                "the number of arms.",
            )
        called = type(policy).__name__ if ready else getattr(policy, "__name__", "policy")
        super().__init__(name or f"{called} from SMPyBandits", zero_loss_reward)
        self.policy, self.ready = policy, ready

    def player(self, n_arms: int, seed: int) -> _SMPyPlayer:
        """A new player."""
        randomness = GlobalRandomness(seed)
        with randomness.lent():
            made = copy.deepcopy(self.policy) if self.ready else self.policy(n_arms)
            missing = [part for part in _PROTOCOL if not hasattr(made, part)]
            if missing:
                raise InvalidValueError(f"{made!r} has no {missing[0]}; it is not a policy.")
            if getattr(made, "nbArms", n_arms) != n_arms:
                raise InvalidValueError(
                    f"{self.label} was made for {made.nbArms} arms, but there are {n_arms}."
                )
            made.startGame()
        return _SMPyPlayer(made, randomness)


class _SMPyPlayer:
    def __init__(self, policy: Any, randomness: GlobalRandomness) -> None:
        self.policy, self.randomness = policy, randomness

    def choose(self) -> Any:
        with self.randomness.lent():
            return self.policy.choice()

    def learn(self, arm: int, reward: float) -> None:
        with self.randomness.lent():
            self.policy.getReward(arm, reward)
