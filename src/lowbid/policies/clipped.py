"""Clipped losses: one gross error does little harm to the policy that wears this."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream
from lowbid.policies._base import About, Policy
from lowbid.policies._wrapper import Wrapped, Wrapper
from lowbid.policies._yardstick import Yardstick, clipped, merged_yardstick, yardstick_of
from lowbid.policies.batch_ensemble import BatchEnsemble
from lowbid.policies.quantile_of_means import QuantileOfMeans
from lowbid.policies.ucb_tuned import UCBTuned

# What the templates are bound to: functions of the policy within.
inner_init: Any = None
inner_update: Any = None

DEFAULT = BatchEnsemble(baseline="minimum")


class State(NamedTuple):
    """The state of the policy within, and the range of the losses so far."""

    policy: Any
    yardstick: Yardstick


@allocating_kernel
def init(parameters: Wrapped, n_arms: int, capacity: int) -> State:
    """Start the policy, before the first loss."""
    policy = inner_init(parameters.policy, n_arms, capacity)
    return State(policy, yardstick_of(-math.inf, math.inf))


@kernel
def update(
    parameters: Wrapped, state: State, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Record the loss, clipped."""
    within = clipped(state.yardstick, loss)
    inner_update(parameters.policy, state.policy, arm, within, step, stream)


@dataclass(frozen=True)
class Clipped(Wrapper):
    """A policy that learns from clipped losses, so that one gross error does little harm.

    From the third loss on, of whichever arm, a single loss may not widen the range of the losses
    seen by more than its width. A range that is truly wide is reached after a few losses, since it
    may triple with each.

    Parameters
    ----------
    policy : Policy
        The policy that learns from them.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Contaminated(lowbid.Bernoulli([0.1, 0.5, 0.9]), value=-1000, chance=0.001)
    >>> robust = lowbid.Clipped(lowbid.BatchEnsemble(baseline="minimum"))
    >>> policies = {"clipped": robust, "as they are": robust.policy}
    >>> result = lowbid.simulate(policies, arms, horizon=1000, runs=100, seed=0)
    >>> [round(x) for x in result.regret[:, :, -1].mean(axis=1).tolist()]
    [31, 189]

    References
    ----------
    .. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
       stochastic bandits. AAAI 39(15). The policy by default; clipping is ours.
    """

    policy: Policy = DEFAULT

    init_within = init
    update_within = update

    @property
    def about(self) -> About:  # type: ignore[override]
        """What to know about the policy within, without its guarantee."""
        return dataclasses.replace(self.policy.about, family="wrapper", guarantee="none is known")

    @classmethod
    def variants(cls) -> list[Policy]:
        """Around three policies."""
        return [cls(), cls(QuantileOfMeans(baseline="minimum")), cls(UCBTuned())]

    @property
    def stream_name(self) -> str:
        """That of the policy within; for `BatchEnsemble`, one that keeps seeded results."""
        return super().stream_name.replace("baseline='minimum'", "baseline='robust'")

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Wrapped:
        """The parameters of the policy within."""
        return Wrapped(self.policy.parameters(n_arms, horizon, capacity))

    def merge(self, first: State, second: State) -> State:
        """Merge two states; losses are then clipped by what both have seen."""
        yardstick = merged_yardstick(first.yardstick, second.yardstick)
        merged: State = super().merge(first, second)
        return merged._replace(yardstick=yardstick)
