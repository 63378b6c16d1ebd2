"""Divergences by the book, and the lowest mean within a budget by bisection."""

import math


def xlogy(x: float, y: float) -> float:
    return 0.0 if x == 0 else x * math.log(y)


def bernoulli(x: float, y: float) -> float:
    if (y == 0 and x > 0) or (y == 1 and x < 1):
        return math.inf
    if x == y:
        return 0.0
    return xlogy(x, x / y if x else 1) + xlogy(1 - x, (1 - x) / (1 - y))


def gaussian(sd: float):
    return lambda x, y: (x - y) ** 2 / (2 * sd**2)


def exponential(x: float, y: float) -> float:
    if x == y:
        return 0.0
    return x / y - 1 - math.log(x / y) if x > 0 and y > 0 else math.inf


def poisson(x: float, y: float) -> float:
    if y == 0 and x > 0:
        return math.inf
    return y - x + (x * math.log(x / y) if x else 0.0)


def lowest_mean(divergence, x: float, budget: float, low: float) -> float:
    """The lowest y in [low, x] with D(x, y) <= budget."""
    if divergence(x, low) <= budget:
        return low
    high = x
    for _ in range(200):
        middle = (low + high) / 2
        if divergence(x, middle) <= budget:
            high = middle
        else:
            low = middle
    return high
