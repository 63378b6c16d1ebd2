"""The arms of the Batch Ensemble paper's experiments."""

from __future__ import annotations

from lowbid._require import is_whole, shown
from lowbid.environments._base import Environment
from lowbid.environments.bernoulli import Bernoulli
from lowbid.environments.exponential_by_mean import ExponentialByMean
from lowbid.environments.gaussian import Gaussian
from lowbid.environments.random_arms import RandomArms
from lowbid.errors import UnknownNameError

_TESTS: dict[int, Environment] = {
    1: Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3]),
    2: Bernoulli([0.90, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99]),
    3: RandomArms(Bernoulli, n_arms=10),
    4: RandomArms(Gaussian, n_arms=10, sd=1.0),
    5: RandomArms(ExponentialByMean, n_arms=10),
}


def paper_test(number: int) -> Environment:
    """The arms of one of the paper's five tests.

    Parameters
    ----------
    number : int
        1: a best arm that hardly ever loses; 2: high losses and small gaps; 3, 4 and 5: ten
        Bernoulli, Gaussian or exponential arms whose means are drawn again in each run.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.paper_test(1).means
    array([0.001, 0.15 , 0.2  , 0.25 , 0.3  ])

    References
    ----------
    .. [1] A. Cassel, O. Levy, Y. Mansour (2025). Batch ensemble for variance dependent regret in
       stochastic bandits. AAAI 39(15).
    """
    if not is_whole(number) or number not in _TESTS:
        raise UnknownNameError(f"the paper has no test {shown(number)}; give 1, 2, 3, 4 or 5.")
    return _TESTS[number]
