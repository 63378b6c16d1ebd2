"""Bidding DQN: follow the member that expects the highest return."""

from __future__ import annotations

import dataclasses

import jax

from lowbid.mdp.deep._ensemble_dqn import EnsembleDQN
from lowbid.mdp.deep._networks import argmax_at_random


@dataclasses.dataclass(frozen=True)
class BiddingDQN(EnsembleDQN):
    """Follows the member with the highest bid in each episode.

    The bid of member m is max over actions a of Q_m(x, a) in the first state x: each member outputs
    a policy and its value, and the policy of the most optimistic one is followed. The Batch
    Ensemble paper [1]_ suggests this for batches, which are networks here; everything else is as in
    `BootstrappedDQN`. For the parameters, see `EnsembleDQN`.

    Examples
    --------
    >>> from lowbid.mdp import deep
    >>> deep.BiddingDQN(prior_scale=3.0).name
    'BiddingDQN(prior_scale=3.0)'

    References
    ----------
    .. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
       stochastic bandits. AAAI.
    """

    def follow(self, bids: jax.Array, key: jax.Array) -> jax.Array:
        """The member with the highest bid."""
        return argmax_at_random(bids, key)
