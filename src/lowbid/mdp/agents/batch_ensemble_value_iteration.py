"""Batch-ensemble value iteration: every batch bids, and the lowest bid is a state's value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid._require import require_choice, require_finite, require_value, require_whole
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp._visits import Visits, add_visit, deal, sum_ahead, visits_of
from lowbid.mdp.agents._plan import Agenda, agenda_of, planner
from lowbid.policies import About


class Parameters(NamedTuple):
    """The parameters as the kernels read them."""

    batches: int
    padding: float
    rank: int


class State(NamedTuple):
    """Visits in batches, and the plan.

    `values` is the common value of each stage and state, (stage + 1, state).
    """

    visits: Visits
    policy: Ints
    values: Floats
    bids: Floats
    estimates: Floats
    agenda: Agenda


@allocating_kernel
def init(parameters: Parameters, problem: Problem) -> State:
    """Start with empty batches."""
    horizon, states, batches = len(problem.slack), len(problem.actions), parameters.batches
    return State(
        visits=visits_of(problem, batches),
        policy=np.zeros((horizon, states), np.int64),
        values=np.zeros((horizon + 1, states)),
        bids=np.zeros(problem.actions.max()),
        estimates=np.zeros(batches),
        agenda=agenda_of(problem),
    )


@kernel
def estimate(
    parameters: Parameters,
    problem: Problem,
    visits: Visits,
    group: int,
    stage: int,
    s: int,
    action: int,
    batch: int,
    ahead: Floats,
) -> float:
    """A batch's padded mean of the loss and what follows, relative to the bound; 0 if empty."""
    count = visits.counts[group, s, action, batch]
    if count == 0.0:
        return 0.0
    total = visits.losses[group, s, action, batch] + count * problem.slack[stage]
    total += sum_ahead(visits, group, s, action, batch, ahead)
    return total / (count + parameters.padding)


@kernel
def ranked(estimates: Floats, rank: int) -> float:
    """The lowest, second lowest, ... of some numbers, which are sorted in place."""
    for i in range(1, len(estimates)):
        j = i
        while j > 0 and estimates[j] < estimates[j - 1]:
            estimates[j], estimates[j - 1] = estimates[j - 1], estimates[j]
            j -= 1
    return estimates[rank - 1]


@kernel
def bid(
    parameters: Parameters,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    action: int,
    episode: int,
    stream: Stream,
) -> float:
    """The lowest estimate of all batches, or the one of the given rank."""
    visits, ahead = state.visits, state.values[stage + 1]
    lowest = math.inf
    for batch in range(parameters.batches):
        value = estimate(parameters, problem, visits, group, stage, s, action, batch, ahead)
        lowest = min(lowest, value)
        state.estimates[batch] = value
    return lowest if parameters.rank == 1 else ranked(state.estimates, parameters.rank)


plan = planner(bid)


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
    """Deal the visit to one of the batches of its state and action."""
    group = group_of(problem, stage)
    batch = deal(state.visits, group, s, action)
    add_visit(state.visits, group, s, action, batch, loss, next_s)


@kernel
def fill_bids(
    parameters: Parameters,
    problem: Problem,
    visits: Visits,
    stage: int,
    values: Floats,
    table: Floats,
) -> None:
    """Write every batch's estimate of every action, (batch, state, action).

    `values` are each batch's values of the next stage, (batch, state).
    """
    group = group_of(problem, stage)
    for batch in range(parameters.batches):
        ahead = values[batch]
        for s in range(len(problem.actions)):
            for action in range(problem.actions[s]):
                table[batch, s, action] = estimate(
                    parameters, problem, visits, group, stage, s, action, batch, ahead
                )


READINGS = ("pairs", "global", "states", "episodes")


