"""KL-UCB+: KL-UCB with less exploration of arms that were played often."""

from __future__ import annotations

import dataclasses
import math

from lowbid._compile import kernel
from lowbid.policies._base import About, Floats, Kernels
from lowbid.policies._families import FamilyPolicy
from lowbid.policies._tangents import indices_at
from lowbid.policies.kl_ucb import Parameters, State, index_for, kernels_for


@kernel
def log_step(parameters: Parameters, step: int) -> float:
    """The part log t of log(t / n)."""
    return math.log(step)


@kernel
def log_count(count: float) -> float:
    """The part log n of log(t / n)."""
    return math.log(count)


@dataclasses.dataclass(frozen=True)
class KLUCBPlus(FamilyPolicy):
    r"""KL-UCB+, in loss form.

    With n losses of arm a, of mean m, its index at step t is

    .. math:: \min \{ q \le m : n \, D(m, q) \le \log(t / n) \},

    where D is the Kullback-Leibler divergence between distributions of the family with means m
    and q. The arm with the lowest index is played; arms not yet played come first. Ties are broken
    uniformly at random.

    Make it for a family: ``KLUCBPlus.bernoulli()`` for losses in [0, 1],
    ``KLUCBPlus.gaussian()``, ``KLUCBPlus.exponential()``, ``KLUCBPlus.poisson()``.

    Parameters
    ----------
    family : Family or str
        Use the constructors above, or give the family's name, such as "bernoulli".

    Examples
    --------
    >>> import lowbid
    >>> arms = lowbid.Bernoulli([0.1, 0.5, 0.9])
    >>> policy = lowbid.KLUCBPlus.bernoulli()
    >>> result = lowbid.simulate(policy, arms, horizon=1000, runs=100, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    6.7

    References
    ----------
    .. [1] A. Garivier, O. Cappé (2011). The KL-UCB algorithm for bounded stochastic bandits and
       beyond. COLT.
    .. [2] J. Honda (2019). A note on KL-UCB+ policy for the stochastic bandit. arXiv:1903.07839.
    """

    draws_for_ties_only = True

    @property
    def kernels(self) -> Kernels:  # type: ignore[override]
        """The rule for this family."""
        return kernels_for(self.family, log_step, log_count)

    @property
    def about(self) -> About:  # type: ignore[override]
        """What to know about the policy, for this family."""
        return About(
            family="index",
            needs=self.family.needs,
            time="K",
            memory="K",
            guarantee="asymptotically optimal for Bernoulli losses",
            cite="cappe2013kullback,honda2019note",
        )

    def parameters(self, n_arms: int, horizon: int | None, capacity: int) -> Parameters:
        """The parameters that the kernels read."""
        return Parameters(sd=self.sd, c=0.0)

    def indices(self, parameters: Parameters, state: State, step: int) -> Floats:
        """Every arm's index at this step."""
        rule, x = index_for(self.family, log_count), log_step(parameters, step)
        return indices_at(rule, parameters, state, state.moments, x)
