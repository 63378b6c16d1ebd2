"""Arms to play: their distributions, means and variances. `__all__` has the names of all.

They are found by their files (see `lowbid._discovery`). Type checkers read `_registry.py`, which a
test writes.
"""

from typing import TYPE_CHECKING

from lowbid._discovery import classes_in, modules_in
from lowbid.environments._base import Arms as Arms
from lowbid.environments._base import Environment as Environment
from lowbid.environments._base import stay as stay
from lowbid.environments._changing import Changing as Changing
from lowbid.environments._changing import Stage as Stage
from lowbid.environments._featured import Featured as Featured
from lowbid.environments._paper import paper_test as paper_test
from lowbid.environments._path import Path as Path
from lowbid.environments._restated import Restated as Restated

if TYPE_CHECKING:
    from lowbid.environments._registry import *
    from lowbid.environments._registry import __all__ as __all__
else:
    _classes = classes_in(__name__, modules_in(__path__[0]))
    globals().update(_classes)
    __all__ = sorted(["Arms", "Changing", "Environment", "Path", "paper_test", *_classes])
