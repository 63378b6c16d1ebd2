"""Deep agents: ensembles of networks that explore by following one member for an episode.

This part needs JAX and optax, and nothing else in lowbid imports it: use
``from lowbid.mdp import deep``.
"""

from lowbid._optional import needing

with needing("jax optax", "deep agents need JAX and optax: pip install 'lowbid[deep]'"):
    import jax as _jax
    import optax as _optax

from lowbid.mdp.deep._deep_agent import DeepAgent
from lowbid.mdp.deep._ensemble_dqn import EnsembleDQN
from lowbid.mdp.deep._play import Played, play, play_gymnasium
from lowbid.mdp.deep._score import (
    BSUITE_EPISODES,
    BSUITE_SIZES,
    bsuite_score,
    logged_episodes,
    solving_episode,
)
from lowbid.mdp.deep._trial import Trial, solve_deep_sea
from lowbid.mdp.deep.bidding_dqn import BiddingDQN
from lowbid.mdp.deep.bootstrapped_dqn import BootstrappedDQN

del _jax, _optax

__all__ = [
    "BSUITE_EPISODES",
    "BSUITE_SIZES",
    "BiddingDQN",
    "BootstrappedDQN",
    "DeepAgent",
    "EnsembleDQN",
    "Played",
    "Trial",
    "bsuite_score",
    "logged_episodes",
    "play",
    "play_gymnasium",
    "solve_deep_sea",
    "solving_episode",
]
