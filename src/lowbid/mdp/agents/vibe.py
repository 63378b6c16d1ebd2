"""VIBE: a low quantile of the batches' estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from lowbid._require import require_finite, require_value, require_whole
from lowbid.mdp._base import Kernels, Rule
from lowbid.mdp._problem import Problem
from lowbid.mdp.agents.batch_ensemble_value_iteration import Parameters, init, plan, update
from lowbid.policies import About


@dataclass(frozen=True)
class VIBE(Rule):
    r"""Value iteration with a batch ensemble, by quantiles.

    `BatchEnsembleValueIteration` in the reading "pairs", but the value of an action is the
    :math:`\lceil \alpha B \rceil`-th lowest of its B batches' estimates instead of the lowest.

    Parameters
    ----------
    batches : int
        B.
    quantile : float
        :math:`\alpha`, above 0 and at most 1; 1/B is the minimum.
    padding : float
        Added to a batch's count.
    stationary : bool, optional
        Whether visits at all stages are pooled; by default if the environment is stationary.

    Notes
    -----
    The rule follows descriptions of the reference and has not been checked against its text. The
    defaults are for small problems; they are not the number of batches and the quantile of its
    theorem.

    Examples
    --------
    >>> from lowbid import mdp
    >>> result = mdp.simulate(mdp.VIBE(), mdp.Chain(4), episodes=100, runs=2, seed=0)
    >>> print(f"{result.regret[0, :, -1].mean():.1f}")
    7.8

    References
    ----------
    .. [1] A. Cassel, A. Rosenberg (2026). Quantile of means: a bonus-free ensemble method for
       minimax optimal reinforcement learning. arXiv:2606.20107.
    """

    batches: int = 4
    quantile: float = 0.5
    padding: float = 1.0
    stationary: bool | None = None

    about = About(
        family="ensemble",
        needs="a bound on returns",
        time="S A l B",
        memory="S A l B",
        guarantee="by variances, for constants unverified here",
        cite="cassel2026quantile",
    )
    kernels = Kernels(init, plan, update)

    def __post_init__(self) -> None:
        require_whole("batches", self.batches)
        require_finite("padding", self.padding, above=0.0, or_equal=True)
        require_finite("quantile", self.quantile, above=0.0)
        require_value("quantile", self.quantile, self.quantile <= 1.0, "give at most 1.")

    @property
    def rank(self) -> int:
        """The rank of the estimate that counts; 1 is the lowest."""
        # A whole number in exact arithmetic must not be rounded up to the next one.
        return max(1, math.ceil(self.quantile * self.batches - 1e-9))

    def parameters(self, problem: Problem) -> Any:
        """The parameters as the kernels read them."""
        return Parameters(int(self.batches), float(self.padding), self.rank)
