"""The policies: one algorithm, one file. `__all__` is the registry."""

from lowbid.policies._base import About as About
from lowbid.policies._base import Kernels as Kernels
from lowbid.policies._base import Policy as Policy
from lowbid.policies.batch_ensemble import BatchEnsemble
from lowbid.policies.beta_thompson import BetaThompson
from lowbid.policies.kl_ucb import KLUCB
from lowbid.policies.lb_sda import LBSDA
from lowbid.policies.mars import MARS
from lowbid.policies.rb_sda import RBSDA
from lowbid.policies.ucb1 import UCB1
from lowbid.policies.ucb_v import UCBV

__all__ = [
    "KLUCB",
    "LBSDA",
    "MARS",
    "RBSDA",
    "UCB1",
    "UCBV",
    "BatchEnsemble",
    "BetaThompson",
]
