"""Evidence about means and pairs, from the values themselves, as the formulas say."""

import math

import numpy as np

RATES = [*(0.75 * 0.5**k for k in range(12)), 0.0]
STEPS = [*(0.5**k for k in range(12)), 0.0]


def log_mean(terms):
    """The logarithm of the mean of exponentials."""
    top = max(terms)
    return top + math.log(sum(math.exp(term - top) for term in terms) / len(terms))


def surprise(values):
    """The sum of squared differences from guesses made before each value."""
    before = [0.5, *(0.5 + np.cumsum(values))]
    return sum((x - before[i] / (i + 1)) ** 2 for i, x in enumerate(values))


def above(values, mean, side=1.0):
    """Evidence that values in [0, 1] have a mean above (below, if side is -1) a number."""
    off = side * (sum(values) - len(values) * mean)
    costs = surprise(values)
    return log_mean([r * off - (-math.log(1 - r) - r) * costs for r in RATES])


def above_without_range(values, mean, side=1.0):
    """The same for values of which no range is known; cubes are summed as values come."""
    squares = cubes = 0.0
    average = 0.0
    for i, x in enumerate(values, start=1):
        old, average = average, average + (x - average) / i
        square = max((x - old) * (x - average), 0.0)
        squares += square
        if (x <= old) == (side > 0):
            cubes += square**1.5
    n = len(values)
    z, r = side * (average - mean) * n / math.sqrt(squares), cubes / squares**1.5
    if z > 0:
        q, c = 4 * r / 3, z - 4 * r / 6
        z = 0.0 if c <= 0 else c if q < 1e-12 else (math.sqrt(1 + 4 * q * c) - 1) / (2 * q)
    return log_mean([t * math.sqrt(n) * z - t * t * n / 2 for t in STEPS])


def pair(first, second, by=0.0, rule=above):
    """The least evidence over a fine grid of means, refined three times."""
    low, high = min(*first, *second) - abs(by), max(*first, *second) + abs(by)
    for _ in range(4):
        grid = np.linspace(low, high, 41)
        totals = [rule(first, m + by) + rule(second, m, -1.0) for m in grid]
        place = int(np.argmin(totals))
        low, high = grid[max(place - 1, 0)], grid[min(place + 1, 40)]
    return totals[place]
