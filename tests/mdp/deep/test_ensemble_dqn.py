import dataclasses
import math

import pytest

from lowbid.errors import InvalidValueError
from lowbid.mdp import deep


def test_the_defaults_are_those_of_bsuite():
    assert dataclasses.asdict(deep.BootstrappedDQN()) == {
        "members": 20,
        "prior_scale": 5.0,
        "hidden": (50, 50),
        "learning_rate": 1e-3,
        "batch_size": 128,
        "discount": 0.99,
        "replay_capacity": 10_000,
        "min_replay_size": 128,
        "sgd_period": 1,
        "target_update_period": 4,
        "mask_probability": 1.0,
        "noise_scale": 0.0,
        "exploration": 0.0,
    }
    changed = deep.BiddingDQN.tensorflow(exploration=5.0)
    assert changed == deep.BiddingDQN(prior_scale=3.0, mask_probability=0.5, exploration=5.0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"members": 0}, "members is 0; give a whole number, 1 or larger"),
        ({"members": 2.0}, "members is 2.0"),
        ({"prior_scale": -1.0}, "prior_scale is -1.0; give a finite number at least 0"),
        ({"prior_scale": math.inf}, "prior_scale is inf"),
        ({"hidden": 50}, r"hidden is 50; give the sizes of the hidden layers, such as \(50, 50\)"),
        ({"hidden": "50"}, "hidden is '50'"),
        ({"hidden": (50, 0)}, "a size in hidden is 0"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0; give a finite number above 0"),
        ({"learning_rate": math.nan}, "learning_rate is nan"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"discount": 1.1}, "discount is 1.1; give a probability from 0 to 1"),
        ({"replay_capacity": 0}, "replay_capacity is 0"),
        ({"replay_capacity": 100}, "min_replay_size is 128, more than replay_capacity, 100"),
        ({"sgd_period": 0}, "sgd_period is 0"),
        ({"target_update_period": True}, "target_update_period is True"),
        ({"mask_probability": 0.0}, "no member would learn"),
        ({"mask_probability": 2}, "mask_probability is 2"),
        ({"noise_scale": -0.1}, "noise_scale is -0.1"),
        ({"exploration": "1"}, "exploration is '1'"),
    ],
)
def test_parameters_that_cannot_work_are_refused(parameters, message):
    with pytest.raises(InvalidValueError, match=message):
        deep.BootstrappedDQN(**parameters)


def test_lists_and_tuples_of_sizes_are_the_same():
    assert deep.BootstrappedDQN(hidden=[8, 4]) == deep.BootstrappedDQN(hidden=(8, 4))
    assert hash(deep.BootstrappedDQN(hidden=[8, 4])) == hash(deep.BootstrappedDQN(hidden=(8, 4)))
    assert deep.BootstrappedDQN(hidden=()).hidden == ()


def test_a_rule_must_say_whom_to_follow():
    with pytest.raises(TypeError, match="follow"):
        deep.EnsembleDQN()
