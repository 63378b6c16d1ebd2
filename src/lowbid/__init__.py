"""lowbid: stochastic multi-armed bandits, built around Batch Ensemble."""

from lowbid import environments, policies
from lowbid.environments import *
from lowbid.online import Bandit
from lowbid.policies import *
from lowbid.policies import Policy, schedules
from lowbid.simulation import Result, simulate

__version__ = "0.1.0.dev0"

__all__ = [
    "Bandit",
    "Policy",
    "Result",
    "schedules",
    "simulate",
    *environments.__all__,
    *policies.__all__,
]
