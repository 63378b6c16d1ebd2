"""What all UCB policies share: their states add up."""

import numpy as np
import pytest

import lowbid
from lowbid._compile import interpreted
from lowbid.errors import InvalidValueError
from lowbid.policies._base import arrays_of

MERGING = [
    lowbid.UCB1(),
    lowbid.UCBAlpha(),
    lowbid.UCBTuned(),
    lowbid.UCBV(),
    lowbid.AnytimeMOSS(),
]


def state_after(policy, losses, n_arms=4):
    parameters, state = policy.start(n_arms)
    stream = np.zeros(1, np.uint64)
    for step, (arm, loss) in enumerate(losses, start=1):
        policy.kernels.update(parameters, state, arm, loss, step, stream)
    policy.kernels.select(parameters, state, len(losses) + 1, stream)
    return state


@pytest.mark.parametrize("policy", MERGING, ids=lambda policy: policy.name)
def test_merged_states_are_that_of_one_who_saw_everything(policy):
    """The fourth arm has no losses, the third has some in one state only."""
    losses = [(i % 2, (i * 7 % 16) / 16.0) for i in range(40)]
    more = [(2, 0.25), (0, 1.0), (2, 0.75)]
    with interpreted():
        merged = policy.merge(state_after(policy, losses), state_after(policy, more))
        whole = state_after(policy, losses + more)
        parameters = policy.parameters(4, None, 100)
        policy.kernels.select(parameters, merged, 44, np.zeros(1, np.uint64))
    for ours, theirs in zip(arrays_of(merged), arrays_of(whole), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_what_the_horizon_is_in_cannot_be_merged():
    policy = lowbid.MOSS(horizon=100)
    with pytest.raises(InvalidValueError, match=r"two states of MOSS.* cannot be merged"):
        policy.merge(policy.start(2)[1], policy.start(2)[1])


@pytest.mark.parametrize("policy", [*MERGING, lowbid.MOSS()], ids=lambda policy: policy.name)
def test_adding_a_number_to_every_loss_is_promised_to_change_nothing(policy):
    assert policy.location_free
    assert not policy.scale_free
