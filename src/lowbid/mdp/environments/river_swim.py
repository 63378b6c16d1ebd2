"""RiverSwim: swim against the current for a prize far away, or drift for a small one."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from lowbid._arrays import Floats
from lowbid._require import require_choice, require_whole
from lowbid.mdp._tabular import Noise, Tabular

LEFT, RIGHT = 0, 1


class RiverSwim(Tabular):
    """A river of `n_states` places; action 0 drifts to the left, action 1 swims to the right.

    Drifting always succeeds, and pays a little at the left bank. Swimming mostly fails, and pays
    well at the right bank. Two versions are in use and should not be confused:

    ============ ============================ ========================
    version      "osband"                     "strehl"
    ============ ============================ ========================
    swim, inner  .35 right, .6 stay, .05 left .3 right, .6 stay, .1 left
    left bank    .6 right, .4 stay            .3 right, .7 stay
    right bank   .6 stay, .4 left             .3 stay, .7 left
    rewards      .005 and 1                   5 and 10,000
    large reward for swimming at the bank     for staying at the bank
    first state  0                            1 or 2
    ============ ============================ ========================

    Parameters
    ----------
    version : {"osband", "strehl"}
        The version of Osband, Russo, Van Roy (2013) or that of Strehl, Littman (2008).
    n_states : int
        3 or more.
    horizon : int
        The number of stages.
    noise : {"none", "bernoulli"}
        "bernoulli" pays the best reward or nothing, with the same means.

    Examples
    --------
    >>> from lowbid import mdp
    >>> round(mdp.RiverSwim().optimum, 5)
    3.39726

    References
    ----------
    .. [1] A. L. Strehl, M. L. Littman (2008). An analysis of model-based interval estimation for
       Markov decision processes. Journal of Computer and System Sciences 74.
    .. [2] I. Osband, D. Russo, B. Van Roy (2013). (More) efficient reinforcement learning via
       posterior sampling. NeurIPS.
    """

    def __init__(
        self,
        version: Literal["osband", "strehl"] = "osband",
        n_states: int = 6,
        horizon: int = 20,
        noise: Noise = "none",
    ) -> None:
        require_choice("version", version, ("osband", "strehl"))
        require_choice("noise", noise, ("none", "bernoulli"))
        n_states = require_whole("n_states", n_states, at_least=3)
        self.version = version
        ours = version == "osband"
        swim = (0.35, 0.6, 0.05) if ours else (0.3, 0.6, 0.1)
        banks = (0.6, 0.6) if ours else (0.3, 0.3)
        small, large = (0.005, 1.0) if ours else (5.0, 10_000.0)
        rewards = np.zeros((n_states, 2, n_states))
        rewards[0, LEFT] = small
        rewards[-1, RIGHT, slice(None) if ours else -1] = large
        first = np.zeros(n_states)
        first[[0] if ours else [1, 2]] = 1.0 if ours else 0.5
        super().__init__(
            _river(n_states, swim, banks),
            rewards=rewards,
            horizon=horizon,
            first=first,
            best_reward=large,
            noise=noise,
        )

    @property
    def given(self) -> dict[str, Any]:
        """The parameters."""
        return {
            "version": self.version,
            "n_states": self.n_states,
            "horizon": self.horizon,
            "noise": self.noise,
        }


def _river(n_states: int, swim: tuple[float, float, float], banks: tuple[float, float]) -> Floats:
    """Transitions, from the probabilities of a swim and of leaving or keeping the banks."""
    table = np.zeros((n_states, 2, n_states))
    for state in range(n_states):
        table[state, LEFT, max(state - 1, 0)] = 1.0
    for state in range(1, n_states - 1):
        table[state, RIGHT, [state + 1, state, state - 1]] = swim
    leave, keep = banks
    table[0, RIGHT, [1, 0]] = leave, 1.0 - leave
    table[-1, RIGHT, [n_states - 1, n_states - 2]] = keep, 1.0 - keep
    return table
