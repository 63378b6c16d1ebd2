import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError

DAY, NIGHT = lowbid.Bernoulli([0.1, 0.5]), lowbid.Bernoulli([0.5, 0.1])
DUSK = lowbid.Bernoulli([0.3, 0.4])


def test_given_changes_happen_after_their_steps_in_turn():
    arms = lowbid.Switching([DAY, NIGHT, DUSK], after=[2, 3, 6])
    expected = [DAY, DAY, NIGHT, DUSK, DUSK, DUSK, DAY, DAY]
    assert np.array_equal(arms.means_at(np.arange(1, 9)), [each.means for each in expected])


def test_random_changes_have_geometric_distances_and_go_elsewhere():
    chance, horizon = 0.05, 4000
    arms = lowbid.Switching([DAY, NIGHT, DUSK], chance=chance)
    means = np.concatenate([arms.means_at(np.arange(1, horizon + 1), 1, run) for run in range(3)])
    which = np.array([[DAY, NIGHT, DUSK][i].means[0] for i in range(3)])
    phases = np.array([np.flatnonzero(which == mean)[0] for mean in means[:, 0]])
    changed = np.flatnonzero(np.diff(phases.reshape(3, -1), axis=1).ravel() != 0)
    n = 3 * (horizon - 1)
    assert abs(len(changed) / n - chance) < 4 * np.sqrt(chance * (1 - chance) / n)
    # From each environment the other two come equally often.
    moves = (np.diff(phases.reshape(3, -1), axis=1).ravel()[changed]) % 3
    assert abs((moves == 1).mean() - 0.5) < 4 * 0.5 / np.sqrt(len(moves))
    assert phases[0] == 0


def test_every_run_and_every_seed_has_changes_of_its_own():
    arms = lowbid.Switching([DAY, NIGHT], chance=0.1)
    steps = np.arange(1, 100)
    first = arms.means_at(steps, seed=0, run=0)
    assert np.array_equal(first, arms.means_at(steps, seed=0, run=0))
    for other in (arms.means_at(steps, seed=0, run=1), arms.means_at(steps, seed=1, run=0)):
        assert not np.array_equal(first, other)


def test_families_and_spreads_may_change_too():
    arms = lowbid.Switching([DAY, lowbid.Gaussian([2.0, 3.0], sd=[0.1, 0.2])], after=[1])
    table = arms.table_at(2)
    assert arms.means_of(table).tolist() == [[2.0, 3.0]]
    np.testing.assert_allclose(arms.variances_of(table), [[0.01, 0.04]])
    assert arms.support == (-np.inf, np.inf)
    assert arms.n_arms == 2


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"environments": [DAY, NIGHT]}, "give the steps"),
        ({"environments": [DAY, NIGHT], "after": [1], "chance": 0.1}, "not both"),
        ({"environments": [DAY], "after": [1]}, "at least two"),
        ({"environments": DAY, "after": [1]}, "give a list"),
        ({"environments": [DAY, lowbid.Bernoulli([0.1])], "after": [1]}, "2, 1 arms"),
        ({"environments": [DAY, 0.5], "after": [1]}, "one of the environments is 0.5"),
        ({"environments": [DAY, NIGHT], "after": [3, 2]}, "increasing"),
        ({"environments": [DAY, NIGHT], "after": []}, "increasing"),
        ({"environments": [DAY, NIGHT], "chance": 0.0}, "chance"),
    ],
)
def test_refuses_what_cannot_switch(arguments, match):
    with pytest.raises(InvalidValueError, match=match):
        lowbid.Switching(**arguments)
