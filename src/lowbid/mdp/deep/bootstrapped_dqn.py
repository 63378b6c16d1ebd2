"""Bootstrapped DQN with randomised priors: follow a member drawn at random."""

from __future__ import annotations

import dataclasses

import jax

from lowbid.mdp.deep._ensemble_dqn import EnsembleDQN


@dataclasses.dataclass(frozen=True)
class BootstrappedDQN(EnsembleDQN):
    """Follows a uniformly drawn member in each episode, as in Thompson sampling.

    For the parameters, see `EnsembleDQN`.

    Examples
    --------
    >>> from lowbid.mdp import deep
    >>> deep.BootstrappedDQN(members=10).name
    'BootstrappedDQN(members=10)'

    References
    ----------
    .. [1] I. Osband, C. Blundell, A. Pritzel, B. Van Roy (2016). Deep exploration via bootstrapped
       DQN. NeurIPS.
    .. [2] I. Osband, J. Aslanides, A. Cassirer (2018). Randomized prior functions for deep
       reinforcement learning. NeurIPS.
    """

    def follow(self, bids: jax.Array, key: jax.Array) -> jax.Array:
        """Any member, whatever it bids."""
        return jax.random.randint(key, (), 0, len(bids))
