"""Padded counts: optimism by a few imaginary visits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lowbid._require import require_finite
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents.batch_ensemble_value_iteration import Parameters, init, plan, update
from lowbid.policies import About


@dataclass(frozen=True)
class PaddedCounts(Rule):
    r"""Value iteration with p imaginary visits that yield the best return.

    `BatchEnsembleValueIteration` with one batch: with n visits, losses x_i and next states s'_i,

    .. math:: Q_h(s, a) = \frac{1}{n + p} \sum_i \left(x_i + V_{h+1}(s'_i)\right),

    which is a bonus of order 1/n. It is the baseline that batches have to beat: fast on problems
    with little noise, but stuck in some runs where there is more.

    Parameters
    ----------
    padding : float
        p.
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.PaddedCounts(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    3.2

    References
    ----------
    .. [1] I. Szita, A. Lőrincz (2008). The many faces of optimism: a unifying approach. ICML.
    """

    padding: float = 1.0
    stationary: bool | None = None

    about = About(
        family="optimism",
        needs="a bound on returns",
        time="S A B",
        memory="S A B",
        guarantee="",
        cite="szita2008many",
    )
    kernels = Kernels(init, plan, update)

    def __post_init__(self) -> None:
        require_finite("padding", self.padding, above=0.0, or_equal=True)

    def parameters(self, problem: Problem) -> Any:
        """The parameters as the kernels read them."""
        return Parameters(1, float(self.padding), 1)