@dataclass(frozen=True)
class BatchEnsembleValueIteration(Rule):
    r"""Batch Ensemble for episodic MDPs, as the paper suggests, in four readings.

    The visits of each (state, action) are dealt round-robin into l batches. Batch j, which has c
    visits with losses x_i and next states s'_i, estimates the loss from stage h onwards by

    .. math:: \hat Q_{h,j}(s, a) = \frac{1}{c + p} \sum_i \left(x_i + V_{h+1}(s'_i)\right),

    and an empty batch by 0, the best possible. Losses are relative to the bound on returns: in
    terms of rewards, p visits with the best return are added. How batches are combined:

    - ``"pairs"``: they share one V. The value of an action is its lowest estimate,
      :math:`Q_h = \min_j \hat Q_{h,j}`, and :math:`V_h = \min_a Q_h`. It is the best in most
      experiments.
    - ``"global"``: each batch plans with its own :math:`V_j`, and bids a policy and its expected
      loss; the policy of the lowest bid is followed for the episode. This is what the paper says.
    - ``"states"``: each batch plans with its own :math:`V_j`; the lowest bid wins at each state.
    - ``"episodes"``: as "global", but whole episodes are dealt to the batches.

    A value below 0, which a bound on whole returns or unbounded noise can bring about, counts as 0
    in what batches expect to follow. With one state and one stage, "pairs" and "states" are
    `lowbid.BatchEnsemble`, choice by choice. Ties are broken uniformly at random, for all states,
    before the episode begins.

    Parameters
    ----------
    batches : int
        l. The regret grows nearly linearly with it; with 1 there is only padding, which gets stuck
        where rewards are noisy.
    padding : float
        p: added to a batch's count. Smaller values learn faster, but fail if they are too small; 0
        fails.
    rank : int
        Take the lowest estimate (1), the second lowest (2), ...; for "pairs" only.
    reading : {"pairs", "global", "states", "episodes"}
        How batches are combined.
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Examples
    --------
    >>> from lowbid import mdp
    >>> rule = mdp.BatchEnsembleValueIteration()
    >>> result = mdp.simulate(rule, mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    5.3

    References
    ----------
    .. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
       stochastic bandits. AAAI 39(15).
    """

    batches: int = 2
    padding: float = 1.0
    rank: int = 1
    reading: Literal["pairs", "global", "states", "episodes"] = "pairs"
    stationary: bool | None = None

    about = About(
        family="ensemble",
        needs="a bound on returns",
        time="S A l B",
        memory="S A l B",
        guarantee="",
        cite="cassel2026quantile,cassel2025batch",
    )
    kernels = Kernels(init, plan, update)

    def __post_init__(self) -> None:
        require_whole("batches", self.batches)
        require_finite("padding", self.padding, above=0.0, or_equal=True)
        require_whole("rank", self.rank)
        require_choice("reading", self.reading, READINGS)
        within = self.rank <= self.batches
        allowed = f"there are {self.batches} batches; give a rank up to that."
        require_value("rank", self.rank, within, allowed)
        pairs = self.rank == 1 or self.reading == "pairs"
        require_value("rank", self.rank, pairs, "it applies to the reading 'pairs'; choose that.")

    @classmethod
    def variants(cls) -> list[Rule]:
        """All readings, a rank, and visits that are not pooled."""
        return [
            cls(),
            cls(reading="global"),
            cls(reading="states"),
            cls(reading="episodes"),
            cls(batches=4, rank=2, padding=0.5),
            cls(stationary=False),
        ]

    @property
    def functions(self) -> Kernels:
        """The functions of the reading."""
        from lowbid.mdp.agents import _readings

        return _readings.KERNELS.get(self.reading, self.kernels)

    def bids(self, problem: Problem, state: Any, stage: int = 0) -> Floats:
        """Each batch's estimate of each action from a stage onwards, (batch, state, action).

        The estimates are those of the last plan, as returns, or as negated losses if the agent has
        losses. Actions that do not exist have NaN.

        Examples
        --------
        >>> from lowbid import mdp
        >>> agent = mdp.Agent(1, 2, horizon=1, reward_range=(0, 1))
        >>> agent.begin(0)
        >>> first = agent.act()
        >>> agent.update(reward=0.5, next_state=0)
        >>> agent.rule.bids(agent.problem, agent.state)[:, 0, first]
        array([0.75, 1.  ])
        """
        shape = (self.batches, problem.n_states, problem.n_actions)
        table = np.full(shape, np.nan)
        if self.reading == "pairs":
            values = np.tile(state.values[stage + 1], (self.batches, 1))
        else:
            values = np.ascontiguousarray(state.batch_values[:, stage + 1])
        fill_bids(self.parameters(problem), problem, state.visits, stage, values, table)
        return problem.bounds[stage] - table

    def parameters(self, problem: Problem) -> Any:
        """The parameters as the kernels read them."""
        return Parameters(int(self.batches), float(self.padding), int(self.rank))
