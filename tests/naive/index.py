"""Indices computed from all losses of an arm, by definition."""

import math
from collections.abc import Callable

from naive import families


def mean(x: list[float]) -> float:
    return math.fsum(x) / len(x)


def variance(x: list[float]) -> float:
    return math.fsum((value - mean(x)) ** 2 for value in x) / len(x)


def each(losses: list[list[float]], index: Callable[[list[float]], float], first=1) -> list[float]:
    """The index of every arm; arms with fewer losses than `first` come before all others."""
    return [index(x) if len(x) >= first else -math.inf for x in losses]


def ucb1(losses: list[list[float]], step: int, scale: float = 1.0) -> list[float]:
    return each(losses, lambda x: mean(x) - scale * math.sqrt(2 * math.log(step) / len(x)))


def ucb_v(losses: list[list[float]], step: int, zeta=1.0, c=1.0, scale=1.0) -> list[float]:
    e = zeta * math.log(max(step, 2))
    return each(
        losses,
        lambda x: mean(x) - math.sqrt(2 * variance(x) * e / len(x)) - 3 * c * scale * e / len(x),
    )


def ucb_alpha(losses: list[list[float]], step: int, alpha=2.1, scale=1.0) -> list[float]:
    return each(
        losses, lambda x: mean(x) - scale * math.sqrt(alpha * math.log(step) / (2 * len(x)))
    )


def ucb_tuned(losses: list[list[float]], step: int, scale=1.0) -> list[float]:
    def index(x: list[float]) -> float:
        share = math.log(step) / len(x)
        variance_bound = variance(x) / scale**2 + math.sqrt(2 * share)
        return mean(x) - scale * math.sqrt(share * min(1 / 4, variance_bound))

    return each(losses, index)


def log_plus(x: float) -> float:
    return max(0.0, math.log(x))


def moss(losses: list[list[float]], horizon: int, scale=1.0) -> list[float]:
    arms = len(losses)
    return each(
        losses,
        lambda x: mean(x) - scale * math.sqrt(log_plus(horizon / (arms * len(x))) / len(x)),
    )


def anytime_moss(losses: list[list[float]], step: int, alpha=1.35, scale=1.0) -> list[float]:
    factor = (1 + alpha) / 2
    return each(
        losses,
        lambda x: (
            mean(x) - scale * math.sqrt(factor * log_plus(step / (len(losses) * len(x))) / len(x))
        ),
    )


def kl_ucb(losses: list[list[float]], divergence, f: Callable[[int], float]) -> list[float]:
    """The lowest mean q with n D(m, q) <= f(n), for losses of 0 or more."""
    return each(
        losses, lambda x: families.lowest_mean(divergence, mean(x), f(len(x)) / len(x), low=0.0)
    )


def gaussian_kl_ucb(losses: list[list[float]], sd: float, f: Callable[[int], float]) -> list[float]:
    return each(losses, lambda x: mean(x) - sd * math.sqrt(2 * f(len(x)) / len(x)))


def imed(losses: list[list[float]], divergence) -> list[float]:
    """The evidence n D(m, m*) against an arm, plus log n."""
    best = min((mean(x) for x in losses if x), default=0.0)
    return each(losses, lambda x: len(x) * divergence(mean(x), best) + math.log(len(x)))


def imed_unknown_variance(losses: list[list[float]]) -> list[float]:
    best = min((mean(x) for x in losses if x), default=0.0)

    def index(x: list[float]) -> float:
        evidence = math.log(1 + (mean(x) - best) ** 2 / variance(x)) / 2
        return (len(x) - 2) * evidence + math.log(len(x))

    return each(losses, index, first=3)
