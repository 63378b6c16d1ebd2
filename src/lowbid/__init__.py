"""lowbid: stochastic multi-armed bandits, built around Batch Ensemble."""

from lowbid import environments, policies, schedules
from lowbid._version import __version__
from lowbid.environments import *
from lowbid.online import Bandit
from lowbid.policies import *
from lowbid.policies import Policy, citation
from lowbid.simulation import Result, simulate

__all__ = [
    "Bandit",
    "Policy",
    "Result",
    "__version__",
    "citation",
    "schedules",
    "simulate",
    *environments.__all__,
    *policies.__all__,
]
