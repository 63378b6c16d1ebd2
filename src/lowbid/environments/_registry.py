# What was found by its file, for type checkers; written by tests/test_discovery.py.
# ruff: noqa
# fmt: off
from lowbid.environments._base import Arms as Arms
from lowbid.environments.bernoulli import Bernoulli as Bernoulli
from lowbid.environments.beta import Beta as Beta
from lowbid.environments._changing import Changing as Changing
from lowbid.environments.contaminated import Contaminated as Contaminated
from lowbid.environments.deterministic import Deterministic as Deterministic
from lowbid.environments.drifting import Drifting as Drifting
from lowbid.environments.empirical import Empirical as Empirical
from lowbid.environments._base import Environment as Environment
from lowbid.environments.exponential_by_mean import ExponentialByMean as ExponentialByMean
from lowbid.environments.exponential_by_rate import ExponentialByRate as ExponentialByRate
from lowbid.environments.gaussian import Gaussian as Gaussian
from lowbid.environments.given_means import GivenMeans as GivenMeans
from lowbid.environments.log_normal import LogNormal as LogNormal
from lowbid.environments.mixed import Mixed as Mixed
from lowbid.environments.orders import Orders as Orders
from lowbid.environments.pareto import Pareto as Pareto
from lowbid.environments._path import Path as Path
from lowbid.environments.random_arms import RandomArms as RandomArms
from lowbid.environments.random_walk import RandomWalk as RandomWalk
from lowbid.environments.rewards import Rewards as Rewards
from lowbid.environments.scaled_bernoulli import ScaledBernoulli as ScaledBernoulli
from lowbid.environments.student_t import StudentT as StudentT
from lowbid.environments.switching import Switching as Switching
from lowbid.environments.uniform import Uniform as Uniform
from lowbid.environments.wave import Wave as Wave
from lowbid.environments._paper import paper_test as paper_test
__all__ = ['Arms', 'Bernoulli', 'Beta', 'Changing', 'Contaminated', 'Deterministic', 'Drifting', 'Empirical', 'Environment', 'ExponentialByMean', 'ExponentialByRate', 'Gaussian', 'GivenMeans', 'LogNormal', 'Mixed', 'Orders', 'Pareto', 'Path', 'RandomArms', 'RandomWalk', 'Rewards', 'ScaledBernoulli', 'StudentT', 'Switching', 'Uniform', 'Wave', 'paper_test']
