"""Arms to play: their distributions, means and variances."""

from lowbid.environments._base import Arms, Environment
from lowbid.environments._base import stay as stay
from lowbid.environments._changing import Changing
from lowbid.environments._changing import Stage as Stage
from lowbid.environments._featured import Featured as Featured
from lowbid.environments._restated import Restated as Restated
from lowbid.environments.bernoulli import Bernoulli
from lowbid.environments.beta import Beta
from lowbid.environments.contaminated import Contaminated
from lowbid.environments.deterministic import Deterministic
from lowbid.environments.drifting import Drifting
from lowbid.environments.empirical import Empirical
from lowbid.environments.exponential import ExponentialByMean, ExponentialByRate
from lowbid.environments.gaussian import Gaussian
from lowbid.environments.log_normal import LogNormal
from lowbid.environments.mixed import Mixed
from lowbid.environments.orders import Orders
from lowbid.environments.paper import paper_test
from lowbid.environments.pareto import Pareto
from lowbid.environments.paths import GivenMeans, Path, RandomWalk, Wave
from lowbid.environments.random_arms import RandomArms
from lowbid.environments.rewards import Rewards
from lowbid.environments.scaled_bernoulli import ScaledBernoulli
from lowbid.environments.student_t import StudentT
from lowbid.environments.switching import Switching
from lowbid.environments.uniform import Uniform

__all__ = [
    "Arms",
    "Bernoulli",
    "Beta",
    "Changing",
    "Contaminated",
    "Deterministic",
    "Drifting",
    "Empirical",
    "Environment",
    "ExponentialByMean",
    "ExponentialByRate",
    "Gaussian",
    "GivenMeans",
    "LogNormal",
    "Mixed",
    "Orders",
    "Pareto",
    "Path",
    "RandomArms",
    "RandomWalk",
    "Rewards",
    "ScaledBernoulli",
    "StudentT",
    "Switching",
    "Uniform",
    "Wave",
    "paper_test",
]
