"""Bounds of classical policies, computed again by hand."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize

import lowbid
from bounds import EASY, TEST1, sums
from lowbid.theory import (
    textbook,
)


def test_textbook_bounds_recomputed():
    t = 1000
    rows = sums(TEST1.mean)
    ucb1 = sum(8 * math.log(t) / g + (1 + math.pi**2 / 3) * g for g, *_ in rows)
    assert textbook.ucb1(TEST1, t) == pytest.approx(ucb1)
    assert textbook.ucb_v(TEST1, t) == pytest.approx(
        10 * sum(v / g + 2 for g, v, _ in rows) * math.log(t)
    )
    shifted = lowbid.Uniform(low=[-1.0, 0.0], high=[2.0, 3.0])  # width 4
    assert textbook.ucb1(shifted, t) == pytest.approx(8 * 16 * math.log(t) + (1 + math.pi**2 / 3))


def test_kl_ucb_lies_between_its_limit_and_one_choice():
    t, mean, gap = 10**5, 0.9, 0.8

    def kl(p, q):
        return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))

    budget = math.log(1 + t * math.log(t) ** 2)
    e = gap / 4
    choice = gap * (budget / kl(mean - e, 0.1 + e) + 0.5 / e**2 + 2 / e**2)
    found = textbook.kl_ucb(EASY, t)
    assert gap * budget / kl(mean, 0.1) < found <= choice * 1.01


def test_kl_ucb_is_close_to_its_infimum():
    budget = math.log(1 + 10**6 * math.log(10**6) ** 2)
    for best, mean in ((0.1, 0.9), (0.3, 0.35), (0.3, 0.3 + 1e-7)):
        gap = mean - best

        def value(parts, gap=gap, mean=mean, best=best):
            # The divergence is the integral of (x - y) / (y (1 - y)) over y.
            first, second = gap * np.exp(parts)
            if first + second >= gap:
                return math.inf
            high, low = mean - first, best + second
            divergence = integrate.quad(lambda y: (high - y) / (y * (1 - y)), low, high)[0]
            return gap * (budget / divergence + 0.5 / first**2 + 2 / second**2)

        found = optimize.minimize(value, np.log([0.2, 0.3]), method="Nelder-Mead").fun
        assert found * 0.9999 <= textbook.kl_ucb(lowbid.Bernoulli([best, mean]), 10**6)
        assert textbook.kl_ucb(lowbid.Bernoulli([best, mean]), 10**6) <= found * 1.003
