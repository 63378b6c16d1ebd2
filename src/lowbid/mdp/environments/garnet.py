"""Garnet: MDPs drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._require import require, require_whole
from lowbid.mdp._tables import Successors
from lowbid.mdp._tabular import Tabular

_PAYING = 0.3


class Garnet(Tabular):
    """A random MDP: each action has `branching` successors, drawn without replacement.

    Their probabilities are the gaps between sorted uniform numbers. The mean reward of an action
    is uniform on [0, 1) with probability .3, otherwise 0; rewards are 0 or 1.

    Parameters
    ----------
    n_states, n_actions : int
        The numbers of states and of actions.
    branching : int
        The number of states that can follow each action.
    horizon : int
        The number of stages.
    instance : int
        0 or larger; selects the random MDP.

    Examples
    --------
    >>> from lowbid import mdp
    >>> model = mdp.Garnet(10, 3, branching=3, instance=1)
    >>> model.world.probabilities.shape
    (1, 10, 3, 3)

    References
    ----------
    .. [1] T. W. Archibald, K. I. M. McKinnon, L. C. Thomas (1995). On the generation of Markov
       decision processes. Journal of the Operational Research Society 46.
    """

    def __init__(
        self,
        n_states: int = 10,
        n_actions: int = 3,
        branching: int = 3,
        horizon: int = 10,
        instance: int = 0,
    ) -> None:
        states, actions = require_whole("n_states", n_states), require_whole("n_actions", n_actions)
        self.branching = require_whole("branching", branching)
        self.instance = require_whole("instance", instance, at_least=0)
        require(
            self.branching <= states,
            f"branching is {branching}, but there are {states} states; give a number up to that.",
        )
        random = np.random.default_rng(self.instance)
        shape = (states, actions, self.branching)
        cuts = np.sort(random.random((states, actions, self.branching - 1)), axis=-1)
        next_states = np.zeros(shape, np.int64)
        for row in next_states.reshape(-1, self.branching):
            row[:] = random.choice(states, self.branching, replace=False)
        pays = random.random((states, actions)) < _PAYING
        super().__init__(
            Successors(np.diff(cuts, axis=-1, prepend=0.0, append=1.0), next_states),
            rewards=np.where(pays, random.random((states, actions)), 0.0),
            horizon=horizon,
            noise="bernoulli",
        )

    @property
    def given(self) -> dict[str, Any]:
        """The parameters."""
        return {
            "n_states": self.n_states,
            "n_actions": self.n_actions,
            "branching": self.branching,
            "horizon": self.horizon,
            "instance": self.instance,
        }
