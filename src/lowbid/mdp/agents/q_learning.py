"""Q-learning with epsilon-greedy exploration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_finite, require_flag, require_value
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._q_tables import (
    act_with_exploration,
    choose_lowest,
    exploration,
    lowest_entry,
    plan_once,
    step_size,
)
from lowbid.policies import About


class Parameters(NamedTuple):
    """The parameters as the kernels read them."""

    epsilon: float
    step: float  # 0: (H + 1) / (H + n)
    optimistic: bool


class State(NamedTuple):
    """Negated returns by stage, visits, and the plan."""

    table: Floats  # (stage, state, action)
    counts: Floats
    policy: Ints


@allocating_kernel
def init(parameters: Parameters, problem: Problem) -> State:
    """Start at 0, or at the bound on returns."""
    horizon, states, actions = len(problem.slack), len(problem.actions), problem.actions.max()
    table = np.zeros((horizon, states, actions))
    if parameters.optimistic:
        for stage in range(horizon):
            table[stage] = -problem.bounds[stage]
    return State(
        table=table,
        counts=np.zeros((horizon, states, actions)),
        policy=np.zeros((horizon, states), np.int64),
    )


plan = specialise(plan_once, choose=choose_lowest)


@kernel
def update(
    parameters: Parameters,
    problem: Problem,
    state: State,
    stage: int,
    s: int,
    action: int,
    loss: float,
    next_s: int,
    stream: Stream,
) -> None:
    """Move the entry towards the reward plus the best value of what follows."""
    horizon = len(problem.slack)
    target = loss - problem.best_reward
    if stage + 1 < horizon:
        target += lowest_entry(state.table[stage + 1, next_s, : problem.actions[next_s]])
    state.counts[stage, s, action] += 1.0
    step = step_size(parameters.step, horizon, state.counts[stage, s, action])
    state.table[stage, s, action] += step * (target - state.table[stage, s, action])
    choose_lowest(parameters, problem, state, stage, s, stream)


@dataclass(frozen=True)
class QLearning(Rule):
    r"""Q-learning with occasional uniform actions.

    After a visit of (s, a) at stage h, the n-th,

    .. math:: Q_h(s, a) \leftarrow (1 - \alpha_n) Q_h(s, a) + \alpha_n (r + \max_{a'}
              Q_{h+1}(s', a')).

    The action with the highest Q is taken, or with probability epsilon a uniform one.

    Parameters
    ----------
    epsilon : float
        In [0, 1].
    step : float, optional
        :math:`\alpha`; by default (H + 1) / (H + n). Steps of 1/n learn far more slowly.
    optimistic : bool
        Whether Q starts at the bound on returns instead of at 0.

    Examples
    --------
    >>> from lowbid import mdp
    >>> rules = [mdp.QLearning(), mdp.QLearning(epsilon=0.0, optimistic=True)]
    >>> result = mdp.simulate(rules, mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(result.regret[:, :, -1].mean(axis=1).round(1))
    [18.4  9.9]

    References
    ----------
    .. [1] C. J. C. H. Watkins, P. Dayan (1992). Q-learning. Machine Learning 8.
    """

    epsilon: float = 0.1
    step: float | None = None
    optimistic: bool = False

    about = About(
        family="Q-learning",
        needs="nothing; a bound on returns if optimistic",
        time="A",
        memory="H S A",
        guarantee="",
        cite="watkins1992q",
    )
    kernels = Kernels(init, plan, update, act_with_exploration, exploration)

    def __post_init__(self) -> None:
        require_share("epsilon", self.epsilon)
        require_step(self.step)
        require_flag("optimistic", self.optimistic)

    @classmethod
    def variants(cls) -> list[Rule]:
        """Both starts, both kinds of steps."""
        return [cls(), cls(epsilon=0.0, optimistic=True), cls(step=0.1)]

    def parameters(self, problem: Problem) -> Any:
        """The parameters as the kernels read them."""
        return Parameters(float(self.epsilon), float(self.step or 0.0), bool(self.optimistic))


def require_share(name: str, value: float) -> None:
    """Refuse what is not a probability."""
    require_finite(name, value, above=0.0, or_equal=True)
    require_value(name, value, value <= 1.0, "give a probability from 0 to 1.")


def require_step(step: float | None) -> None:
    """Refuse what is not a step size."""
    if step is not None:
        require_finite("step", step, above=0.0)
        require_value("step", step, step <= 1.0, "give a number above 0, at most 1.")
