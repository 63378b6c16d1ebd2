"""Random indices by definition, from all losses of an arm and draws from the same stream."""

import math
import statistics
from fractions import Fraction

from lowbid._random import binomial, exponential, normal


def dirichlet_mean(losses, extra: float, stream) -> float:
    """The mean of the extra value and the losses under Dirichlet(1, ..., 1) weights."""
    values = [extra, *losses]
    weights = [exponential(stream) for _ in values]
    return math.fsum(w * x for w, x in zip(weights, values, strict=True)) / math.fsum(weights)


def npts(losses, stream, best: float = 0.0) -> list[float]:
    return [dirichlet_mean(x, best, stream) for x in losses]


def phe(losses, stream, a: float) -> list[float]:
    indices = []
    for x in losses:
        coins = math.ceil(Fraction(str(a)) * len(x))
        heads = binomial(stream, coins, 0.5) if x else 0
        indices.append((sum(x) + heads) / (len(x) + coins) if x else -math.inf)
    return indices


def reboot(losses, stream, sd: float, inflation: float) -> list[float]:
    indices = []
    for x in losses:
        if not x:
            indices.append(-math.inf)
            continue
        n, mean = len(x), statistics.fmean(x)
        made_up = math.sqrt(n + 2) * inflation * sd
        residuals = [*(value - mean for value in x), made_up, -made_up]
        spread = math.sqrt(math.fsum(e * e for e in residuals)) / (n + 2)
        indices.append(mean + spread * normal(stream))
    return indices


def bounded_duel(losses, lead, stream, best: float = 0.0) -> bool:
    """BDS."""
    goal = statistics.fmean(lead)
    return statistics.fmean(losses) <= goal + 1e-12 or dirichlet_mean(losses, best, stream) <= goal


def robust_duel(losses, lead, stream) -> bool:
    """RDS."""
    goal = statistics.fmean(lead)
    if statistics.fmean(losses) <= goal + 1e-12:
        return True
    rho = math.sqrt(math.log(1 + len(losses)))
    above = statistics.fmean(max(x - goal, 0.0) for x in losses)
    return dirichlet_mean(losses, min([*losses, goal - rho * above]), stream) <= goal
