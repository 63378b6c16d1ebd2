"""A bandit as an MDP of one state and one stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._require import invalid
from lowbid.environments import Arms, Bernoulli, Deterministic, Gaussian, ScaledBernoulli
from lowbid.mdp._tabular import Noise, Tabular


class BanditMDP(Tabular):
    """One state, one stage, and one action per arm; the losses are those of `lowbid.simulate`.

    Parameters
    ----------
    arms : Arms
        Bernoulli, ScaledBernoulli, Gaussian or Deterministic arms, with mean losses of 0 or more.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid import mdp
    >>> mdp.BanditMDP(lowbid.Bernoulli([0.2, 0.5])).optimum
    0.2
    """

    def __init__(self, arms: Arms) -> None:
        kinds: dict[type, Noise] = {
            Bernoulli: "bernoulli",
            ScaledBernoulli: "bernoulli",
            Gaussian: "gaussian",
            Deterministic: "none",
        }
        if type(arms) not in kinds:
            known = ", ".join(kind.__name__ for kind in kinds)
            raise invalid("arms", arms, f"give one of {known}.")
        self.arms = arms
        scale = arms.columns.get("scale", np.ones(1))
        super().__init__(
            np.ones((1, arms.n_arms, 1)),
            losses=arms.means[np.newaxis],
            horizon=1,
            noise=kinds[type(arms)],
            sd=arms.columns.get("sd", 0.0),
            scale=float(scale.max()),
        )
        if "scale" in arms.columns:
            self.world.coins[0, 0, :, 1] = scale

    @property
    def given(self) -> dict[str, Any]:
        """The arms."""
        return {"arms": self.arms.describe()}

    def __repr__(self) -> str:
        return f"BanditMDP({self.arms!r})"
