import numpy as np
import pytest

from lowbid.errors import InvalidValueError
from lowbid.mdp import deep
from mdp.deep.small import SMALL


def test_a_trial_that_is_not_solved_has_all_its_episodes():
    trial = deep.solve_deep_sea(SMALL, size=3, seed=1, episodes=2)
    assert (trial.size, trial.seed) == (3, 1)
    assert len(trial.bad) == len(trial.returns) == 2
    assert trial.solved == deep.solving_episode(trial.bad)


@pytest.mark.parametrize("bad", [{"size": 1}, {"episodes": 0}, {"seed": -1}, {"rule": "dqn"}])
def test_bad_settings_are_refused(bad):
    with pytest.raises(InvalidValueError):
        deep.solve_deep_sea(**{"rule": SMALL, "size": 3, **bad})


@pytest.mark.slow
@pytest.mark.parametrize("rule", [deep.BootstrappedDQN, deep.BiddingDQN])
def test_deep_sea_10_is_solved_as_dithering_could_not(rule):
    trial = deep.solve_deep_sea(rule(), size=10, seed=0, episodes=400)
    assert trial.solved is not None
    assert trial.solved == len(trial.bad)
    assert np.isclose(trial.returns[~trial.bad], 0.99).all()
    assert trial.bad.mean() < 0.8
