"""DeepSea played until it is solved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._require import require_whole
from lowbid.mdp.deep._deep_agent import DeepAgent
from lowbid.mdp.deep._ensemble_dqn import EnsembleDQN
from lowbid.mdp.deep._play import Played, play
from lowbid.mdp.deep._score import BSUITE_EPISODES, STOCHASTIC_START, solving_episode
from lowbid.mdp.environments import DeepSea
from lowbid.simulation import Progress


class Trial(NamedTuple):
    """A run in DeepSea.

    Attributes
    ----------
    size, seed : int
        The size of the sea, and the seed of the run.
    solved : int or None
        The episode that solved it; None if none did.
    bad : array of bool
        Whether each episode was bad: the agent was on the diagonal and went left.
    returns : array
        The return of each episode.
    """

    size: int
    seed: int
    solved: int | None
    bad: npt.NDArray[np.bool_]
    returns: npt.NDArray[np.float64]


def solve_deep_sea(
    rule: EnsembleDQN,
    size: int,
    seed: int = 0,
    episodes: int = BSUITE_EPISODES,
    *,
    stochastic: bool = False,
    progress: bool | str | None = None,
) -> Trial:
    """Play DeepSea until it is solved in bsuite's sense, or `episodes` are over.

    Solved: the share of bad episodes so far is below 0.8; see `solving_episode`. In the stochastic
    sea this counts from episode 100 on.

    Parameters
    ----------
    rule : EnsembleDQN
        The rule that plays.
    size : int
        N.
    seed : int
        0 or larger; the same seed gives the same run.
    episodes : int
        The largest number of episodes.
    stochastic : bool
        Whether moves and rewards are noisy.
    progress : bool or str, optional
        Whether to show a progress bar, or its label; by default only in a terminal.
    """
    model = DeepSea(size, stochastic=stochastic)
    agent = DeepAgent.for_model(model, rule, seed)
    most = require_whole("episodes", episodes)
    start = STOCHASTIC_START if stochastic else 1
    bad: list[bool] = []
    returns: list[float] = []
    bar = Progress(most, progress)
    solved = None
    for played in play(agent, model):
        bad.append(is_bad(model, played))
        returns.append(float(played.rewards.sum()))
        bar.show(len(bad))
        solved = solving_episode(bad, start=start)
        if solved is not None or len(bad) == most:
            break
    bar.close()
    return Trial(model.n_states, agent.seed, solved, np.array(bad), np.array(returns))


def is_bad(model: DeepSea, played: Played) -> bool:
    """Whether the agent was on the diagonal and went left."""
    rows = np.arange(model.n_states)
    on_diagonal = played.states == rows
    went_left = played.actions != model.right[rows, played.states]
    return bool((on_diagonal & went_left).any())
