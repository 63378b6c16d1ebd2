import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multinomial

from lowbid.errors import InvalidValueError
from lowbid.theory import FEIGE, GARNETT, HE_ZHANG_ZHANG, FiniteLaw, optimism
from lowbid.theory.conjecture import (
    _below,
    conjectured_floor,
    counterexample,
    search,
    three_point_counterexample,
)


@pytest.mark.parametrize(
    ("n", "p", "scale", "published"),
    [(10, 0.999, 0.9, 0.00996), (5, 0.99, 0.8, 0.0490), (100, 0.99999, 0.98, 0.0010)],
)
def test_published_counterexamples(n, p, scale, published):
    found = counterexample(n, p, scale)
    assert found.mean <= 1 - 1 / n
    assert found.literal.value == pytest.approx(1 - p**n, rel=1e-9)
    assert found.literal.value == pytest.approx(published, abs=6e-5)
    assert found.optimism.value == 1.0


def test_published_three_point_counterexamples():
    first, second = three_point_counterexample(10, 0.01), three_point_counterexample(10, 0.001)
    assert first.law.support == (0.0, 1.0)
    assert first.literal.value == pytest.approx(0.0955, abs=5e-5)
    assert second.literal.value == pytest.approx(0.00995, abs=1e-5)
    assert first.optimism.value == pytest.approx(1.0, abs=5e-5)


@given(st.integers(2, 200), st.floats(1e-4, 0.2))
def test_every_n_has_a_counterexample(n, wanted):
    p = 1 - wanted / n
    found = counterexample(n, p)
    assert found.mean <= 1 - 1 / n + 1e-12
    assert found.literal.value <= wanted * (1 + 1e-9)


@given(st.integers(1, 6), st.lists(st.floats(0.001, 0.999), min_size=4, max_size=4))
def test_sums_of_three_point_laws_agree_with_enumeration(n, point):
    top, share, low, between = point
    values = np.array([low, low + (1 - low) * between, 1.0])
    chances = np.array([(1 - top) * (1 - share), (1 - top) * share, top])
    threshold = (n + 2) * (values @ chances)
    total, near = 0.0, False
    for i in range(n + 1):
        for j in range(n + 1 - i):
            counts = np.array([i, j, n - i - j])
            near = near or abs(counts @ values - threshold) < 1e-9
            if counts @ values < threshold:
                total += multinomial.pmf(counts, n, chances)
    if not near:
        assert _below(np.array(point), n, 2.0) == pytest.approx(total, abs=1e-10)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 60])
def test_search_finds_the_floor_and_nothing_below(n):
    found = search(n, restarts=2)
    assert found.holds
    assert found.lowest == pytest.approx(found.floor, abs=1e-8)


@pytest.mark.parametrize("padding", [0.5, 1.0])
def test_search_with_another_padding(padding):
    assert search(4, restarts=2, padding=1.0).lowest == pytest.approx(0.8**4, abs=1e-8)
    assert search(1, restarts=2, padding=padding).lowest == pytest.approx(
        1 - 1 / (1 + padding), abs=1e-8
    )


def test_search_can_find_a_violation():
    # Without padding nothing survives: P(S_1 < mean) of a loss that is almost always 1 is small.
    assert search(1, restarts=2, padding=0.0).lowest < 0.01
    found = search(3, restarts=2, padding=0.0)
    assert found.floor == pytest.approx((2 / 3) ** 3)
    assert not found.holds


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(1, 50), min_size=4, max_size=4),
    st.integers(1, 12),
)
def test_what_is_proved_and_what_is_conjectured_hold_for_random_laws(values, weights, n):
    weights = weights[: len(values)]
    law = FiniteLaw([float(v) for v in values], [w / sum(weights) for w in weights])
    found = optimism(law, n).value
    assert found >= max(proof.chance for proof in (FEIGE, HE_ZHANG_ZHANG, GARNETT))
    assert found >= conjectured_floor(n) - 1e-12


def test_floor_tends_to_one_over_e_from_above():
    floors = [conjectured_floor(n) for n in range(1, 1000)]
    assert (np.diff(floors) < 0).all()
    assert floors[-1] > math.exp(-1)


def test_bad_input_is_refused():
    with pytest.raises(InvalidValueError, match="p is"):
        counterexample(10, 0.5)
    with pytest.raises(InvalidValueError, match="scale"):
        counterexample(10, 0.999, 1.0)
    with pytest.raises(InvalidValueError, match="n is"):
        counterexample(1)
    with pytest.raises(InvalidValueError, match="n is"):
        three_point_counterexample(0)
    with pytest.raises(InvalidValueError, match="rare is"):
        three_point_counterexample(10, 1.0)
    with pytest.raises(InvalidValueError, match="padding"):
        search(3, padding=math.nan)


def test_what_breaks_nothing_is_no_counterexample():
    with pytest.raises(InvalidValueError, match=r"0\.6106.*p closer to 1"):
        counterexample(10, 0.91)
    with pytest.raises(InvalidValueError, match="smaller rare"):
        three_point_counterexample(10, 0.5)
