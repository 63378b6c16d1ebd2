"""Divergences by definition, and the lowest mean within a budget by bisection."""

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


def lowest_mean(divergence, x: float, budget: float, low: float, steps: int = 200) -> float:
    """The lowest y in [low, x] with D(x, y) <= budget."""
    if divergence(x, low) <= budget:
        return low
    high = x
    for _ in range(steps):
        middle = (low + high) / 2
        if divergence(x, middle) <= budget:
            high = middle
        else:
            low = middle
    return high


def kinf(losses: list[float], q: float) -> float:
    """The maximum over lambda in [0, 1 / q] of mean log(1 + lambda (X - q)), by ternary search."""
    if q >= math.fsum(losses) / len(losses):
        return 0.0
    if q <= 0.0:
        return math.inf

    def value(lam: float) -> float:
        terms = [1 + lam * (x - q) for x in losses]
        if min(terms) <= 0.0:
            return -math.inf
        return math.fsum(math.log(term) for term in terms) / len(losses)

    low, high = 0.0, 1 / q
    for _ in range(90):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if value(a) < value(b):
            low = a
        else:
            high = b
    return max(value(high), value(low), value(1 / q))
