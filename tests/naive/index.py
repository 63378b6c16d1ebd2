"""Indices worked out from all losses of an arm, by the book."""

import math
from collections.abc import Callable


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
