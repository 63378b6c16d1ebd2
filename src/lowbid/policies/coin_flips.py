"""Coin flips in place of bounded losses, for the policy that wears this."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, coin
from lowbid._require import require_finite
from lowbid.policies._base import About, Policy
from lowbid.policies._wrapper import Wrapped, Wrapper
from lowbid.policies.batch_ensemble import BatchEnsemble
from lowbid.policies.beta_thompson import BetaThompson

# What the templates are bound to: functions of the policy within.
inner_init: Any = None
inner_update: Any = None

DEFAULT = BatchEnsemble()


class Parameters(NamedTuple):
    """The parameters of the policy within, and the larger side of the coin."""

    policy: Any
    scale: float


@allocating_kernel
def init(parameters: Parameters, n_arms: int, capacity: int) -> Wrapped:
    """Start the policy."""
    return Wrapped(inner_init(parameters.policy, n_arms, capacity))


@kernel
def update(
    parameters: Parameters, state: Wrapped, arm: int, loss: float, step: int, stream: Stream
) -> None:
    """Flip a coin of the same mean, and record that."""
    flipped = parameters.scale * coin(stream, loss / parameters.scale)
    inner_update(parameters.policy, state.policy, arm, flipped, step, stream)


@dataclass(frozen=True)
class CoinFlips(Wrapper):
    """A policy that learns from coin flips in place of losses ("Bernoulli-fication").

    Each loss x in [0, b] is replaced by b with probability x / b, and by 0 otherwise. This extends
    what is proved for Bernoulli arms to all losses in [0, b], at the price of a larger variance.

    Parameters
    ----------
    policy : Policy
        The policy that learns from them.
    scale : float
        b, the largest loss.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Beta([1, 5, 9], [9, 5, 1])
    >>> policy = lowbid.CoinFlips(lowbid.BatchEnsemble(batches=4))
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    9.0

    References
    ----------
    .. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
       stochastic bandits. AAAI 39(15).
    .. [2] S. Agrawal, N. Goyal (2012). Analysis of Thompson sampling for the multi-armed bandit
       problem. COLT.
    """

    policy: Policy = DEFAULT
    scale: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite("scale", self.scale, above=0.0)

    scale_free = location_free = False  # coins have both
    init_within = init
    update_within = update

    @property
    def about(self) -> About:  # type: ignore[override]
        """What to know about the policy within."""
        return dataclasses.replace(self.policy.about, family="wrapper", needs="losses in [0, b]")

    @classmethod
    def variants(cls) -> list[Policy]:
        """Around three policies."""
        return [cls(), cls(BatchEnsemble(batches=3)), cls(BetaThompson())]

    @property
    def loss_range(self) -> tuple[float, float]:
        """Coins need losses in [0, b]."""
        return 0.0, float(self.scale)

    @property
    def stream_name(self) -> str:
        """That of the policy within; for `BatchEnsemble`, one that keeps seeded results."""
        coins = f"bernoulli_scale={float(self.scale)}"
        return super().stream_name.replace("bernoulli_scale=None", coins)

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters of the policy within, and the larger side of the coin."""
        return Parameters(self.policy.parameters(n_arms, horizon, capacity), float(self.scale))
