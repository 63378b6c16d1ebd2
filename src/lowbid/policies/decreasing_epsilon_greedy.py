"""Epsilon_t-greedy: epsilon-greedy with exploration that fades as 1 / t."""

from __future__ import annotations

from dataclasses import dataclass

from lowbid._require import require_finite
from lowbid.policies._base import About
from lowbid.policies.epsilon_greedy import EpsilonPolicy, Parameters


@dataclass(frozen=True)
class DecreasingEpsilonGreedy(EpsilonPolicy):
    r"""Epsilon-greedy with a decreasing epsilon.

    At step t, with probability

    .. math:: \epsilon_t = \min(1, c K / (d^2 t)),

    an arm drawn uniformly at random is played, otherwise the arm with the lowest mean loss; an arm
    not yet played counts as the lowest. Ties are broken uniformly at random.

    Parameters
    ----------
    c : float
        The weight of exploration; the regret bound needs more than 5.
    gap : float
        d: at most the difference between the best arm's mean and the second best one's, for
        losses in [0, 1]. If it is larger than that, the regret may grow linearly.

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> policy = lowbid.DecreasingEpsilonGreedy(gap=0.4)
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    37.1

    References
    ----------
    .. [1] P. Auer, N. Cesa-Bianchi, P. Fischer (2002). Finite-time analysis of the multiarmed
       bandit problem. Machine Learning 47.
    """

    c: float = 1.0
    gap: float = 0.1

    about = About(
        family="plain",
        needs="a lower bound of the smallest gap",
        time="K, or log K with many arms",
        memory="K",
        guarantee="K log T / gap^2, for c > 5",
        cite="auer2002finite",
    )

    def __post_init__(self) -> None:
        require_finite("c", self.c, above=0.0)
        require_finite("gap", self.gap, above=0.0)

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        return Parameters(epsilon=0.0, rate=self.c * n_arms / (self.gap * self.gap))
