"""The policies: one algorithm, one file. `__all__` has the names of all.

They are found by their files (see `lowbid._discovery`) and imported on first use: importing all of
them takes as long as importing NumPy. Type checkers read `_registry.py`, which a test writes.
"""

from __future__ import annotations

from lowbid._discovery import class_in, classes_in, modules_in
from lowbid.policies._base import About as About
from lowbid.policies._base import Constructor as Constructor
from lowbid.policies._base import Kernels as Kernels
from lowbid.policies._base import Policy as Policy
from lowbid.policies._base import arrays_of as arrays_of
from lowbid.policies._base import copy_of as copy_of
from lowbid.policies._base import extend as extend
from lowbid.policies._citation import citation as citation
from lowbid.policies._citation import reference as reference
from lowbid.policies._divergences import bernoulli_divergence as bernoulli_divergence
from lowbid.policies._ensemble import Bid as Bid
from lowbid.policies._ensemble import EnsemblePolicy as EnsemblePolicy
from lowbid.policies._forgetting import tuned_discount as tuned_discount
from lowbid.policies._forgetting import tuned_window as tuned_window
from lowbid.policies._limits import Limit as Limit
from lowbid.policies._limits import Limits as Limits
from lowbid.policies._limits import Sizes as Sizes
from lowbid.policies._limits import check_state as check_state
from lowbid.policies._limits import exactly as exactly
from lowbid.policies._limits import fill as fill
from lowbid.policies._limits import one_of as one_of
from lowbid.policies._limits import permutation as permutation
from lowbid.policies._limits import real as real
from lowbid.policies._limits import require_limit as require_limit
from lowbid.policies._limits import sums as sums
from lowbid.policies._limits import whole as whole
from lowbid.policies._scan import argmin as argmin
from lowbid.policies._scan import next_lowest as next_lowest
from lowbid.policies._wrapper import Wrapper as Wrapper
from lowbid.policies._yardstick import HIGHEST as HIGHEST
from lowbid.policies._yardstick import LOWEST as LOWEST
from lowbid.policies._yardstick import SAME as SAME
from lowbid.policies._yardstick import UNIT as UNIT
from lowbid.policies._yardstick import Yardstick as Yardstick
from lowbid.policies._yardstick import measured as measured
from lowbid.policies._yardstick import merged_yardstick as merged_yardstick
from lowbid.policies._yardstick import require_ends as require_ends
from lowbid.policies._yardstick import translation as translation
from lowbid.policies._yardstick import yardstick_of as yardstick_of

TYPE_CHECKING = False  # as type checkers know it
if TYPE_CHECKING:
    from typing import Any

    from lowbid.policies._registry import *

_MODULES = modules_in(__path__[0])


def __getattr__(name: str) -> Any:
    """Import a policy on first use; for `__all__`, all of them."""
    found: Any = class_in(__name__, _MODULES[name.lower()]) if has_policy(name) else None
    if name == "__all__":
        found = list(classes_in(__name__, _MODULES))
    elif found is None or found.__name__ != name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})


def has_policy(name: str) -> bool:
    """Whether there is a policy of this name, as far as files tell."""
    return name.lower() in _MODULES
