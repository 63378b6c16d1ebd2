"""Certainty equivalence: plan as if the empirical model were the truth."""

from __future__ import annotations

from dataclasses import dataclass

from lowbid._compile import kernel
from lowbid._random import Stream
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._model_based import State, count_of, init, total_negated, update
from lowbid.mdp.agents._plan import UNBOUNDED, planner
from lowbid.policies import About


@kernel
def bid(
    parameters: CertaintyEquivalence,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    action: int,
    episode: int,
    stream: Stream,
) -> float:
    """The negated mean return; 0 before the first visit."""
    count = count_of(state, group, s, action)
    if count == 0.0:
        return 0.0
    return total_negated(problem, state, group, stage, s, action) / count


@dataclass(frozen=True)
class CertaintyEquivalence(Rule):
    r"""Value iteration in the empirical model, without exploration.

    .. math:: Q_h(s, a) = \hat r(s, a) + \hat P(s, a) V_{h+1}

    and 0 for actions not yet taken. Where rewards are positive, it gets stuck at once; it serves as
    the baseline that all others improve on.

    Parameters
    ----------
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Examples
    --------
    >>> from lowbid import mdp
    >>> rule = mdp.CertaintyEquivalence()
    >>> result = mdp.simulate(rule, mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    4.6

    References
    ----------
    .. [1] P. Mandl (1974). Estimation and control in Markov chains. Advances in Applied
       Probability 6.
    """

    stationary: bool | None = None

    about = About(
        family="greedy",
        needs="nothing",
        time="S A B",
        memory="S A B",
        guarantee="linear regret",
        cite="mandl1974estimation",
    )
    kernels = Kernels(init, planner(bid, UNBOUNDED), update)
