"""Batch Ensemble for arms that change: whole batches are forgotten, oldest first.

Losses are dealt round-robin as usual. The window is divided into l equal parts, and at the end of
each the oldest batch of every arm is emptied: each batch lives as long as the window, and they take
turns to start again. Only one step per batch is stored, and no losses.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowbid import schedules
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid._require import require_value
from lowbid.policies import batch_ensemble
from lowbid.policies._arms import Start
from lowbid.policies._base import About, Ints, Kernels, Policy, require, require_whole
from lowbid.policies._batches import Batches, empty_batch
from lowbid.policies._forgetting import merge_refused
from lowbid.policies._ranking import Ranking
from lowbid.policies.batch_ensemble import BatchEnsemble, rank_all
from lowbid.policies.batch_ensemble import init as init_ensemble
from lowbid.policies.batch_ensemble import select as select_lowest

Parameters = namedtuple(  # type: ignore[misc]
    "Parameters", (*batch_ensemble.Parameters._fields, "part")
)


# The places of lifetimes: the last step before a batch is emptied; then since when each one lives.
_DUE, _BORN = 0, 1


class State(NamedTuple):
    """A Batch Ensemble, and the lifetimes of its batches."""

    batches: Batches
    ranking: Ranking
    lifetimes: Ints  # when batches are emptied, and when each started


@allocating_kernel
def init(parameters: Any, n_arms: int, capacity: int) -> State:
    """Start with empty batches that all live from now on."""
    state = init_ensemble(parameters, n_arms, capacity)
    lifetimes = lifetimes_of(len(parameters.growth_steps) - 1, parameters.part)
    return State(state.batches, state.ranking, lifetimes)


@kernel
def select(parameters: Any, state: Any, step: int, stream: Stream) -> int:
    """Empty batches whose time is over, and play the arm with the lowest index."""
    if is_due(state.lifetimes, step):
        forget(state.lifetimes, state.batches, parameters.part, step)
        rank_all(parameters, state)
    return select_lowest(parameters, state, step, stream)


@allocating_kernel
def lifetimes_of(batches: int, part: int) -> Ints:
    """Start all batches at step 1; one is emptied every `part` steps."""
    lifetimes = np.ones(_BORN + batches, np.int64)
    lifetimes[_DUE] = part
    return lifetimes


@kernel
def is_due(lifetimes: Ints, step: int) -> bool:
    """Whether a batch must be emptied before this step."""
    return step > lifetimes[_DUE]


@kernel
def forget(lifetimes: Ints, batches: Batches, part: int, step: int) -> None:
    """Empty the oldest batch of every arm, for each part of the window that is over."""
    while is_due(lifetimes, step):
        oldest = 0
        for batch in range(1, batches.in_use[0]):
            if lifetimes[_BORN + batch] < lifetimes[_BORN + oldest]:
                oldest = batch
        empty_batch(batches, oldest)
        lifetimes[_BORN + oldest] = lifetimes[_DUE] + 1
        lifetimes[_DUE] += part


def forget_while_away(lifetimes: Ints, away: Ints, batches: Batches, first_arm: int) -> None:
    """Empty what was due while arms were away, for all arms from `first_arm` on."""
    for batch in np.flatnonzero(lifetimes[_BORN:] != away[_BORN:]):
        batches.sums[first_arm:, batch] = 0.0
        batches.counts[first_arm:, batch] = 0.0


@dataclass(frozen=True)
class WindowedBatchEnsemble(BatchEnsemble):
    """Batch Ensemble that forgets whole batches, oldest first.

    Losses are dealt round-robin into l batches, and the rule is that of `BatchEnsemble`. Every
    τ / l steps the oldest batch of every arm is emptied and starts again. No loss is
    stored. A baseline that follows the losses is not forgotten.

    Parameters
    ----------
    window : int
        τ: the number of steps for which each batch lives.
    batches : int, Schedule or function
        l, or a function of the step, whose value at step `window` is l from the start.
    growth, padding, warmup, baseline, ties
        As in `BatchEnsemble`; the number of batches does not grow.

    Examples
    --------
    >>> import lowbid
    >>> phases = [lowbid.Bernoulli([0.2, 0.8]), lowbid.Bernoulli([0.8, 0.2])]
    >>> arms = lowbid.Switching(phases, after=[500])
    >>> policy = lowbid.WindowedBatchEnsemble(window=200, batches=2)
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    20.0

    References
    ----------
    .. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
       stochastic bandits. AAAI 39(15). Windows are ours.
    """

    window: int = 1000

    about = About(
        family="forgetting",
        needs="losses of mean 0 or more, or nothing with baseline='minimum', and how often the "
        "arms change",
        time="log K + l",
        memory="K l",
        guarantee="none is known",
        cite="cassel2025batch",
        pending=BatchEnsemble.about.pending,
    )
    kernels = Kernels(init, select, batch_ensemble.update)
    forgets = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("window", self.window)
        require(
            self.growth == "append",
            "growth is 'redistribute', which deals the whole history again, and a window forgets "
            "it; leave out growth.",
        )
        schedule = schedules.schedule_of(self.batches, None)
        if not (isinstance(schedule, schedules.HighProbability) and schedule.horizon is None):
            self._batches_in_use(None)

    @classmethod
    def variants(cls) -> list[Policy]:
        """The default window, and a short one."""
        return [cls(), cls(window=100, batches=2)]

    @property
    def stream_name(self) -> str:
        """That of `BatchEnsemble`, of which this was a parameter, to keep seeded results."""
        return super().stream_name.replace("WindowedBatchEnsemble", "BatchEnsemble", 1)

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Any:
        """The parameters that the kernels read."""
        batches = self._batches_in_use(horizon)
        steps = schedules.growth_steps(schedules.Fixed(batches), capacity)
        rule = super().parameters(n_arms, horizon, 1)._replace(growth_steps=steps)
        return Parameters._make([*rule, self.window // batches])

    def _batches_in_use(self, horizon: int | None) -> int:
        schedule = schedules.schedule_of(self.batches, horizon)
        batches = schedules.batches_at(schedule, self.window)
        allowed = f"give at least one step for each of {batches} batches."
        require_value("window", self.window, self.window >= batches, allowed)
        return batches

    def join(self, first: Any, second: Any, sizes: tuple[int, int], start: Start) -> Any:
        """See `Policy.join`; what was due while the second arms were away is emptied."""
        target: Any = super().join(first, second, sizes, start)
        forget_while_away(target.lifetimes, second.lifetimes, target.batches, first_arm=sizes[0])
        rank_all(self.parameters(sum(sizes), 1, 1), target)
        return target

    def merge(self, first: Any, second: Any) -> Any:
        """Refused: the order in time of the losses of two states is not known."""
        raise merge_refused(self.name)
