import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lowbid.Contaminated(lowbid.Bernoulli([0.1]), 1.0, 1.5), "chance is 1.5"),
        (lambda: lowbid.Contaminated(lowbid.Bernoulli([0.1]), 1e200, 0.1), "value is 1e"),
    ],
)
def test_bad_arms_are_named(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()


def test_losses_are_wrong_as_often_as_stated_and_count_as_right():
    arms = lowbid.Contaminated(lowbid.Bernoulli([0.2, 0.3]), value=-1e6, chance=0.1)
    table = arms.table(0, 1)
    losses = np.array([lowbid.simulation.loss_of(arms, table, 0, 0, 1, n) for n in range(4000)])
    wrong = (losses == -1e6).mean()
    assert abs(wrong - 0.1) < 4 * np.sqrt(0.1 * 0.9 / 4000)
    assert abs(losses[losses >= 0].mean() - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 3600)
    assert arms.means.tolist() == [0.2, 0.3]
    assert arms.support == (-1e6, 1.0)
