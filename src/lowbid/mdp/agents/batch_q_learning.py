"""Batch Q-learning: tables instead of batches, and the lowest entry wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_whole
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._q_tables import choose_lowest, lowest_entry, plan_once, step_size
from lowbid.policies import About, Limits, real, whole


class State(NamedTuple):
    """How far returns stay below their bound, by batch and stage; the lowest; and the plan."""

    tables: Floats  # (stage, state, action, batch)
    counts: Floats  # (stage, state, action, batch)
    table: Floats  # the lowest of all batches, (stage, state, action)
    next_batch: Ints
    policy: Ints

    def limits(self, problem: Problem) -> Limits:
        """See `lowbid.policies._limits`."""
        yield "counts", real(0.0)
        yield "next_batch", whole(0, self.counts.shape[-1] - 1)


@allocating_kernel
def init(parameters: BatchQLearning, problem: Problem) -> State:
    """Start at the bound."""
    shape = (len(problem.slack), len(problem.actions), problem.actions.max())
    return State(
        tables=np.zeros((*shape, parameters.batches)),
        counts=np.zeros((*shape, parameters.batches)),
        table=np.zeros(shape),
        next_batch=np.zeros(shape, np.int64),
        policy=np.zeros((len(problem.slack), len(problem.actions)), np.int64),
    )


@kernel
def update(
    parameters: BatchQLearning,
    problem: Problem,
    state: State,
    stage: int,
    s: int,
    action: int,
    loss: float,
    next_s: int,
    stream: Stream,
) -> None:
    """Move the entry of one batch."""
    horizon = len(problem.slack)
    target = loss + problem.slack[stage]
    if stage + 1 < horizon:
        row = state.table[stage + 1, next_s, : problem.actions[next_s]]
        target += max(lowest_entry(row), 0.0)
    batch = state.next_batch[stage, s, action]
    state.next_batch[stage, s, action] = (batch + 1) % parameters.batches
    entries = state.tables[stage, s, action]
    state.counts[stage, s, action, batch] += 1.0
    step = step_size(0.0, horizon, state.counts[stage, s, action, batch])
    entries[batch] += step * (target - entries[batch])
    state.table[stage, s, action] = lowest_entry(entries)
    choose_lowest(parameters, problem, state, stage, s, stream)


@dataclass(frozen=True)
class BatchQLearning(Rule):
    r"""Batch Ensemble without a model: Q-learning with a table for each batch.

    The visits of each (stage, state, action) are dealt round-robin into l tables, which start at
    0, the best possible loss. At its n-th visit, a table is updated by

    .. math:: Q_{h,j}(s, a) \leftarrow (1 - \alpha_n) Q_{h,j}(s, a) + \alpha_n (x +
              V_{h+1}(s')), \quad \alpha_n = \frac{H + 1}{H + n},

    where :math:`V_h(s) = \max(0, \min_a \min_j Q_{h,j}(s, a))` is shared by all tables, and losses
    x are relative to the bound on returns. The action with the lowest entry is taken.

    Parameters
    ----------
    batches : int
        l.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.BatchQLearning(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    17.5

    References
    ----------
    .. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
       stochastic bandits. AAAI 39(15).
    """

    batches: int = 2

    about = About(
        family="ensemble",
        needs="a bound on returns",
        time="A + l",
        memory="H S A l",
        guarantee="",
        cite="cassel2026quantile,cassel2025batch",
    )
    kernels = Kernels(init, specialise(plan_once, choose=choose_lowest), update)

    def __post_init__(self) -> None:
        require_whole("batches", self.batches)
