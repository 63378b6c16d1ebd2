"""Episodic MDPs to learn in: one file each. `__all__` is the registry."""

from lowbid.mdp.environments.bandit import BanditMDP
from lowbid.mdp.environments.chain import Chain
from lowbid.mdp.environments.deep_sea import DeepSea
from lowbid.mdp.environments.garnet import Garnet
from lowbid.mdp.environments.grid import Grid
from lowbid.mdp.environments.meta_chain import MetaChain
from lowbid.mdp.environments.river_swim import RiverSwim
from lowbid.mdp.environments.six_arms import SixArms

__all__ = [
    "BanditMDP",
    "Chain",
    "DeepSea",
    "Garnet",
    "Grid",
    "MetaChain",
    "RiverSwim",
    "SixArms",
]
