"""UCB(alpha): UCB1 with a free weight of the confidence width."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from lowbid._require import require_finite
from lowbid.policies._base import About
from lowbid.policies._spread import known_spread
from lowbid.policies._ucb import UCBPolicy
from lowbid.policies.ucb1 import UCB1


@dataclass(frozen=True)
class UCBAlpha(UCBPolicy):
    r"""UCB(alpha), in loss form.

    With n losses of arm a, of mean m, its index at step t is

    .. math:: m - b \sqrt{\alpha \log t / (2 n)}

    and the arm with the lowest index is played; arms not yet played come first. `UCB1` is the case
    alpha = 4. Ties are broken uniformly at random.

    Parameters
    ----------
    alpha : float
        The weight of exploration; the regret bound needs more than 2.
    scale : float, optional
        b: the width of the losses' range, or twice their standard deviation if they are
        Gaussian; by default the width of the declared range, or 1 without one.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> result = lowbid.simulate(lowbid.UCBAlpha(), arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    19.8

    References
    ----------
    .. [1] S. Bubeck, N. Cesa-Bianchi (2012). Regret analysis of stochastic and nonstochastic
       multi-armed bandit problems. Foundations and Trends in Machine Learning 5(1), section 2.2.
    """

    alpha: float = 2.1
    scale: float | None = None

    about = About(
        family="index",
        needs="the width of the losses' range",
        time="K",
        memory="K",
        guarantee="sum over arms of alpha b^2 log T / gap, for alpha > 2",
        cite="bubeck2012regret",
    )
    kernels = UCB1.kernels

    def __post_init__(self) -> None:
        require_finite("alpha", self.alpha, above=0.0)
        super().__post_init__()

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Any:
        """The parameters of UCB1 with the same width."""
        same = UCB1(scale=0.5 * known_spread(self.scale) * math.sqrt(self.alpha))
        return same.parameters(n_arms, horizon, capacity)
