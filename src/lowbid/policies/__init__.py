"""The policies: one algorithm, one file. `__all__` is the registry."""

from lowbid.policies._base import About as About
from lowbid.policies._base import Constructor as Constructor
from lowbid.policies._base import Kernels as Kernels
from lowbid.policies._base import Policy as Policy
from lowbid.policies._citation import citation as citation
from lowbid.policies._forgetting import tuned_discount as tuned_discount
from lowbid.policies._forgetting import tuned_window as tuned_window
from lowbid.policies.acb import ACB
from lowbid.policies.anytime_moss import AnytimeMOSS
from lowbid.policies.batch_ensemble import BatchEnsemble
from lowbid.policies.batch_likelihood import BatchLikelihood
from lowbid.policies.bds import BDS
from lowbid.policies.besa import BESA
from lowbid.policies.beta_thompson import BetaThompson
from lowbid.policies.decreasing_epsilon_greedy import DecreasingEpsilonGreedy
from lowbid.policies.discounted_beta_thompson import DiscountedBetaThompson
from lowbid.policies.discounted_gaussian_thompson import DiscountedGaussianThompson
from lowbid.policies.discounted_ucb import DiscountedUCB
from lowbid.policies.epsilon_greedy import EpsilonGreedy
from lowbid.policies.explore_then_commit import ExploreThenCommit
from lowbid.policies.exponential_thompson import ExponentialThompson
from lowbid.policies.gaussian_thompson import GaussianThompson
from lowbid.policies.giro import GIRO
from lowbid.policies.greedy import Greedy
from lowbid.policies.imed import IMED
from lowbid.policies.kl_maillard import KLMaillard
from lowbid.policies.kl_ucb import KLUCB
from lowbid.policies.kl_ucb_plus import KLUCBPlus
from lowbid.policies.kl_ucb_plus_plus import KLUCBPlusPlus
from lowbid.policies.lb_sda import LBSDA
from lowbid.policies.mars import MARS
from lowbid.policies.moment_imed import MomentIMED
from lowbid.policies.moss import MOSS
from lowbid.policies.npts import NPTS
from lowbid.policies.phe import PHE
from lowbid.policies.rb_sda import RBSDA
from lowbid.policies.rds import RDS
from lowbid.policies.reboot import ReBoot
from lowbid.policies.semi_bounded_imed import SemiBoundedIMED
from lowbid.policies.semi_bounded_kl_ucb import SemiBoundedKLUCB
from lowbid.policies.sliding_window_beta_thompson import SlidingWindowBetaThompson
from lowbid.policies.sliding_window_gaussian_thompson import SlidingWindowGaussianThompson
from lowbid.policies.sliding_window_lb_sda import SlidingWindowLBSDA
from lowbid.policies.sliding_window_ucb import SlidingWindowUCB
from lowbid.policies.ssmc import SSMC
from lowbid.policies.successive_elimination import SuccessiveElimination
from lowbid.policies.ucb1 import UCB1
from lowbid.policies.ucb_alpha import UCBAlpha
from lowbid.policies.ucb_tuned import UCBTuned
from lowbid.policies.ucb_v import UCBV
from lowbid.policies.uniform_play import UniformPlay
from lowbid.policies.wr_sda import WRSDA

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
