"""lowbid: stochastic multi-armed bandits, built around Batch Ensemble.

The parts of the package are imported when one of their names is first used, so that ``import
lowbid`` and ``lowbid --help`` are fast.
"""

from __future__ import annotations

import importlib

from lowbid._version import __version__ as __version__

TYPE_CHECKING = False  # as type checkers know it; `typing` itself takes a while to import
if TYPE_CHECKING:
    from typing import Any

    from lowbid import contextual as contextual
    from lowbid import environments as environments
    from lowbid import errors as errors
    from lowbid import kernels as kernels
    from lowbid import logs as logs
    from lowbid import mdp as mdp
    from lowbid import offline as offline
    from lowbid import policies as policies
    from lowbid import random as random
    from lowbid import schedules as schedules
    from lowbid import stores as stores
    from lowbid import testing as testing
    from lowbid import theory as theory
    from lowbid.client import Client as Client
    from lowbid.environments import *
    from lowbid.logs import Log as Log
    from lowbid.logs import read_log as read_log
    from lowbid.offline import evaluate as evaluate
    from lowbid.offline import replay as replay
    from lowbid.online import *
    from lowbid.policies import *
    from lowbid.policies import Policy as Policy
    from lowbid.policies import citation as citation
    from lowbid.shared import SharedBandit as SharedBandit
    from lowbid.shared import open as open
    from lowbid.simulation import Result as Result
    from lowbid.simulation import simulate as simulate

_MODULES = (
    "contextual",
    "environments",
    "errors",
    "kernels",
    "logs",
    "mdp",
    "offline",
    "policies",
    "random",
    "schedules",
    "stores",
    "testing",
    "theory",
)
_NAMES = {
    "Client": "client",
    "Log": "logs",
    "Policy": "policies",
    "Result": "simulation",
    "SharedBandit": "shared",
    "citation": "policies",
    "evaluate": "offline",
    "open": "shared",
    "read_log": "logs",
    "replay": "offline",
    "simulate": "simulation",
}
_WHOLE_PARTS = ("policies", "online", "environments")


def __getattr__(name: str) -> Any:
    """Import the part that has a name, on its first use."""
    globals()[name] = value = _found(name)
    return value


def _found(name: str) -> Any:
    if name in _MODULES:
        return _part(name)
    if name == "__all__":
        others = (each for part in _WHOLE_PARTS for each in _part(part).__all__)
        return ["__version__", *_MODULES, *_NAMES, *others]
    if name in _NAMES:
        return getattr(_part(_NAMES[name]), name)
    if not name.startswith("_"):
        for part in _WHOLE_PARTS:
            module = _part(part)
            if module.has_policy(name) if part == "policies" else name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module 'lowbid' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))


def _part(name: str) -> Any:
    return importlib.import_module(f"lowbid.{name}")
