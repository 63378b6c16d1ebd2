import numpy as np
import pytest

from contextual.play import Player, golden
from lowbid.contextual import LinearIMED
from naive import contextual as naive


def test_indices_are_those_of_the_rule():
    state = golden(LinearIMED(columns=2)).state
    noise = state.model.prior[1]
    against = naive.evidence(state.means, state.uncertainties, noise)
    assert state.indices == pytest.approx(naive.imed(against, state.uncertainties, 8.0))


def test_arms_never_played_come_first_in_random_order():
    orders = set()
    for seed in range(30):
        player, order = Player(LinearIMED(columns=1), 3, seed), []
        for i in range(3):
            arm = player.select((i,))
            order.append(arm)
            player.update(arm, (i,), 1.0 + i)
        assert sorted(order) == [0, 1, 2]
        orders.add(tuple(order))
    assert len(orders) == 6


def test_a_pending_decision_makes_its_arm_less_urgent():
    player = golden(LinearIMED(columns=2))
    arm = player.select((4, 250), step=4)
    before = player.state.indices.copy()
    player.hold(arm, (4, 250), 1)
    player.select((4, 250), step=4)
    assert player.state.indices[arm] > before[arm]


def test_evidence_that_is_certain_is_not_infinite():
    player = Player(LinearIMED(columns=1), 2)
    for i in range(400):
        player.update(i % 2, (i % 5,), float(i % 2))
    player.select((1,), step=2)
    assert np.isfinite(player.state.indices).all()
