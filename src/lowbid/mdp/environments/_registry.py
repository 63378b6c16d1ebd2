# What was found by its file, for type checkers; written by tests/test_discovery.py.
# ruff: noqa
# fmt: off
from lowbid.mdp.environments.bandit_mdp import BanditMDP as BanditMDP
from lowbid.mdp.environments.chain import Chain as Chain
from lowbid.mdp.environments.deep_sea import DeepSea as DeepSea
from lowbid.mdp.environments.garnet import Garnet as Garnet
from lowbid.mdp.environments.grid import Grid as Grid
from lowbid.mdp.environments.meta_chain import MetaChain as MetaChain
from lowbid.mdp.environments.river_swim import RiverSwim as RiverSwim
from lowbid.mdp.environments.six_arms import SixArms as SixArms
__all__ = ['BanditMDP', 'Chain', 'DeepSea', 'Garnet', 'Grid', 'MetaChain', 'RiverSwim', 'SixArms']
