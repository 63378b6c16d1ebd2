"""UCBVI: value iteration with confidence bonuses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from lowbid._kernel import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid._require import require, require_choice, require_finite
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._model_based import count_of, total_above_bound
from lowbid.mdp.agents._model_based import update as count_visit
from lowbid.mdp.agents._plan import Agenda, agenda_of, planner
from lowbid.mdp.agents._visits import Visits, visits_of
from lowbid.policies._base import About, Floats, Ints

BIBTEX = r"""
@inproceedings{azar2017minimax,
  title = {Minimax Regret Bounds for Reinforcement Learning},
  author = {Azar, Mohammad Gheshlaghi and Osband, Ian and Munos, R{\'e}mi},
  booktitle = {International Conference on Machine Learning},
  year = {2017},
}
"""


class Parameters(NamedTuple):
    """What the kernels read."""

    scale: float
    log: float  # L


class State(NamedTuple):
    """Visits, the plan, the estimates of the last episode, and visits by stage."""

    visits: Visits
    policy: Ints
    values: Floats
    bids: Floats
    estimates: Floats  # (stage, state, action)
    stage_visits: Floats  # (stage + 1, state)
    path: Ints  # the state last visited at each stage, (stage + 1,)
    agenda: Agenda


@allocating_kernel
def init(parameters: Parameters, problem: Problem) -> State:
    """Start at the bound."""
    horizon, states, actions = len(problem.slack), len(problem.actions), problem.actions.max()
    return State(
        visits=visits_of(problem, 1),
        policy=np.zeros((horizon, states), np.int64),
        values=np.zeros((horizon + 1, states)),
        bids=np.zeros(actions),
        estimates=np.zeros((horizon, states, actions)),
        stage_visits=np.zeros((horizon + 1, states)),
        path=np.full(horizon + 1, -1),
        agenda=agenda_of(problem),
    )


@kernel
def hoeffding(
    parameters: Parameters,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    action: int,
) -> float:
    """7 H L / sqrt(n)."""
    count = count_of(state, group, s, action)
    return 7.0 * problem.spans[0] * parameters.log / math.sqrt(count)


@kernel
def bernstein(
    parameters: Parameters,
    problem: Problem,
    state: State,
    group: int,
    stage: int,
    s: int,
    action: int,
) -> float:
    """The bonus from the variances of the next value and of its estimate."""
    count, span, log = count_of(state, group, s, action), problem.spans[0], parameters.log
    states, actions = len(problem.actions), problem.actions.max()
    wide = 10_000.0 * len(problem.slack) * states * states * actions * log * log
    visits, ahead = state.visits, state.values[stage + 1]
    mean = square = doubt = 0.0
    for i in range(visits.known[group, s, action]):
        next_s = visits.successors[group, s, action, i]
        chance = visits.arrivals[group, s, action, i, 0] / count
        mean += chance * ahead[next_s]
        square += chance * ahead[next_s] * ahead[next_s]
        there = state.stage_visits[stage + 1, next_s]
        # Few states are visited often enough for this not to be 1, and divisions are slow.
        doubt += chance * (wide / there) if there > wide else chance
    variance = max(square - mean * mean, 0.0)
    return (
        math.sqrt(8.0 * log * variance / count)
        + 14.0 * span * log / (3.0 * count)
        + span * math.sqrt(8.0 * doubt / count)
    )


# The bonus that the template below is bound to.
bonus: Any = None


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
    """The mean, minus the bonus; it never decreases from one episode to the next."""
    count = count_of(state, group, s, action)
    if count == 0.0:
        return 0.0
    mean = total_above_bound(problem, state, group, stage, s, action) / count
    width = parameters.scale * bonus(parameters, problem, state, group, stage, s, action)
    now = max(mean - width, state.estimates[stage, s, action])
    state.estimates[stage, s, action] = now
    return now


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
    """Count the visit."""
    state.stage_visits[stage, s] += 1.0
    state.path[stage] = s
    count_visit(parameters, problem, state, stage, s, action, loss, next_s, stream)


@kernel
def visited_last(state: State, stage: int) -> int:
    """The state whose visits at a stage, and with them bonuses, changed."""
    return state.path[stage]


_KERNELS = {
    name: Kernels(init, planner(specialise(bid, bonus=width), changed_anyway=visited_last), update)
    for name, width in {"hoeffding": hoeffding, "bernstein": bernstein}.items()
}


@dataclass(frozen=True)
class UCBVI(Rule):
    r"""Upper confidence bounds by value iteration.

    With n visits of (s, a) and :math:`L = \ln(5 S A T / \delta)`, T = K H steps in all,

    .. math:: Q_h(s, a) = \min(Q_h(s, a), H, \hat r + \hat P V_{h+1} + b)

    where Q on the right is that of the episode before, and b is c times

    - :math:`7 H L / \sqrt n` ("hoeffding", the paper's UCBVI-CH), or
    - :math:`\sqrt{8 L \mathrm{Var}_{\hat P} V_{h+1} / n} + 14 H L / (3 n) + \sqrt{8 \sum_y
      \hat P(y) \min(100^2 H^3 S^2 A L^2 / N'_{h+1}(y), H^2) / n}` ("bernstein", UCBVI-BF), where
      :math:`N'_{h+1}(y)` counts the visits of y at the next stage.

    H as a bound on returns is replaced by the width of their range, which is H for rewards in
    [0, 1]. The paper knows the mean rewards; here they are estimated.

    Parameters
    ----------
    bonus : {"bernstein", "hoeffding"}
        Which b.
    scale : float
        c. With the paper's 1, nothing is learned in thousands of episodes of small problems.
    delta : float
        The bounds fail with probability at most this.
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.UCBVI(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    7.4

    References
    ----------
    .. [1] M. G. Azar, I. Osband, R. Munos (2017). Minimax regret bounds for reinforcement
       learning. ICML.
    """

    bonus: Literal["bernstein", "hoeffding"] = "bernstein"
    scale: float = 0.01
    delta: float = 0.05
    stationary: bool | None = None

    about = About(
        family="optimism",
        needs="a bound on returns, K",
        time="S A B",
        memory="S A (B + H)",
        guarantee="sqrt(H S A T) + H^2 S^2 A + H sqrt(T), bernstein",
        bibtex=BIBTEX,
    )
    kernels = _KERNELS["bernstein"]
    needs_episodes = True

    def __post_init__(self) -> None:
        require_choice("bonus", self.bonus, tuple(_KERNELS))
        require_finite("scale", self.scale, above=0.0, or_equal=True)
        require_finite("delta", self.delta, above=0.0)
        require(self.delta < 1.0, f"delta is {self.delta!r}; give a probability below 1.")

    @classmethod
    def variants(cls) -> list[Rule]:
        """Both bonuses."""
        return [cls(), cls(bonus="hoeffding", scale=0.001)]

    @property
    def functions(self) -> Kernels:
        """The functions of the chosen bonus."""
        return _KERNELS[self.bonus]

    def parameters(self, problem: Problem) -> Any:
        """What the kernels read."""
        steps = problem.episodes * problem.horizon
        pairs = problem.n_states * problem.n_actions
        return Parameters(float(self.scale), math.log(5.0 * pairs * steps / self.delta))
