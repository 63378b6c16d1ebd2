import copy

import numpy as np
import pytest

from contextual.play import Player, golden
from lowbid.contextual import LinearMED
from naive import contextual as naive


def test_the_chances_have_the_values_of_the_specification():
    player = golden(LinearMED(columns=2))
    chances = [player.policy.chance(player.state, 3, arm) for arm in range(3)]
    assert chances == pytest.approx([0.664705, 0.334705, 0.000589], abs=1e-6)
    state = player.state
    against = naive.evidence(state.means, state.uncertainties, state.model.prior[1])
    assert chances == pytest.approx(naive.med(against, 20.0))
    assert sum(chances) == pytest.approx(1.0)


def test_arms_are_drawn_as_often_as_it_says():
    player = golden(LinearMED(columns=2))
    counts, draws = np.zeros(3), 5_000
    for _ in range(draws):
        counts[player.select((4, 250), step=3)] += 1
        player.state.model.columns.seen[0] -= 1
    chances = np.array([player.policy.chance(player.state, 3, arm) for arm in range(3)])
    errors = np.sqrt(draws * chances * (1 - chances))
    assert (np.abs(counts - draws * chances) <= 4 * errors + 1e-9).all()


def test_arms_never_played_share_the_chance():
    player = Player(LinearMED(columns=1), 4)
    player.update(player.select((1,)), (1,), 2.0)
    arm = player.select((1,))
    assert player.policy.chance(player.state, 2, arm) == pytest.approx(1 / 3)


def test_weighting_by_the_chances_is_unbiased():
    """The mean loss of uniform play, from a log of this policy's choices."""
    means = np.array([0.2, 0.5, 0.9])
    rng, estimates = np.random.default_rng(0), []
    for seed in range(60):
        player, total = Player(LinearMED(columns=1, patience=1.0), 3, seed), []
        for _ in range(40):
            x = rng.normal(size=1)
            arm = player.select(x)
            chance = player.policy.chance(copy.copy(player.state), player.step, arm)
            loss = float(rng.random() < means[arm])
            player.update(arm, x, loss)
            total.append(loss / 3 / chance)
        estimates.append(np.mean(total))
    error = np.std(estimates) / len(estimates) ** 0.5
    assert abs(np.mean(estimates) - means.mean()) < 4 * error
