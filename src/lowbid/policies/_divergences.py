"""Kullback-Leibler divergences of families of distributions, each by its mean.

For a family with one distribution of each mean, D(x, y) is the Kullback-Leibler divergence of
the one with mean x from the one with mean y. A family comes with three kernels on plain numbers:

``divergence(x, y, sd)``
    D(x, y), infinite where it is.
``steepness(x, y, sd)``
    The derivative of D(x, y) in y, for y < x: not positive, and minus infinity where it is.
``lowest_mean(x, budget, sd)``
    The lowest y <= x with D(x, y) <= budget.

Only the Gaussian families read `sd`. None of them returns NaN. Where there is no closed form,
Newton's method starts on the side of the solution from which it cannot overshoot, since the
function is convex; it ends in 3 to 6 steps, and its result depends only on its arguments, so that
arms with equal records have equal indices.
"""

from __future__ import annotations

import math

from lowbid._compile import kernel

# Newton's error after a step is about the square of its length.
_SMALL = 1e-7
_STEPS = 64
# exp(-700) is as good as 0.
_FAR = 700.0
# Larger ratios are as good as infinite.
_HUGE = 1e300


@kernel
def log_ratio(a: float, b: float, difference: float) -> float:
    """Compute log(a / b), to full precision where a is near b; their difference must be exact."""
    return math.log1p(difference / b) if 0.5 * b < a < 2.0 * b else math.log(a / b)


@kernel
def bernoulli_divergence(x: float, y: float, sd: float) -> float:
    """D = x log(x / y) + (1 - x) log((1 - x) / (1 - y))."""
    divergence = 0.0
    if x > 0.0:
        if y <= 0.0:
            return math.inf
        divergence += x * log_ratio(x, y, x - y)
    if x < 1.0:
        if y >= 1.0:
            return math.inf
        divergence += (1.0 - x) * log_ratio(1.0 - x, 1.0 - y, y - x)
    return max(divergence, 0.0)


@kernel
def bernoulli_steepness(x: float, y: float, sd: float) -> float:
    """(y - x) / (y (1 - y))."""
    if y >= x:
        return 0.0
    return (y - x) / (y * (1.0 - y)) if y > 0.0 else -math.inf


@kernel
def bernoulli_lowest_mean(x: float, budget: float, sd: float) -> float:
    """Newton's method on log y, in which D is convex too and nearly straight for small y."""
    if budget <= 0.0 or x <= 0.0:
        return x
    if x >= 1.0:
        return math.exp(-budget)
    if budget > _FAR * x:
        return 0.0
    # Two lower bounds of y: one good near x, as for a Gaussian of the largest variance between
    # y and x; the other good near 0, as for a Poisson distribution.
    y = x - math.sqrt(2.0 * budget * (x * (1.0 - x) if x < 0.5 else 0.25))
    log_y = math.log(x) - 1.0 - budget / x
    if y > 0.0:
        log_y = max(log_y, math.log(y))
    for _ in range(_STEPS):
        y = math.exp(log_y)
        excess = bernoulli_divergence(x, y, sd) - budget
        if excess <= 0.0 or y >= x:
            break
        step = excess * (1.0 - y) / (x - y)
        log_y += step
        if step * x <= _SMALL * (x - y):
            break
    return min(math.exp(log_y), x)


@kernel
def gaussian_divergence(x: float, y: float, sd: float) -> float:
    """D = (x - y)^2 / (2 sd^2)."""
    z = (x - y) / sd
    return 0.5 * z * z


@kernel
def gaussian_steepness(x: float, y: float, sd: float) -> float:
    """(y - x) / sd^2."""
    return (y - x) / sd / sd


@kernel
def gaussian_lowest_mean(x: float, budget: float, sd: float) -> float:
    """It is x - sd sqrt(2 budget)."""
    return x - sd * math.sqrt(2.0 * max(budget, 0.0))


@kernel
def scaled_gaussian_divergence(x: float, y: float, sd: float) -> float:
    """D = log(1 + (x - y)^2 / sd^2) / 2: the least over all variances of the second one."""
    gap = abs(x - y)
    if gap == 0.0:
        return 0.0
    if gap >= sd * 1e150:
        return math.inf
    z = gap / sd
    return 0.5 * math.log1p(z * z)


@kernel
def scaled_gaussian_lowest_mean(x: float, budget: float, sd: float) -> float:
    """It is x - sd sqrt(exp(2 budget) - 1)."""
    return x - sd * math.sqrt(math.expm1(min(2.0 * max(budget, 0.0), _FAR)))


@kernel
def exponential_divergence(x: float, y: float, sd: float) -> float:
    """D = x / y - 1 - log(x / y)."""
    if x == y:
        return 0.0
    if x <= 0.0 or y <= 0.0:
        return math.inf
    if x > _HUGE * y:
        return math.inf
    return max((x - y) / y - log_ratio(x, y, x - y), 0.0)


@kernel
def exponential_steepness(x: float, y: float, sd: float) -> float:
    """(y - x) / y^2."""
    if y >= x:
        return 0.0
    return (y - x) / y / y if y > 0.0 else -math.inf


@kernel
def exponential_lowest_mean(x: float, budget: float, sd: float) -> float:
    """It is x exp(-v) with exp(v) - 1 - v = budget, v > 0."""
    if budget <= 0.0 or x <= 0.0:
        return x
    v = math.log1p(math.sqrt(2.0 * budget) + budget)
    for _ in range(_STEPS):
        slope = math.expm1(v)
        step = (slope - v - budget) / slope
        if step <= 0.0:
            break
        v -= step
        if step <= _SMALL * v:
            break
    return x * math.exp(-v)


@kernel
def poisson_divergence(x: float, y: float, sd: float) -> float:
    """D = y - x + x log(x / y)."""
    if x <= 0.0:
        return y
    if y <= 0.0:
        return math.inf
    if y > _HUGE * x:
        return math.inf
    return max(x * ((y - x) / x - log_ratio(y, x, y - x)), 0.0)


@kernel
def poisson_steepness(x: float, y: float, sd: float) -> float:
    """1 - x / y."""
    if y >= x:
        return 0.0
    return (y - x) / y if y > 0.0 else -math.inf


@kernel
def poisson_lowest_mean(x: float, budget: float, sd: float) -> float:
    """It is x exp(-v) with exp(-v) - 1 + v = budget / x, v > 0."""
    if budget <= 0.0 or x <= 0.0:
        return x
    if budget > _FAR * x:
        return 0.0
    level = budget / x
    # exp(-v) is at least 0, and at least (2 - v) / (2 + v): two upper bounds of v.
    v = min(1.0 + level, 0.5 * (level + math.sqrt(level * (level + 8.0))))
    for _ in range(_STEPS):
        slope = -math.expm1(-v)
        step = (v - slope - level) / slope
        if step <= 0.0:
            break
        v -= step
        if step <= _SMALL * v:
            break
    return x * math.exp(-v)
