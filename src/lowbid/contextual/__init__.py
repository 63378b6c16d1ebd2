"""Policies that look at features: one algorithm, one file. `__all__` has the names of all.

They are found by their files, and imported on first use, as `lowbid.policies` are.
"""

from __future__ import annotations

from lowbid._discovery import class_in, classes_in, modules_in

TYPE_CHECKING = False  # as type checkers know it
if TYPE_CHECKING:
    from typing import Any

    from lowbid.contextual._registry import *

_MODULES = modules_in(__path__[0])


def __getattr__(name: str) -> Any:
    """Import a policy on first use; for `__all__`, all of them."""
    stem = _MODULES.get(name.lower())
    found: Any = None if stem is None else class_in(__name__, stem)
    if name == "__all__":
        found = list(classes_in(__name__, _MODULES))
    elif found is None or found.__name__ != name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
