"""Episodic MDPs to learn in, one file each. `__all__` has the names of all.

They are found by their files (see `lowbid._discovery`). Type checkers read `_registry.py`, which a
test writes.
"""

from typing import TYPE_CHECKING

from lowbid._discovery import classes_in, modules_in
from lowbid.mdp.environments._from_gymnasium import FromGymnasium as FromGymnasium
from lowbid.mdp.environments._from_gymnasium import make_gymnasium as make_gymnasium

if TYPE_CHECKING:
    from lowbid.mdp.environments._registry import *
    from lowbid.mdp.environments._registry import __all__ as __all__
else:
    _classes = classes_in(__name__, modules_in(__path__[0]))
    globals().update(_classes)
    __all__ = list(_classes)
