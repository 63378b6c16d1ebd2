"""The policies: one algorithm, one file. `__all__` is the registry.

A policy is imported on first use: importing all of them takes as long as importing NumPy. The file
of a policy has its name in lower case, possibly with underscores.
"""

from __future__ import annotations

import importlib
import os

from lowbid.policies._base import About as About
from lowbid.policies._base import Constructor as Constructor
from lowbid.policies._base import Kernels as Kernels
from lowbid.policies._base import Policy as Policy
from lowbid.policies._citation import citation as citation
from lowbid.policies._forgetting import tuned_discount as tuned_discount
from lowbid.policies._forgetting import tuned_window as tuned_window

TYPE_CHECKING = False  # as type checkers know it
if TYPE_CHECKING:
    from typing import Any

    from lowbid.policies.acb import ACB as ACB
    from lowbid.policies.anytime_moss import AnytimeMOSS as AnytimeMOSS
    from lowbid.policies.batch_ensemble import BatchEnsemble as BatchEnsemble
    from lowbid.policies.batch_likelihood import BatchLikelihood as BatchLikelihood
    from lowbid.policies.bds import BDS as BDS
    from lowbid.policies.besa import BESA as BESA
    from lowbid.policies.beta_thompson import BetaThompson as BetaThompson
    from lowbid.policies.decreasing_epsilon_greedy import (
        DecreasingEpsilonGreedy as DecreasingEpsilonGreedy,
    )
    from lowbid.policies.discounted_beta_thompson import (
        DiscountedBetaThompson as DiscountedBetaThompson,
    )
    from lowbid.policies.discounted_gaussian_thompson import (
        DiscountedGaussianThompson as DiscountedGaussianThompson,
    )
    from lowbid.policies.discounted_ucb import DiscountedUCB as DiscountedUCB
    from lowbid.policies.epsilon_greedy import EpsilonGreedy as EpsilonGreedy
    from lowbid.policies.explore_then_commit import ExploreThenCommit as ExploreThenCommit
    from lowbid.policies.exponential_thompson import ExponentialThompson as ExponentialThompson
    from lowbid.policies.gaussian_thompson import GaussianThompson as GaussianThompson
    from lowbid.policies.giro import GIRO as GIRO
    from lowbid.policies.greedy import Greedy as Greedy
    from lowbid.policies.imed import IMED as IMED
    from lowbid.policies.kl_maillard import KLMaillard as KLMaillard
    from lowbid.policies.kl_ucb import KLUCB as KLUCB
    from lowbid.policies.kl_ucb_plus import KLUCBPlus as KLUCBPlus
    from lowbid.policies.kl_ucb_plus_plus import KLUCBPlusPlus as KLUCBPlusPlus
    from lowbid.policies.lb_sda import LBSDA as LBSDA
    from lowbid.policies.mars import MARS as MARS
    from lowbid.policies.moment_imed import MomentIMED as MomentIMED
    from lowbid.policies.moss import MOSS as MOSS
    from lowbid.policies.npts import NPTS as NPTS
    from lowbid.policies.phe import PHE as PHE
    from lowbid.policies.rb_sda import RBSDA as RBSDA
    from lowbid.policies.rds import RDS as RDS
    from lowbid.policies.reboot import ReBoot as ReBoot
    from lowbid.policies.semi_bounded_imed import SemiBoundedIMED as SemiBoundedIMED
    from lowbid.policies.semi_bounded_kl_ucb import SemiBoundedKLUCB as SemiBoundedKLUCB
    from lowbid.policies.sliding_window_beta_thompson import (
        SlidingWindowBetaThompson as SlidingWindowBetaThompson,
    )
    from lowbid.policies.sliding_window_gaussian_thompson import (
        SlidingWindowGaussianThompson as SlidingWindowGaussianThompson,
    )
    from lowbid.policies.sliding_window_lb_sda import SlidingWindowLBSDA as SlidingWindowLBSDA
    from lowbid.policies.sliding_window_ucb import SlidingWindowUCB as SlidingWindowUCB
    from lowbid.policies.ssmc import SSMC as SSMC
    from lowbid.policies.successive_elimination import (
        SuccessiveElimination as SuccessiveElimination,
    )
    from lowbid.policies.ucb1 import UCB1 as UCB1
    from lowbid.policies.ucb_alpha import UCBAlpha as UCBAlpha
    from lowbid.policies.ucb_tuned import UCBTuned as UCBTuned
    from lowbid.policies.ucb_v import UCBV as UCBV
    from lowbid.policies.uniform_play import UniformPlay as UniformPlay
    from lowbid.policies.wr_sda import WRSDA as WRSDA

__all__ = [
    "ACB",
    "BDS",
    "BESA",
    "GIRO",
    "IMED",
    "KLUCB",
    "LBSDA",
    "MARS",
    "MOSS",
    "NPTS",
    "PHE",
    "RBSDA",
    "RDS",
    "SSMC",
    "UCB1",
    "UCBV",
    "WRSDA",
    "AnytimeMOSS",
    "BatchEnsemble",
    "BatchLikelihood",
    "BetaThompson",
    "DecreasingEpsilonGreedy",
    "DiscountedBetaThompson",
    "DiscountedGaussianThompson",
    "DiscountedUCB",
    "EpsilonGreedy",
    "ExploreThenCommit",
    "ExponentialThompson",
    "GaussianThompson",
    "Greedy",
    "KLMaillard",
    "KLUCBPlus",
    "KLUCBPlusPlus",
    "MomentIMED",
    "ReBoot",
    "SemiBoundedIMED",
    "SemiBoundedKLUCB",
    "SlidingWindowBetaThompson",
    "SlidingWindowGaussianThompson",
    "SlidingWindowLBSDA",
    "SlidingWindowUCB",
    "SuccessiveElimination",
    "UCBAlpha",
    "UCBTuned",
    "UniformPlay",
]


def __getattr__(name: str) -> Any:
    """Import a policy on first use."""
    if name in __all__:
        for file in os.listdir(__path__[0]):
            stem = file.removesuffix(".py")
            if stem != file and stem.replace("_", "") == name.lower():
                return getattr(importlib.import_module(f"{__name__}.{stem}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
