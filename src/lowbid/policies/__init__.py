"""The policies: one algorithm, one file. `__all__` is the registry."""

from lowbid.policies._base import About as About
from lowbid.policies._base import Kernels as Kernels
from lowbid.policies._base import Policy as Policy
from lowbid.policies.batch_ensemble import BatchEnsemble
from lowbid.policies.beta_thompson import BetaThompson
from lowbid.policies.lb_sda import LBSDA
from lowbid.policies.mars import MARS
from lowbid.policies.rb_sda import RBSDA
from lowbid.policies.ucb1 import UCB1

__all__ = ["LBSDA", "MARS", "RBSDA", "UCB1", "BatchEnsemble", "BetaThompson"]
