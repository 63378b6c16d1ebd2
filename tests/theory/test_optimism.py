import math

import numpy as np
import pytest
from scipy import stats

from lowbid.errors import InvalidValueError
from lowbid.theory import (
    GARNETT,
    PAPER,
    SHARP,
    FiniteLaw,
    GaussianLaw,
    batches_needed,
    bernoulli_floor,
    ensemble_optimism,
    lemma2_floor,
    optimism,
    paper_batches,
    verdict,
)


def bernoulli(mean):
    return FiniteLaw([0.0, 1.0], [1.0 - mean, mean])


@pytest.mark.parametrize("n", [1, 2, 5, 13])
@pytest.mark.parametrize("padding", [0.5, 2.0])
def test_bernoulli_floor_is_the_infimum_over_a_fine_grid(n, padding):
    means = np.linspace(0, 1, 20_001)
    values = stats.binom.cdf(np.floor((n + padding) * means + 1e-9), n, means)
    assert values.min() == pytest.approx(
        bernoulli_floor(n, padding), abs=n / 20_000
    )  # the slope is n at most
    assert values.min() >= bernoulli_floor(n, padding) - 1e-12


def test_bernoulli_floor_has_its_closed_form():
    for n in range(1, 200):
        assert bernoulli_floor(n) == pytest.approx((1 - 1 / (n + 2)) ** n, rel=1e-11)
        assert bernoulli_floor(n, 1.0) == pytest.approx((1 - 1 / (n + 1)) ** n, rel=1e-11)
        assert bernoulli_floor(n) > math.exp(-1)


def test_published_minima():
    found = [round(bernoulli_floor(n), 4) for n in (1, 2, 3, 5, 10, 20, 40, 60)]
    assert found == [0.6667, 0.5625, 0.5120, 0.4627, 0.4189, 0.3944, 0.3814, 0.3770]


def test_other_paddings():
    assert bernoulli_floor(1, 0.0) == 0.0
    assert bernoulli_floor(1, 1 / 3) == pytest.approx(1 / 4)
    assert bernoulli_floor(1, 1 / 2) == pytest.approx(1 / 3)
    assert min(bernoulli_floor(n, 1 / 3) for n in range(1, 300)) == pytest.approx(1 / 4)


@pytest.mark.parametrize("n", [2, 3, 7, 20])
def test_lemma2_floor_is_the_infimum_over_a_fine_grid(n):
    means = np.linspace(0, 1 - 1 / n, 20_001)
    values = stats.binom.cdf(np.floor(n * means + 1e-9), n, means)
    assert values.min() == pytest.approx(lemma2_floor(n), abs=n / 20_000)  # the slope is n at most
    assert values.min() >= lemma2_floor(n) - 1e-12


def test_lemma2_holds_and_is_tight():
    floors = [lemma2_floor(n) for n in range(2, 400)]
    assert floors[0] == pytest.approx(0.25)
    assert (np.diff(floors) > 0).all()
    assert floors[-1] < 1 - 2 / math.e
    assert lemma2_floor(3000) == pytest.approx(1 - 2 / math.e, abs=1e-3)


def test_published_failures_for_negative_means():
    found = [optimism(GaussianLaw(mu), n).value for mu, n in [(-0.1, 1), (-1, 1), (-5, 10)]]
    assert found == pytest.approx([0.42, 0.023, 8e-4], rel=0.03)


def test_rare_large_gains_break_optimism_at_a_positive_mean():
    law = FiniteLaw([-100.0, 1.0], [0.005, 0.995])  # mean 0.495
    found = verdict(law, 10)
    assert found.chance.value == pytest.approx(1 - 0.995**10)
    assert not found.enough
    assert "skewed to the left" in found.why
    assert verdict(bernoulli(0.3), 10).enough
    assert "negative" in verdict(GaussianLaw(-1.0), 3).why
    assert "padding" in verdict(FiniteLaw([0.0, 1.0], [0.0001, 0.9999]), 9, padding=0.0).why


def test_empty_batches():
    assert optimism(bernoulli(0.2), 0).value == 1.0
    assert optimism(GaussianLaw(-0.1), 0).value == 0.0


def test_ensemble_is_the_product_of_its_batches():
    law = bernoulli(0.08)
    sizes = [4, 4, 3]  # 11 losses dealt to 3 batches
    failure = math.prod(1 - optimism(law, size).value for size in sizes)
    assert ensemble_optimism(law, 11, 3).value == pytest.approx(1 - failure)
    assert ensemble_optimism(law, 2, 3).value == 1.0  # an empty batch


def test_lemma3_for_the_batches_of_the_paper():
    for n in (0, 1, 5, 40, 200):
        for mean in np.linspace(0, 1, 53):
            found = ensemble_optimism(bernoulli(round(mean, 4)), n, 5).value
            assert found >= 1 - math.exp(-10 / 7)


def test_batches_needed():
    assert batches_needed(0.01, 0.25) == math.ceil(math.log(0.01) / math.log(0.75))
    assert batches_needed(0.01, 1.0) == 1
    for k in range(1, 60):  # whole quotients
        assert batches_needed(0.5**k, 0.5) == k
        assert batches_needed(0.75**k, 0.25) == k
    assert paper_batches(0.01) == math.ceil(3.5 * math.log(100))
    per_log = [p.batches_per_log for p in (PAPER, SHARP, GARNETT)]
    assert per_log == pytest.approx([3.5, 2.18, 6.63], abs=0.005)
    for proof in (PAPER, SHARP, GARNETT):
        assert (1 - proof.chance) ** math.ceil(proof.batches_per_log * math.log(100)) <= 0.01
    for bad in [(0.0, 0.5), (1.0, 0.5), (0.1, 0.0)]:
        with pytest.raises(InvalidValueError):
            batches_needed(*bad)
