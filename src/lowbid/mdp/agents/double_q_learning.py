"""Double Q-learning: one table chooses an action, and the other evaluates it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._q_tables import act_with_exploration, exploration
from lowbid.mdp.agents.ebql import Parameters, init, plan, update
from lowbid.mdp.agents.q_learning import require_share, require_step
from lowbid.policies import About


@dataclass(frozen=True)
class DoubleQLearning(Rule):
    r"""Double Q-learning: `EBQL` with two members.

    A coin flip decides which of two tables learns, say A:

    .. math:: Q^A_h(s, a) \leftarrow Q^A_h(s, a) + \alpha \left(r + Q^B_{h+1}(s', \arg\max_{a'}
              Q^A_{h+1}(s', a')) - Q^A_h(s, a)\right).

    The action with the highest sum is taken, or with probability epsilon a uniform one.

    Parameters
    ----------
    epsilon : float
        In [0, 1].
    step : float, optional
        :math:`\alpha`; by default (H + 1) / (H + n) for a table's n-th update.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.DoubleQLearning(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    21.7

    References
    ----------
    .. [1] H. van Hasselt (2010). Double Q-learning. NeurIPS.
    """

    epsilon: float = 0.1
    step: float | None = None

    about = About(
        family="Q-learning",
        needs="nothing",
        time="A",
        memory="H S A",
        guarantee="",
        cite="vanhasselt2010double",
    )
    kernels = Kernels(init, plan, update, act_with_exploration, exploration)

    def __post_init__(self) -> None:
        require_share("epsilon", self.epsilon)
        require_step(self.step)

    def parameters(self, problem: Problem) -> Any:
        """The parameters as the kernels read them."""
        return Parameters(2, float(self.epsilon), float(self.step or 0.0))
