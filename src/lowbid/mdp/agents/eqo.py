"""EQO: a bonus in inverse proportion to the count."""

from __future__ import annotations

from dataclasses import dataclass

from lowbid._compile import kernel
from lowbid._random import Stream
from lowbid._require import require_finite
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._model_based import State, count_of, init, total_above_bound, update
from lowbid.mdp.agents._plan import planner
from lowbid.policies import About


@kernel
def bid(
    parameters: EQO,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    action: int,
    episode: int,
    stream: Stream,
) -> float:
    """The mean, minus a bonus."""
    count = count_of(state, group, s, action)
    if count == 0.0:
        return 0.0
    total = total_above_bound(problem, state, group, stage, s, action)
    return (total - parameters.scale * problem.spans[0]) / count


@dataclass(frozen=True)
class EQO(Rule):
    r"""Exploration via quasi-optimism.

    With n visits of (s, a), their mean reward :math:`\hat r` and the frequencies :math:`\hat P` of
    next states,

    .. math:: Q_h(s, a) = \hat r + \hat P V_{h+1} + c / n,

    at most the bound on returns, which is the value of actions not yet taken.

    Parameters
    ----------
    scale : float
        c, in units of the width of the range of returns.
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Notes
    -----
    The reference lets c depend on the episode; here it is a constant to choose.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.EQO(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    4.6

    References
    ----------
    .. [1] H. Lee, M. Oh (2025). Minimax optimal reinforcement learning with quasi-optimism. ICLR.
    """

    scale: float = 1.0
    stationary: bool | None = None

    about = About(
        family="optimism",
        needs="a bound on returns",
        time="S A B",
        memory="S A B",
        guarantee="minimax optimal, by its abstract",
        cite="lee2025minimax",
    )
    kernels = Kernels(init, planner(bid), update)

    def __post_init__(self) -> None:
        require_finite("scale", self.scale, above=0.0, or_equal=True)
