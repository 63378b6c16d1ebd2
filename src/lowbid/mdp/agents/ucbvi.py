"""UCBVI: value iteration with confidence bonuses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, from_start, kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_choice, require_finite, require_value
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem, group_of
from lowbid.mdp._visits import (
    Averages,
    Visits,
    average,
    averages_of,
    visits_of,
)
from lowbid.mdp.agents._model_based import count_of
from lowbid.mdp.agents._model_based import update as count_visit
from lowbid.mdp.agents._plan import Agenda, agenda_of, planner
from lowbid.policies import About, Limits, whole


class Parameters(NamedTuple):
    """The parameters as the kernels read them."""

    scale: float
    log: float  # L
    many: float  # the last term decreases after this many visits of a state at a stage


class State(NamedTuple):
    """Visits, what bids need to know about them, the plan, estimates, and visits by stage."""

    visits: Visits
    averages: Averages
    widths: Floats  # the part of the bonus that depends on counts alone, (group, state, action)
    slopes: Floats  # the factor of the standard deviation of the next value
    doubts: Floats  # the last term, as long as no next state has been visited many times
    policy: Ints
    values: Floats
    bids: Floats
    estimates: Floats  # (stage, state, action)
    stage_visits: Floats  # (stage + 1, state)
    path: Ints  # the state last visited at each stage if its visits count, (stage + 1,)
    agenda: Agenda

    def limits(self, problem: Problem) -> Limits:
        """See `lowbid.policies._limits`."""
        yield "path", whole(-1, len(problem.actions) - 1)


@allocating_kernel
def init(parameters: Parameters, problem: Problem) -> State:
    """Start at the bound."""
    horizon, states, actions = len(problem.slack), len(problem.actions), problem.actions.max()
    pairs = (problem.groups, states, actions)
    return State(
        visits=visits_of(problem, 1),
        averages=averages_of(problem),
        widths=np.zeros(pairs),
        slopes=np.zeros(pairs),
        doubts=np.zeros(pairs),
        policy=np.zeros((horizon, states), np.int64),
        values=np.zeros((horizon + 1, states)),
        bids=np.zeros(actions),
        estimates=np.zeros((horizon, states, actions)),
        stage_visits=np.zeros((horizon + 1, states)),
        path=np.full(horizon + 1, -1),
        agenda=agenda_of(problem),
    )


@kernel
def measure_hoeffding(
    parameters: Parameters, problem: Problem, state: State, group: int, s: int, action: int
) -> None:
    """7 H L / sqrt(n)."""
    width = 7.0 * problem.spans[0] * parameters.log
    width /= math.sqrt(count_of(state, group, s, action))
    state.widths[group, s, action] = parameters.scale * width


@kernel
def measure_bernstein(
    parameters: Parameters, problem: Problem, state: State, group: int, s: int, action: int
) -> None:
    """The parts of the bonus that do not depend on the values of next states."""
    count, span, log = count_of(state, group, s, action), problem.spans[0], parameters.log
    root = parameters.scale * math.sqrt(8.0 / count)
    state.doubts[group, s, action] = span * root
    width = parameters.scale * 14.0 * span * log / (3.0 * count)
    state.widths[group, s, action] = width + span * root
    state.slopes[group, s, action] = root * math.sqrt(log)


@kernel
def no_spread(
    parameters: Parameters, state: State, group: int, stage: int, s: int, action: int, episode: int,
    variance: float,
) -> float:  # fmt: skip
    """Zero: the bonus depends on counts alone."""
    return 0.0


@kernel
def spread(
    parameters: Parameters, state: State, group: int, stage: int, s: int, action: int, episode: int,
    variance: float,
) -> float:  # fmt: skip
    """The part of the bonus that depends on the values of next states."""
    added = state.slopes[group, s, action] * math.sqrt(max(variance, 0.0))
    if episode > parameters.many:
        added -= state.doubts[group, s, action] * (
            1.0 - math.sqrt(doubt(parameters, state, group, stage, s, action))
        )
    return added


@kernel
def doubt(
    parameters: Parameters, state: State, group: int, stage: int, s: int, action: int
) -> float:
    """The mean over next states in the last term, as a fraction of its largest value."""
    visits, total = state.visits, 0.0
    for i in range(visits.known[group, s, action]):
        there = state.stage_visits[stage + 1, visits.successors[group, s, action, i]]
        part = parameters.many / there if there > parameters.many else 1.0
        total += state.averages.frequencies[group, s, action, i] * part
    return total


# The parts of the bonus that the templates below are bound to.
measure: Any = None
spread_of: Any = None


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
    visits, averages, ahead = state.visits, state.averages, state.values[stage + 1]
    known = visits.known[group, s, action]
    if known == 0:
        return 0.0
    successors = visits.successors[group, s, action]
    frequencies, mean, square = averages.frequencies[group, s, action], 0.0, 0.0
    for i in range(known):
        value = ahead[from_start(successors[i])]
        part = frequencies[i] * value
        mean += part
        square += part * value
    now = averages.losses[group, s, action] + problem.slack[stage] + mean
    now -= state.widths[group, s, action]
    variance = square - mean * mean
    now -= spread_of(parameters, state, group, stage, s, action, episode, variance)
    now = max(now, state.estimates[stage, s, action])
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
    """Count the visit, and update what bids at all stages use."""
    state.stage_visits[stage, s] += 1.0
    state.path[stage] = s if state.stage_visits[stage, s] > parameters.many else -1
    count_visit(parameters, problem, state, stage, s, action, loss, next_s, stream)
    group = group_of(problem, stage)
    average(state.visits, state.averages, group, s, action, 0.0, 0.0)
    measure(parameters, problem, state, group, s, action)


@kernel
def visited_last(state: State, stage: int) -> int:
    """The state whose visits at a stage, and with them bonuses, changed."""
    return state.path[stage]


_KERNELS = {
    name: Kernels(
        init,
        planner(specialise(bid, spread_of=spread_of), changed_anyway=visited_last),
        specialise(update, measure=measure),
    )
    for name, measure, spread_of in (
        ("hoeffding", measure_hoeffding, no_spread),
        ("bernstein", measure_bernstein, spread),
    )
}


@dataclass(frozen=True)
class UCBVI(Rule):
    r"""Upper confidence bounds by value iteration.

    With n visits of (s, a) and :math:`L = \ln(5 S A T / \delta)`, T = K H steps in all,

    .. math:: Q_h(s, a) = \min(Q_h(s, a), U_h, \hat r + \hat P V_{h+1} + b)

    where Q on the right is that of the previous episode, and b is c times

    - :math:`7 H L / \sqrt n` ("hoeffding", the paper's UCBVI-CH), or
    - :math:`\sqrt{8 L \mathrm{Var}_{\hat P} V_{h+1} / n} + 14 H L / (3 n) + \sqrt{8 \sum_y
      \hat P(y) \min(100^2 H^3 S^2 A L^2 / N'_{h+1}(y), H^2) / n}` ("bernstein", UCBVI-BF), where
      :math:`N'_{h+1}(y)` counts the visits of y at the next stage.

    :math:`U_h`, the bound on returns from stage h onwards, takes the place of the paper's H; it is
    the value of actions not yet taken. In b, H as a bound on returns is replaced by the width of
    their range, which is H for rewards in [0, 1]. The paper assumes that mean rewards are known;
    here they are estimated.

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
        cite="azar2017minimax",
    )
    kernels = _KERNELS["bernstein"]
    needs_episodes = True

    def __post_init__(self) -> None:
        require_choice("bonus", self.bonus, tuple(_KERNELS))
        require_finite("scale", self.scale, above=0.0, or_equal=True)
        require_finite("delta", self.delta, above=0.0)
        require_value("delta", self.delta, self.delta < 1.0, "give a probability below 1.")

    @classmethod
    def variants(cls) -> list[Rule]:
        """Both bonuses."""
        return [cls(), cls(bonus="hoeffding", scale=0.001)]

    @property
    def functions(self) -> Kernels:
        """The functions of the chosen bonus."""
        return _KERNELS[self.bonus]

    def parameters(self, problem: Problem) -> Any:
        """The parameters as the kernels read them."""
        steps = problem.episodes * problem.horizon
        pairs = problem.n_states * problem.n_actions
        log = math.log(5.0 * pairs * steps / self.delta)
        many = 100.0**2 * problem.horizon * problem.n_states * pairs * log**2
        return Parameters(float(self.scale), log, many)
