import numpy as np

import lowbid


def test_the_loss_is_always_the_same():
    arms = lowbid.Deterministic([0.25, -3.0])
    assert arms.support == (-3.0, 0.25)
    assert arms.means.tolist() == [0.25, -3.0]
    stream = np.zeros(1, np.uint64)
    assert [arms.draw(arms.table(), 0, arm, stream) for arm in (0, 1, 1)] == [0.25, -3.0, -3.0]
    assert stream[0] == 0, "it draws nothing"
