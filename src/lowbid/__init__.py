"""lowbid: stochastic multi-armed bandits, built around Batch Ensemble."""

import importlib
from typing import TYPE_CHECKING, Any

from lowbid import environments, kernels, policies, random, schedules
from lowbid._version import __version__
from lowbid.environments import *
from lowbid.online import Bandit, Decision
from lowbid.policies import *
from lowbid.policies import Policy, citation
from lowbid.simulation import Result, simulate

if TYPE_CHECKING:
    from lowbid import testing, theory

__all__ = [
    "Bandit",
    "Decision",
    "Policy",
    "Result",
    "__version__",
    "kernels",
    "random",
    "citation",
    "schedules",
    "simulate",
    "testing",
    "theory",
    *environments.__all__,
    *policies.__all__,
]


def __getattr__(name: str) -> Any:
    """Parts that not everybody needs are imported when they are first used."""
    if name in ("testing", "theory"):
        return importlib.import_module(f"lowbid.{name}")
    raise AttributeError(f"module 'lowbid' has no attribute {name!r}")
