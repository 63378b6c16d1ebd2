"""lowbid: stochastic multi-armed bandits, built around Batch Ensemble."""

from lowbid import environments, kernels, policies, random, schedules, theory
from lowbid._version import __version__
from lowbid.environments import *
from lowbid.online import Bandit
from lowbid.policies import *
from lowbid.policies import Policy
from lowbid.simulation import Result, simulate

__all__ = [
    "Bandit",
    "Policy",
    "Result",
    "__version__",
    "kernels",
    "random",
    "schedules",
    "simulate",
    "theory",
    *environments.__all__,
    *policies.__all__,
]
