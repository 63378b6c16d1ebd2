"""Episodic MDPs, where each batch bids a policy: models, agents, simulations."""

from lowbid.mdp import agents as agents
from lowbid.mdp import environments as environments
from lowbid.mdp._agent import Agent as Agent
from lowbid.mdp._base import Kernels as Kernels
from lowbid.mdp._base import Rule as Rule
from lowbid.mdp._outcomes import first_state as first_state
from lowbid.mdp._outcomes import outcome as outcome
from lowbid.mdp._outcomes import train as train
from lowbid.mdp._problem import Problem as Problem
from lowbid.mdp._simulate import loop_for as loop_for
from lowbid.mdp._simulate import simulate as simulate
from lowbid.mdp._simulate import stuck as stuck
from lowbid.mdp._simulate import visits as visits
from lowbid.mdp._tables import Successors as Successors
from lowbid.mdp._tabular import Tabular as Tabular
from lowbid.mdp.agents import *
from lowbid.mdp.agents import __all__ as _agents
from lowbid.mdp.environments import *
from lowbid.mdp.environments import FromGymnasium as FromGymnasium
from lowbid.mdp.environments import __all__ as _environments

__all__ = [
    "Agent",
    "FromGymnasium",
    "Kernels",
    "Problem",
    "Rule",
    "Successors",
    "Tabular",
    "simulate",
    "stuck",
    "train",
    "visits",
]
__all__ += [*_agents, *_environments]
