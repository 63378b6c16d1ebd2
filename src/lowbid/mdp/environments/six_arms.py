"""SixArms: the harder a room is to reach, the better it pays."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid.mdp._tabular import Tabular

_REACHED = (1.0, 0.15, 0.1, 0.05, 0.03, 0.01)
_PAY = (50.0, 133.0, 300.0, 800.0, 1660.0, 6000.0)


class SixArms(Tabular):
    """A hall and six rooms; staying in a room pays more if the room is hard to enter.

    From the hall, state 0, action a leads to room a + 1 with probability 1, .15, .1, .05, .03 and
    .01. Only action 4 leaves room 1; only action s - 1 stays in room s > 1. Staying yields 50, 133,
    300, 800, 1660 and 6000, divided by 6000.

    Parameters
    ----------
    horizon : int
        The number of stages.

    Examples
    --------
    >>> from lowbid import mdp
    >>> round(mdp.SixArms(horizon=20).optimum, 5)
    1.79069

    References
    ----------
    .. [1] A. L. Strehl, M. L. Littman (2008). An analysis of model-based interval estimation for
       Markov decision processes. Journal of Computer and System Sciences 74.
    """

    def __init__(self, horizon: int = 20) -> None:
        table, rewards = np.zeros((7, 6, 7)), np.zeros((7, 6))
        for action, chance in enumerate(_REACHED):
            table[0, action, action + 1] = chance
            table[0, action, 0] = 1.0 - chance
        for room in range(1, 7):
            for action in range(6):
                stays = action != 4 if room == 1 else action == room - 1
                table[room, action, room if stays else 0] = 1.0
                rewards[room, action] = _PAY[room - 1] / _PAY[-1] if stays else 0.0
        super().__init__(table, rewards=rewards, horizon=horizon)

    @property
    def given(self) -> dict[str, Any]:
        """The parameters."""
        return {"horizon": self.horizon}
