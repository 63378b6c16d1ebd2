"""Quantile of Means: a low quantile of the batches' estimates, instead of the lowest."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lowbid import schedules
from lowbid._compile import kernel, specialise
from lowbid._random import Stream
from lowbid.policies import batch_ensemble
from lowbid.policies._base import About, Kernels, Policy, require_finite
from lowbid.policies._batches import (
    Batches,
    add_loss,
    count_of,
    filled_in,
    next_batch,
    pending_of,
    sum_of,
)
from lowbid.policies._ensemble import hold_by_index, rank_by_index
from lowbid.policies._ranking import place
from lowbid.policies.batch_ensemble import BatchEnsemble, State, estimate

DEFAULT_SCHEDULE = schedules.Logarithmic(1.6, least=4)
# A quantile times a number of batches may be off by rounding.
_ROUNDING = 1e-9

Parameters = namedtuple(  # type: ignore[misc]
    "Parameters", (*batch_ensemble.Parameters._fields, "quantile")
)


@kernel
def index(parameters: Any, batches: Batches, arm: int) -> float:
    """The quantile of an arm's estimates; the lowest while a batch warms up."""
    low, shared = next_estimate(parameters, batches, arm, math.nan)
    if low > -math.inf:
        rank = math.ceil(parameters.quantile * batches.in_use[0] - _ROUNDING)
        while shared < rank:
            low, more = next_estimate(parameters, batches, arm, low)
            shared += more
    return low


@kernel
def next_estimate(parameters: Any, batches: Batches, arm: int, above: float) -> tuple[float, int]:
    """The lowest of an arm's estimates above a number, and how many batches share it.

    Pending losses count in every batch as if they were the arm's mean.
    """
    pending, filled = pending_of(batches, arm), filled_in(batches, arm)
    lowest, shared = math.inf, 0
    for batch in range(batches.in_use[0]):
        total, count = sum_of(batches, arm, batch), count_of(batches, arm, batch)
        value = estimate(parameters, total + filled, count + pending)
        if value <= above:
            continue
        if value < lowest:
            lowest, shared = value, 1
        elif value == lowest:
            shared += 1
    return lowest, shared


rank_all = specialise(rank_by_index, index=index)
prepare = specialise(batch_ensemble.prepare, rank_all=rank_all)


@kernel
def update(parameters: Any, state: State, arm: int, loss: float, step: int, stream: Stream) -> None:
    """Deal the loss to one of the arm's batches."""
    prepare(parameters, state, arm, loss)
    add_loss(state.batches, arm, next_batch(state.batches, arm), loss)
    place(state.ranking, arm, index(parameters, state.batches, arm))


@dataclass(frozen=True)
class QuantileOfMeans(BatchEnsemble):
    r"""Quantile of Means: `BatchEnsemble` with a low quantile of the estimates as an arm's index.

    The index of an arm is the :math:`\lceil \alpha l \rceil`-th lowest of the estimates
    :math:`s / (c + 1)` of its l batches. Only the reference's abstract and notes on it were
    available, so nothing is claimed about the :math:`\alpha` and the number of batches that its
    theorems require; the defaults are those of our league.

    Parameters
    ----------
    quantile : float
        :math:`\alpha`, above 0 and at most 1.
    batches, growth, padding, warmup, baseline, ties
        As in `BatchEnsemble`.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> policy = lowbid.QuantileOfMeans(quantile=0.3, batches=8)
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    11.4

    References
    ----------
    .. [1] A. Cassel, A. Rosenberg (2026). Quantile of Means: a bonus-free ensemble method for
       minimax optimal reinforcement learning. arXiv 2606.20107.
    """

    batches: int | Callable[[int], int] = DEFAULT_SCHEDULE
    padding: float = 1.0
    quantile: float = 0.25

    about = About(
        family="ensemble",
        needs="losses of mean 0 or more, or nothing with baseline='minimum'",
        time="log K + l^2",
        memory="K l; with growth='redistribute' also t",
        guarantee="not known to us for bandits",
        cite="cassel2026quantile",
        pending=BatchEnsemble.about.pending,
    )
    kernels = Kernels(
        specialise(batch_ensemble.init, rank_all=rank_all),
        specialise(batch_ensemble.select, rank_all=rank_all),
        update,
    )
    hold = specialise(hold_by_index, index=index)
    rank_all = rank_all

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite("quantile", self.quantile, above=0.0, at_most=1.0)

    @classmethod
    def variants(cls) -> list[Policy]:
        """The defaults, and a fixed number of batches."""
        return [cls(), cls(quantile=0.3, batches=8)]

    @property
    def stream_name(self) -> str:
        """That of `BatchEnsemble`, of which this was a parameter, to keep seeded results."""
        return super().stream_name.replace("QuantileOfMeans", "BatchEnsemble", 1)

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Any:
        """The parameters that the kernels read."""
        rule = super().parameters(n_arms, horizon, capacity)
        return Parameters._make([*rule, float(self.quantile)])
