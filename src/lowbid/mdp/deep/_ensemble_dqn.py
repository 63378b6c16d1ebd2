"""The parameters common to the deep rules."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from typing import Any, Self

import jax

from lowbid._parameters import Parameterised
from lowbid._require import (
    require,
    require_finite,
    require_probability,
    require_whole,
    shown,
)

_TENSORFLOW = {"prior_scale": 3.0, "mask_probability": 0.5, "exploration": 10.0}
_MOST_MEMBERS, _MOST_UNITS, _MOST_REPLAY = 10_000, 100_000, 100_000_000


@dataclasses.dataclass(frozen=True)
class EnsembleDQN(Parameterised, abc.ABC):
    """An ensemble of Q-networks, one of which is followed for a whole episode.

    Member m estimates Q_m(x, a) = f_m(x, a) + β p_m(x, a). The network f_m is trained; p_m is
    random and never changes, so that members disagree where there is no data. Subclasses choose
    which member is followed: `follow`.

    Parameters
    ----------
    members : int
        The number of networks.
    prior_scale : float
        β, 0 or more.
    hidden : sequence of int
        The sizes of the hidden layers, which are rectified.
    learning_rate : float
        The learning rate of Adam.
    batch_size : int
        The number of transitions per step of Adam, the same for all members.
    discount : float
        γ, from 0 to 1.
    replay_capacity : int
        The number of transitions that are remembered.
    min_replay_size : int
        The number of transitions that must be remembered before learning starts.
    sgd_period : int
        The number of steps in the environment per step of Adam.
    target_update_period : int
        The number of steps of Adam after which the networks are copied to the target networks.
    mask_probability : float
        The probability that a member learns from a transition, above 0; drawn once for each.
    noise_scale : float
        The standard deviation of noise on rewards, drawn once for each transition and member.
    exploration : float
        c in ε = c / (c + t), the probability of a uniform action at step t = 1, 2, ...; 0 for none.

    Notes
    -----
    The defaults are those of bsuite's JAX agent [1]_. There are two pitfalls: the script that comes
    with it, ``run.py``, has ``num_ensemble = 1``, which is a single network that does not solve
    DeepSea; and bsuite's TensorFlow agent differs in three numbers, which `tensorflow` sets.

    Two details differ from bsuite's JAX agent. Its targets come from other random networks, priors
    included, until the first copy; here they come from the ensemble itself. Also, its first episode
    always follows the first member.

    References
    ----------
    .. [1] I. Osband and others (2020). Behaviour suite for reinforcement learning. ICLR.
    """

    members: int = 20
    prior_scale: float = 5.0
    hidden: Sequence[int] = (50, 50)
    learning_rate: float = 1e-3
    batch_size: int = 128
    discount: float = 0.99
    replay_capacity: int = 10_000
    min_replay_size: int = 128
    sgd_period: int = 1
    target_update_period: int = 4
    mask_probability: float = 1.0
    noise_scale: float = 0.0
    exploration: float = 0.0

    def __post_init__(self) -> None:
        require_whole("members", self.members, at_most=_MOST_MEMBERS)
        require_finite("prior_scale", self.prior_scale, above=0.0, or_equal=True, at_most=1e6)
        object.__setattr__(self, "hidden", _sizes(self.hidden))
        require_finite("learning_rate", self.learning_rate, above=0.0, at_most=1e6)
        require_whole("batch_size", self.batch_size, at_most=_MOST_UNITS)
        require_probability("discount", self.discount, ends=True)
        require_whole("replay_capacity", self.replay_capacity, at_most=_MOST_REPLAY)
        require_whole("min_replay_size", self.min_replay_size)
        require(
            self.min_replay_size <= self.replay_capacity,
            f"min_replay_size is {self.min_replay_size}, more than replay_capacity, "
            f"{self.replay_capacity}: nothing would be learned. Give {self.replay_capacity} or "
            "less.",
        )
        require_whole("sgd_period", self.sgd_period)
        require_whole("target_update_period", self.target_update_period)
        require_probability("mask_probability", self.mask_probability, ends=True)
        require(
            self.mask_probability > 0.0,
            "mask_probability is 0: no member would learn. Give a probability above 0, up to 1.",
        )
        require_finite("noise_scale", self.noise_scale, above=0.0, or_equal=True, at_most=1e6)
        require_finite("exploration", self.exploration, above=0.0, or_equal=True, at_most=1e9)

    @classmethod
    def tensorflow(cls, **changes: Any) -> Self:
        """The rule with the parameters of bsuite's TensorFlow agent.

        These are β = 3, a mask of one half and ε = 10 / (10 + t). That agent also lets the member
        that it follows learn during the episode; here it is frozen.

        >>> from lowbid.mdp import deep
        >>> deep.BootstrappedDQN.tensorflow(members=10).name
        'BootstrappedDQN(members=10, prior_scale=3.0, mask_probability=0.5, exploration=10.0)'
        """
        return cls(**{**_TENSORFLOW, **changes})

    @abc.abstractmethod
    def follow(self, bids: jax.Array, key: jax.Array) -> jax.Array:
        """The member to follow in an episode.

        Parameters
        ----------
        bids : array
            Each member's expected return of the episode: its highest value in the first state.
        key : array
            A random key.
        """


def _sizes(hidden: Any) -> tuple[int, ...]:
    message = f"hidden is {shown(hidden)}; give the sizes of the hidden layers, such as (50, 50)."
    require(isinstance(hidden, Sequence) and not isinstance(hidden, str), message)
    return tuple(require_whole("a size in hidden", size, at_most=_MOST_UNITS) for size in hidden)
