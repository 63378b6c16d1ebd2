"""Osband's chain: only N steps in the right direction find the prize."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._require import require_whole
from lowbid.mdp._tabular import Tabular

LEFT, RIGHT = 0, 1


class Chain(Tabular):
    """A chain of N states and N stages; the prize is at its far end, and both ends are noisy.

    Action 0 moves to the left. Action 1 moves to the right with probability 1 - 1/N, otherwise to
    the left. Moving left at the left end yields a reward of N(0, 1), moving right at the right end
    N(1, 1); all other rewards are 0.

    Parameters
    ----------
    size : int
        N, 2 or more.
    best_return : float, optional
        A bound on the mean return that rules may use; 1 is valid. Without it, they must assume that
        every step could yield 1.

    Examples
    --------
    >>> from lowbid import mdp
    >>> [round(mdp.Chain(size).optimum, 5) for size in (8, 16, 32)]
    [0.3927, 0.37981, 0.37373]

    References
    ----------
    .. [1] I. Osband, B. Van Roy, D. J. Russo, Z. Wen (2019). Deep exploration via randomized
       value functions. Journal of Machine Learning Research 20.
    """

    def __init__(self, size: int = 8, best_return: float | None = None) -> None:
        size = require_whole("size", size, at_least=2)
        table = np.zeros((size, 2, size))
        for state in range(size):
            table[state, LEFT, max(state - 1, 0)] = 1.0
            table[state, RIGHT, min(state + 1, size - 1)] += 1.0 - 1.0 / size
            table[state, RIGHT, max(state - 1, 0)] += 1.0 / size
        rewards, sd = np.zeros((size, 2)), np.zeros((size, 2))
        rewards[-1, RIGHT] = 1.0
        sd[0, LEFT] = sd[-1, RIGHT] = 1.0
        super().__init__(
            table, rewards=rewards, horizon=size, best_return=best_return, noise="gaussian", sd=sd
        )

    @property
    def given(self) -> dict[str, Any]:
        """The parameters."""
        return {"size": self.n_states, "best_return": self.best_return}
