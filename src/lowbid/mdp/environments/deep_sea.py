"""DeepSea: a treasure in the far corner of a grid, found by going right every time."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._require import require_flag, require_whole
from lowbid.mdp._tables import Successors
from lowbid.mdp._tabular import Tabular

_MAPPING_SEED = 42  # bsuite's
_MOVE_COST = 0.01


class DeepSea(Tabular):
    """A sea of N rows and N columns; each step sinks by one row, and moves left or right.

    A stage is a row and a state is a column, so there are N states and each stage has its own
    tables. Which of the two actions moves right is drawn once for each place, as in bsuite. A move
    to the right costs .01 / N, and one in the last column yields 1. A policy that explores with
    random actions finds the treasure once in 2^N episodes.

    In the stochastic sea a move to the right fails with probability 1/N and stays in its column,
    and in the last row both actions of the first and the last column have noise N(0, 1).

    Parameters
    ----------
    size : int
        N, 2 or more.
    stochastic : bool
        Whether moves and rewards are noisy.
    best_return : float or None
        A bound on returns that rules may use; None for N.

    Attributes
    ----------
    right : array of int
        Which action moves right, (row, column).

    Examples
    --------
    >>> from lowbid import mdp
    >>> round(mdp.DeepSea(20).optimum, 5), round(mdp.DeepSea(20, stochastic=True).optimum, 5)
    (0.99, 0.37094)

    References
    ----------
    .. [1] I. Osband and others (2020). Behaviour suite for reinforcement learning. ICLR.
    """

    def __init__(
        self, size: int = 10, stochastic: bool = False, best_return: float | None = 1.0
    ) -> None:
        size = require_whole("size", size, at_least=2)
        require_flag("stochastic", stochastic)
        self.stochastic = bool(stochastic)
        random = np.random.RandomState(_MAPPING_SEED)
        self.right = right = random.binomial(1, 0.5, [size, size])
        row, column = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
        moves = np.zeros((size, size, 2, 2), np.int64)
        moves[row, column, right] = np.stack([np.minimum(column + 1, size - 1), column], axis=-1)
        moves[row, column, 1 - right] = np.maximum(column - 1, 0)[..., np.newaxis]
        chances = np.zeros(moves.shape)
        chances[..., 0] = 1.0
        if self.stochastic:
            chances[row, column, right] = 1.0 - 1.0 / size, 1.0 / size
        rewards, sd = np.zeros((size, size, 2)), np.zeros((size, size, 2))
        rewards[row, column, right] = -_MOVE_COST / size
        rewards[row[:, -1], size - 1, right[:, -1]] += 1.0
        if self.stochastic:
            sd[-1, [0, -1]] = 1.0
        super().__init__(
            Successors(chances, moves) if self.stochastic else _first_only(chances, moves),
            rewards=rewards,
            best_return=best_return,
            noise="gaussian" if self.stochastic else "none",
            sd=sd,
        )

    @property
    def map_axes(self) -> tuple[str, str]:
        """The meaning of the rows and of the columns of `map_of`."""
        return "row", "column"

    @property
    def given(self) -> dict[str, Any]:
        """The parameters."""
        return {
            "size": self.n_states,
            "stochastic": self.stochastic,
            "best_return": self.best_return,
        }


def _first_only(chances: Any, moves: Any) -> Successors:
    return Successors(chances[..., :1], moves[..., :1])
