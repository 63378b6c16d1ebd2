"""The environments in which rules for MDPs are compared."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from lowbid import mdp
from lowbid.environments import Arms, paper_test
from lowbid.experiments.names import nearest


class Place(NamedTuple):
    """An environment, and how long rules learn in it.

    Attributes
    ----------
    title : str
        Its title on the page.
    about : str
        A one-sentence description.
    make : function
        Makes the model.
    episodes : int
        The number of episodes of a run.
    quiet : bool
        Whether rewards have little or no noise.
    """

    title: str
    about: str
    make: Callable[[], mdp.Tabular]
    episodes: int
    quiet: bool


def _bandit() -> mdp.Tabular:
    """The paper's second test, in rewards: one state, one stage."""
    arms = paper_test(2)
    assert isinstance(arms, Arms)
    return mdp.Tabular(
        np.ones((1, arms.n_arms, 1)),
        rewards=1.0 - arms.means[np.newaxis],
        horizon=1,
        noise="bernoulli",
    )


_sea = functools.partial(functools.partial, mdp.DeepSea)

PLACES = {
    "river": Place("RiverSwim", "Osband's RiverSwim, 20 stages.", mdp.RiverSwim, 2000, True),
    "riverB": Place(
        "RiverSwim, coins",
        "The same, but rewards are 0 or 1.",
        functools.partial(mdp.RiverSwim, noise="bernoulli"),
        2000,
        False,
    ),
    "chain8": Place(
        "Chain 8", "Osband's chain of 8 states; rules know no bound on returns.", mdp.Chain, 2000,
        False,
    ),
    "chain16": Place(
        "Chain 16", "The same with 16 states; rules know that returns are at most 1.",
        functools.partial(mdp.Chain, 16, best_return=1.0), 3000, False,
    ),
    "sea10s": Place("DeepSea 10, noisy", "bsuite's stochastic DeepSea.", _sea(10, True), 3000,
                    False),
    "sea20s": Place("DeepSea 20, noisy", "The same with 20 rows.", _sea(20, True), 3000, False),
    "sea10H": Place(
        "DeepSea 10, no bound", "DeepSea without noise; rules know no bound on returns.",
        _sea(10, best_return=None), 2000, True,
    ),
    "sea20": Place("DeepSea 20", "DeepSea without noise; returns are at most 1.", _sea(20), 2000,
                   True),
    "garnet": Place(
        "Garnet", "A random MDP of 10 states with 3 actions, 10 stages, rewards 0 or 1.",
        mdp.Garnet, 5000, False,
    ),
    "grid": Place("Grid", "5 by 9 cells with a wall; a tenth of the moves slip.", mdp.Grid, 2000,
                  True),
    "six": Place("SixArms", "Six rooms: the harder one is to reach, the better it pays.",
                 mdp.SixArms, 3000, True),
    "bandit2": Place("Bandit", "The paper's second test as an MDP of one stage.", _bandit, 5000,
                     False),
}  # fmt: skip


def places_named(names: Iterable[str]) -> dict[str, Place]:
    """Some of the environments; all if no names are given."""
    known = {key.lower(): key for key in PLACES}
    found = [known[nearest("environment", name.lower(), known)] for name in names]
    return {key: PLACES[key] for key in dict.fromkeys(found) or PLACES}
