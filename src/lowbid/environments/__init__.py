"""Arms to play: their distributions, means and variances."""

from lowbid.environments._base import Arms, Environment
from lowbid.environments.bernoulli import Bernoulli
from lowbid.environments.beta import Beta
from lowbid.environments.contaminated import Contaminated
from lowbid.environments.deterministic import Deterministic
from lowbid.environments.empirical import Empirical
from lowbid.environments.exponential import ExponentialByMean, ExponentialByRate
from lowbid.environments.gaussian import Gaussian
from lowbid.environments.log_normal import LogNormal
from lowbid.environments.mixed import Mixed
from lowbid.environments.orders import Orders
from lowbid.environments.paper import paper_test
from lowbid.environments.pareto import Pareto
from lowbid.environments.random_arms import RandomArms
from lowbid.environments.rewards import Rewards
from lowbid.environments.scaled_bernoulli import ScaledBernoulli
from lowbid.environments.student_t import StudentT
from lowbid.environments.uniform import Uniform

__all__ = [
    "Arms",
    "Bernoulli",
    "Beta",
    "Contaminated",
    "Deterministic",
    "Empirical",
    "Environment",
    "ExponentialByMean",
    "ExponentialByRate",
    "Gaussian",
    "LogNormal",
    "Mixed",
    "Orders",
    "Pareto",
    "RandomArms",
    "Rewards",
    "ScaledBernoulli",
    "StudentT",
    "Uniform",
    "paper_test",
]
