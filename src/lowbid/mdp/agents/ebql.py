"""EBQL: one member of an ensemble chooses an action, and the others evaluate it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream, integer
from lowbid._require import require_whole
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._q_tables import act_with_exploration, exploration, plan_once, step_size
from lowbid.mdp.agents.q_learning import require_share, require_step
from lowbid.policies import About, argmin


class Parameters(NamedTuple):
    """The parameters as the kernels read them."""

    members: int
    epsilon: float
    step: float  # 0: (H + 1) / (H + n)


class State(NamedTuple):
    """Negated returns by member and stage, each member's updates, and the plan."""

    tables: Floats  # (member, stage, state, action)
    counts: Floats
    sums: Floats
    policy: Ints


@allocating_kernel
def init(parameters: Parameters, problem: Problem) -> State:
    """Start at 0."""
    horizon, states, actions = len(problem.slack), len(problem.actions), problem.actions.max()
    members = parameters.members
    return State(
        tables=np.zeros((members, horizon, states, actions)),
        counts=np.zeros((members, horizon, states, actions)),
        sums=np.zeros(actions),
        policy=np.zeros((horizon, states), np.int64),
    )


@kernel
def choose(
    parameters: Parameters, problem: Problem, state: State, stage: int, s: int, stream: Stream
) -> None:
    """Plan the action with the lowest sum over all members."""
    sums: Floats = state.sums[: problem.actions[s]]
    for action in range(len(sums)):
        sums[action] = 0.0
        for member in range(parameters.members):
            sums[action] += state.tables[member, stage, s, action]
    state.policy[stage, s] = argmin(sums, True, stream)


plan = specialise(plan_once, choose=choose)


@kernel
def value_by_others(
    parameters: Parameters, problem: Problem, state: State, k: int, stage: int, s: int,
    stream: Stream,
) -> float:  # fmt: skip
    """The other members' estimate of the action that member k considers best."""
    favourite = argmin(state.tables[k, stage, s, : problem.actions[s]], True, stream)
    total = 0.0
    for member in range(parameters.members):
        if member != k:
            total += state.tables[member, stage, s, favourite]
    return total / (parameters.members - 1)


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
    """Let one member learn from the others' estimates."""
    horizon = len(problem.slack)
    k = integer(stream, parameters.members)
    target = loss - problem.best_reward
    if stage + 1 < horizon:
        target += value_by_others(parameters, problem, state, k, stage + 1, next_s, stream)
    state.counts[k, stage, s, action] += 1.0
    step = step_size(parameters.step, horizon, state.counts[k, stage, s, action])
    state.tables[k, stage, s, action] += step * (target - state.tables[k, stage, s, action])
    choose(parameters, problem, state, stage, s, stream)


@dataclass(frozen=True)
class EBQL(Rule):
    r"""Ensemble bootstrapped Q-learning.

    There are M tables. After a visit of (s, a) at stage h, a member k is drawn, which learns from
    the others' estimates of the action that it considers best, :math:`\hat a = \arg\max_{a'}
    Q^k_{h+1}(s', a')`:

    .. math:: Q^k_h(s, a) \leftarrow Q^k_h(s, a) + \alpha \left(r + \frac{1}{M - 1} \sum_{j \ne k}
              Q^j_{h+1}(s', \hat a) - Q^k_h(s, a)\right).

    The action with the highest sum over all members is taken, or with probability epsilon a
    uniform one.

    Parameters
    ----------
    members : int
        M, 2 or more; 2 is `DoubleQLearning`.
    epsilon : float
        In [0, 1].
    step : float, optional
        :math:`\alpha`; by default (H + 1) / (H + n) for a member's n-th update.

    Examples
    --------
    >>> from lowbid import mdp
    >>> rules = [mdp.EBQL(step=0.1), mdp.DoubleQLearning(step=0.1)]
    >>> result = mdp.simulate(rules, mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(result.regret[:, :, -1].mean(axis=1).round(1))
    [17.5 15.5]

    References
    ----------
    .. [1] O. Peer, C. Tessler, N. Merlis, R. Meir (2021). Ensemble bootstrapping for Q-learning.
       ICML.
    """

    members: int = 10
    epsilon: float = 0.1
    step: float | None = None

    about = About(
        family="Q-learning",
        needs="nothing",
        time="A M",
        memory="H S A M",
        guarantee="",
        cite="peer2021ensemble",
    )
    kernels = Kernels(init, plan, update, act_with_exploration, exploration)

    def __post_init__(self) -> None:
        require_whole("members", self.members, at_least=2)
        require_share("epsilon", self.epsilon)
        require_step(self.step)

    def parameters(self, problem: Problem) -> Any:
        """The parameters as the kernels read them."""
        return Parameters(int(self.members), float(self.epsilon), float(self.step or 0.0))
