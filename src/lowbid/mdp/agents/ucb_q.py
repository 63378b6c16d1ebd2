"""UCB-Q: Q-learning with confidence bonuses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel, specialise
from lowbid._random import Stream
from lowbid._require import require_choice, require_finite, require_value
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents._q_tables import choose_lowest, lowest_entry, plan_once, step_size
from lowbid.policies import About


class Parameters(NamedTuple):
    """The parameters as the kernels read them."""

    scale: float
    log: float  # iota


class State(NamedTuple):
    """How far returns stay below their bound, by stage; visits; the plan; sums for variances."""

    table: Floats  # (stage, state, action)
    counts: Floats
    policy: Ints
    sums: Floats  # of the next values, (stage, state, action)
    squares: Floats
    widths: Floats  # beta of the last visit


@allocating_kernel
def init(parameters: Parameters, problem: Problem) -> State:
    """Start at the bound."""
    shape = (len(problem.slack), len(problem.actions), problem.actions.max())
    return State(
        table=np.zeros(shape),
        counts=np.zeros(shape),
        policy=np.zeros((len(problem.slack), len(problem.actions)), np.int64),
        sums=np.zeros(shape),
        squares=np.zeros(shape),
        widths=np.zeros(shape),
    )


@kernel
def hoeffding(
    parameters: Parameters, problem: Problem, state: State, stage: int, s: int, action: int,
    ahead: float, step: float,
) -> float:  # fmt: skip
    """The bonus c sqrt(H^3 iota / t)."""
    count = state.counts[stage, s, action]
    wide = math.sqrt(len(problem.slack) * parameters.log / count)
    return parameters.scale * problem.spans[0] * wide


@kernel
def bernstein(
    parameters: Parameters, problem: Problem, state: State, stage: int, s: int, action: int,
    ahead: float, step: float,
) -> float:  # fmt: skip
    """The bonus from the variance of next values, in units in which returns lie in [0, H]."""
    horizon, count, log = len(problem.slack), state.counts[stage, s, action], parameters.log
    pairs = len(problem.actions) * state.table.shape[2]
    unit = problem.spans[0] / horizon if problem.spans[0] > 0.0 else 1.0
    state.sums[stage, s, action] += ahead / unit
    state.squares[stage, s, action] += ahead / unit * (ahead / unit)
    mean = state.sums[stage, s, action] / count
    variance = max(state.squares[stage, s, action] / count - mean * mean, 0.0)
    seventh = float(horizon) * horizon * horizon * horizon * horizon * horizon * horizon
    width = math.sqrt(horizon * (variance + horizon) * log / count)
    width += math.sqrt(seventh * pairs) * log / count
    width = min(width, math.sqrt(horizon * horizon * (horizon * log) / count))
    width *= parameters.scale
    before = state.widths[stage, s, action]
    state.widths[stage, s, action] = width
    return unit * (width - (1.0 - step) * before) / (2.0 * step)


# The bonus that the template below is bound to.
bonus: Any = None


@kernel
def update_with_bonus(
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
    """Move the entry towards the loss plus what follows, minus the bonus."""
    horizon = len(problem.slack)
    ahead = 0.0
    if stage + 1 < horizon:
        row = state.table[stage + 1, next_s, : problem.actions[next_s]]
        ahead = max(lowest_entry(row), 0.0)
    state.counts[stage, s, action] += 1.0
    step = step_size(0.0, horizon, state.counts[stage, s, action])
    width = bonus(parameters, problem, state, stage, s, action, ahead, step)
    target = loss + problem.slack[stage] + ahead - width
    state.table[stage, s, action] += step * (target - state.table[stage, s, action])
    choose_lowest(parameters, problem, state, stage, s, stream)


plan = specialise(plan_once, choose=choose_lowest)
_KERNELS = {
    name: Kernels(init, plan, specialise(update_with_bonus, bonus=width))
    for name, width in {"hoeffding": hoeffding, "bernstein": bernstein}.items()
}


@dataclass(frozen=True)
class UCBQ(Rule):
    r"""Q-learning with upper confidence bounds.

    Q starts at :math:`U_h`, the bound on returns from stage h onwards. After the t-th visit of
    (s, a) at stage h,

    .. math:: Q_h(s, a) \leftarrow (1 - \alpha_t) Q_h(s, a) + \alpha_t (r + V_{h+1}(s') + b_t),
              \quad \alpha_t = \frac{H + 1}{H + t}, \quad V_h(s) = \min(U_h, \max_a Q_h(s, a)),

    where, with :math:`\iota = \log(S A T / p)` and T = K H steps in all, the bonus is

    - "hoeffding": :math:`b_t = c \sqrt{H^3 \iota / t}`;
    - "bernstein": :math:`b_t = (\beta_t - (1 - \alpha_t) \beta_{t-1}) / (2 \alpha_t)` with
      :math:`\beta_0 = 0`, :math:`\beta_t = c \min(\sqrt{H (W_t + H) \iota / t} + \sqrt{H^7 S A}
      \, \iota / t, \sqrt{H^3 \iota / t})`, where :math:`W_t` is the variance of the t next values.

    One H of the bonus stands for the width of the returns' range, which is H for rewards in [0, 1].
    The constants of the bonuses have not been checked against the text of the reference.

    Parameters
    ----------
    bonus : {"hoeffding", "bernstein"}
        Which :math:`b_t`.
    scale : float
        c; the reference requires some c > 0. With 1, nothing is learned on small problems.
    delta : float
        p: the bounds fail with probability at most this.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.UCBQ(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    13.1

    References
    ----------
    .. [1] C. Jin, Z. Allen-Zhu, S. Bubeck, M. I. Jordan (2018). Is Q-learning provably
       efficient? NeurIPS.
    """

    bonus: Literal["hoeffding", "bernstein"] = "hoeffding"
    scale: float = 0.01
    delta: float = 0.05

    about = About(
        family="Q-learning",
        needs="a bound on returns, K",
        time="A",
        memory="H S A",
        guarantee="sqrt(H^3 S A T), bernstein",
        cite="jin2018q",
    )
    kernels = _KERNELS["hoeffding"]
    needs_episodes = True

    def __post_init__(self) -> None:
        require_choice("bonus", self.bonus, tuple(_KERNELS))
        require_finite("scale", self.scale, above=0.0, or_equal=True)
        require_finite("delta", self.delta, above=0.0)
        require_value("delta", self.delta, self.delta < 1.0, "give a probability below 1.")

    @classmethod
    def variants(cls) -> list[Rule]:
        """Both bonuses."""
        return [cls(), cls(bonus="bernstein")]

    @property
    def functions(self) -> Kernels:
        """The functions of the chosen bonus."""
        return _KERNELS[self.bonus]

    def parameters(self, problem: Problem) -> Any:
        """The parameters as the kernels read them."""
        steps = problem.episodes * problem.horizon
        pairs = problem.n_states * problem.n_actions
        return Parameters(float(self.scale), math.log(pairs * steps / self.delta))
