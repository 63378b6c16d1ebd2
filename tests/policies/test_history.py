import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lowbid.policies._base import extend
from lowbid.policies._history import append_loss, append_sum, history_of, sum_of_first


@given(st.lists(st.integers(0, 3), min_size=1, max_size=200), st.integers(1, 50))
def test_keeps_every_loss_in_little_room(arms, first_capacity):
    """Whatever the order of the arms, and however often the room is doubled on the way."""
    capacity = first_capacity
    history = history_of(4, capacity)
    sums = history_of(4, capacity)
    kept = [[] for _ in range(4)]
    for step, arm in enumerate(arms):
        if step == capacity:
            capacity *= 2
            history = extend(history, history_of(4, capacity))
            sums = extend(sums, history_of(4, capacity))
        append_loss(history, arm, float(step))
        append_sum(sums, arm, float(step))
        kept[arm].append(float(step))
        assert history.used[0] <= 4 * (step + 1)
    for arm, losses in enumerate(kept):
        start = history.start[arm]
        assert history.pool[start : start + history.counts[arm]].tolist() == losses
        assert history.totals[arm] == sum(losses)
        for n in range(len(losses) + 1):
            assert sum_of_first(sums, arm, n) == sum(losses[:n])


def test_losses_are_measured_from_the_first_one():
    history = history_of(2, 10)
    append_loss(history, 1, 1e15)
    append_loss(history, 0, 1e15 + 1.0)
    assert history.totals.tolist() == [1.0, 0.0]
    assert np.isnan(history_of(2, 10).origin[0])
