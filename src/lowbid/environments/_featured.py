"""The base class of environments with features."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._arrays import Floats
from lowbid.environments._changing import Changing


class Featured(Changing):
    """Base class of environments in which each step has features, and losses depend on them.

    To a policy that does not look at features, these are arms that change at every step. The
    features of a step are a function of (seed, run, step); they are the array ``features`` of
    `world`, which `move` fills.
    """

    @property
    def columns(self) -> int:
        """The number of columns of the features."""
        return len(self.world(0).features)

    def features_at(self, step: int, seed: int = 0, run: int = 0) -> Floats:
        """The features of a step of a run."""
        stage: Any = self.stage(seed)
        self.begin(*stage, run)
        for now in range(1, step + 1):
            self.move(*stage, now)
        return np.array(stage.world.features)
