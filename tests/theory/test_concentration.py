import math

import numpy as np
import pytest
from scipy import stats

import lowbid
from lowbid.errors import InvalidValueError
from lowbid.theory import printed
from lowbid.theory.concentration import (
    bernoulli_shortfall,
    bernstein,
    index_falls_below,
    index_width,
)


def test_shortfall_is_a_binomial_tail():
    # Below 0.5 - 0.13 = 0.37 with 10 losses: at most 3 of them.
    assert bernoulli_shortfall(10, 0.5, 0.13) == pytest.approx(stats.binom.cdf(3, 10, 0.5))
    # Exactly at the threshold is not below it.
    assert bernoulli_shortfall(8, 0.5, 0.25) == pytest.approx(stats.binom.cdf(1, 8, 0.5))


def test_corrected_bernstein_holds_exactly():
    for n in (1, 3, 10, 100, 1000, 10_000, 10**6):
        for mean in (1e-4, 0.01, 0.1, 0.5, 0.9, 0.999):
            for delta in (0.5, 0.1, 1e-2, 1e-4, 1e-8):
                width = float(bernstein(n, mean * (1 - mean), delta))
                assert bernoulli_shortfall(n, mean, width) <= delta


def test_published_failure_of_the_printed_lemma1():
    delta = math.exp(-10)
    width = float(printed.bernstein(10**6, 0.25, delta))
    found = bernoulli_shortfall(10**6, 0.5, width)
    assert found == pytest.approx(6.8e-4, rel=1e-3)
    assert found / delta == pytest.approx(15, rel=0.01)


def test_scale_of_bernstein():
    assert bernstein(50, 9 * 0.2, 0.1, scale=3.0) == pytest.approx(3 * bernstein(50, 0.2, 0.1))


def naive_index(losses, batches):
    estimates = []
    for j in range(batches):
        batch = losses[j::batches]
        estimates.append(sum(batch) / (len(batch) + 2))
    return min(estimates)


def test_shortfalls_agree_with_a_naive_index():
    from lowbid._random import key, seek_loss, stream_of_run
    from lowbid.theory._sampling import worst_shortfalls

    arm, batches, horizon = lowbid.Bernoulli([0.4]), 3, 20
    widths = np.linspace(0.3, 0.1, horizon)
    found = worst_shortfalls(arm, batches, widths, runs=5, seed=7)
    stream = np.zeros(1, np.uint64)
    for run in range(5):
        losses = []
        worst = -math.inf
        for i in range(horizon):
            seek_loss(stream, stream_of_run(key(7, "shortfalls"), run), 0, i)
            losses.append(arm.draw(arm.table(), 0, 0, stream))
            worst = max(worst, 0.4 - naive_index(losses, batches) - widths[i])
        assert found[run] == pytest.approx(worst, abs=1e-12)


def test_lemma4_holds_with_room():
    widths = index_width(np.arange(1, 501), 5, 0.25, horizon=500, delta=0.2)
    assert index_falls_below(lowbid.Bernoulli([0.5]), 5, widths, runs=500).high < 0.2
    assert index_falls_below(lowbid.Bernoulli([0.5]), 5, widths * 0.1, runs=500).value > 0.9


def test_printed_lemma4_fails_exactly():
    # One batch, all losses in it: the index is S / (n + 2).
    n, delta = 10**7, 1e-13
    width = float(printed.index_width(n, 1, 0.25, n, delta))
    below = math.ceil((n + 2) * (0.5 - width)) - 1
    assert stats.binom.cdf(below, n, 0.5) > delta
    width = float(index_width(n, 1, 0.25, n, delta))
    below = math.ceil((n + 2) * (0.5 - width)) - 1
    assert stats.binom.cdf(below, n, 0.5) <= delta


def test_bad_input_is_refused():
    with pytest.raises(InvalidValueError, match="delta"):
        bernstein(10, 0.25, 0.0)
    for width in (bernstein, printed.bernstein):
        with pytest.raises(InvalidValueError, match="n is"):
            width(0, 0.25, 0.05)
    with pytest.raises(InvalidValueError, match="variance"):
        bernstein(10, -1.0, 0.05)
    with pytest.raises(InvalidValueError, match="batches"):
        index_width(10, 0, 0.25, 10, 0.05)
    with pytest.raises(InvalidValueError, match="one"):
        index_falls_below(lowbid.Bernoulli([0.5, 0.6]), 2, [0.1])
