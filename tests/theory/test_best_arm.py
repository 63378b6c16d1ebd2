"""What it takes to know the best arm."""

import numpy as np
import pytest

from lowbid.errors import InvalidValueError
from lowbid.policies import bernoulli_divergence
from lowbid.theory import best_arm


@pytest.mark.parametrize(
    ("means", "plays", "shares"),
    [
        ([0.5, 0.45, 0.43, 0.4], 990, [0.417, 0.390, 0.136, 0.057]),
        ([0.3, 0.21, 0.2, 0.19, 0.18], 327, [0.336, 0.251, 0.177, 0.132, 0.104]),
    ],
)
def test_the_instances_of_the_paper(means, plays, shares):
    found = best_arm.bernoulli_complexity(1.0 - np.array(means))
    assert found.plays == pytest.approx(plays, abs=0.5)
    assert found.shares == pytest.approx(shares, abs=5e-4)
    back = best_arm.bernoulli_complexity(1.0 - np.array(means[::-1]))
    assert back.shares[::-1] == pytest.approx(found.shares)


def value(shares, losses):
    """The least evidence per play, over the arms and over a fine grid of common means."""
    grid = np.linspace(min(losses), max(losses), 4001)
    first = np.array([bernoulli_divergence(losses[0], m, 1.0) for m in grid])
    return min(
        (w * np.array([bernoulli_divergence(x, m, 1.0) for m in grid]) + shares[0] * first).min()
        for w, x in zip(shares[1:], losses[1:], strict=True)
    )


def test_no_other_shares_are_better():
    losses = [0.2, 0.4, 0.5]
    found = best_arm.bernoulli_complexity(losses)
    assert value(found.shares, losses) == pytest.approx(1.0 / found.plays, rel=1e-4)
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = np.abs(found.shares + 0.05 * rng.normal(size=3))
        assert value(other / other.sum(), losses) < 1.0 / found.plays


def test_two_gaussian_arms_share_the_plays():
    found = best_arm.gaussian_complexity([0.0, 0.5], sd=2.0)
    assert found.shares == pytest.approx([0.5, 0.5])
    assert found.plays == pytest.approx(8.0 * 4.0 / 0.25)


@pytest.mark.parametrize("means", [[0.5], [0.5, 0.5, 0.7], [0.0, 0.5], [0.5, np.nan], "arms"])
def test_other_arms_are_refused(means):
    with pytest.raises(InvalidValueError):
        best_arm.bernoulli_complexity(means)
