"""Published figures about episodic MDPs, and those of independent programs.

TabulaRL is Osband's own code, run independently of this library; it ignores the transitions of the
last stage, which costs it a little, so its figure may be off by 10%. The prototype is a program
that shares no code with this library. The shares of right choices in MetaChain are also the
prototype's: the share of its six chains in which the greedy action at the start is the right one,
after 4,000 episodes with step size 0.1. Much depends on the step size there: with n^-0.8, plain
Q-learning is best.
"""

from __future__ import annotations

import functools

import numpy as np

from lowbid import mdp
from lowbid._arrays import Floats
from lowbid.validation._episode_figure import EpisodeFigure

TABULA_RL = "TabulaRL (Osband), run independently"
PROTOTYPE = "independent prototype"
OSBAND = "Osband, Van Roy, Russo, Wen (2019): learning time about N^3"

_EPSILON = 0.1
_SIZES = (10, 20, 30, 40, 50)


def regret(rule: mdp.Rule, model: mdp.Tabular, episodes: int, runs: int, seed: int) -> Floats:
    """The regret of each run."""
    result = mdp.simulate(rule, model, episodes, runs, seed, checkpoints=[episodes], progress=False)
    return result.regret[0, :, -1]


def right_choices(rule: mdp.Rule, which: str, runs: int, seed: int) -> Floats:
    """The share of MetaChain's chains in which the greedy first action is right at the end.

    Determined from the visits in the last tenth of 4,000 episodes, excluding uniform actions.
    """
    model, until = mdp.MetaChain(), 4000
    late = [
        mdp.visits(
            mdp.simulate(rule, model, k, runs, seed, checkpoints=[k], progress=False), model
        )[0, :, 0]
        for k in (until - until // 10, until)
    ]
    means = np.array(model.means)
    taken = (late[1] - late[0])[:, : len(means), :2]  # (run, chain, left or right)
    right = np.where(means > 0.0, taken[..., 0], taken[..., 1]) / taken.sum(axis=2)
    greedy = (right - _EPSILON / 2.0) / (1.0 - _EPSILON)
    chosen = means > 0.0 if which == "above 0" else np.full(len(means), True)
    return greedy[:, chosen].mean(axis=1)


def learning_power(rule: mdp.Rule, runs: int, seed: int) -> Floats:
    """The power of N with which the learning time in DeepSea grows, from N = 10 to 50.

    That is the first episode by which the mean regret so far is below half of the optimum.
    """
    times = np.zeros((runs, len(_SIZES)))
    for i, size in enumerate(_SIZES):
        model, episodes = mdp.DeepSea(size), 4 * size**2
        result = mdp.simulate(
            rule, model, episodes, runs, seed, checkpoints=np.arange(1, episodes + 1),
            progress=False,
        )  # fmt: skip
        learned = result.regret[0] <= 0.5 * model.optimum * result.checkpoints
        learned[:, :size] = False
        times[:, i] = np.where(learned.any(axis=1), learned.argmax(axis=1) + 1.0, episodes)
    powers: Floats = np.polyfit(np.log(_SIZES), np.log(times).T, 1)[0]
    return powers


def found_treasure(rule: mdp.Rule, runs: int, seed: int) -> Floats:
    """1 for each run that found DeepSea 20's treasure in 2,000 episodes and returned, or 0."""
    model = mdp.DeepSea(20)
    lost = regret(rule, model, 2000, runs, seed)
    return (lost < 0.9 * 2000 * model.optimum).astype(np.float64)


_CHOICES = "MetaChain, right choices"


def _choice(rule: mdp.Rule, share: float, which: str = "all") -> EpisodeFigure:
    problem = _CHOICES if which == "all" else "MetaChain, right, mean > 0"
    return EpisodeFigure(
        PROTOTYPE, problem, rule.name, 4000, share,
        functools.partial(right_choices, rule, which), tolerance=0.02, most_runs=200,
    )  # fmt: skip


def _regret(
    source: str, rule: mdp.Rule, episodes: int, mean: float, error: float, share: float = 0.0
) -> EpisodeFigure:
    return EpisodeFigure(
        source, f"RiverSwim, {episodes} episodes", rule.name, episodes, mean,
        functools.partial(regret, rule, mdp.RiverSwim(), episodes), error, share * mean,
    )  # fmt: skip


CELLS = [
    _regret(TABULA_RL, mdp.PSRL(), 200, 155.1, 4.0, share=0.1),
    _regret(PROTOTYPE, mdp.PSRL(), 200, 164.9, 2.5),
    _regret(PROTOTYPE, mdp.PSRL(), 2000, 198.9, 2.3),
    _regret(PROTOTYPE, mdp.BatchEnsembleValueIteration(), 2000, 69.5, 1.3),
    _choice(mdp.QLearning(step=0.1), 0.954),
    _choice(mdp.DoubleQLearning(step=0.1), 0.792),
    _choice(mdp.DoubleQLearning(step=0.1), 0.585, "above 0"),
    _choice(mdp.EBQL(10, step=0.1), 0.984),
    _choice(mdp.EBQL(25, step=0.1), 0.979),
    EpisodeFigure(
        "dithering needs 2^(N-1) episodes", "DeepSea 20, treasure found",
        mdp.QLearning().name, 2000, 0.0, functools.partial(found_treasure, mdp.QLearning()),
        most_runs=20,
    ),
    EpisodeFigure(
        OSBAND, "DeepSea 10 to 50, power of N", mdp.RLSVI(variance=0.01).name, 10_000, 3.3,
        functools.partial(learning_power, mdp.RLSVI(variance=0.01)), at_most=True, most_runs=5,
    ),
]  # fmt: skip
