"""What the tests of deep agents share, so that little has to be compiled."""

from lowbid.mdp import deep
from lowbid.mdp.deep._networks import Inputs

SMALL = deep.BiddingDQN(
    members=3,
    prior_scale=2.0,
    hidden=(4,),
    learning_rate=0.1,
    batch_size=8,
    discount=0.9,
    replay_capacity=10,
    min_replay_size=6,
    sgd_period=2,
    target_update_period=3,
    mask_probability=0.5,
    noise_scale=0.3,
    exploration=2.0,
)
VECTORS = Inputs(4, 4, one_hot=False)
STATES = Inputs(6, 9, one_hot=True)  # those of DeepSea(3)
