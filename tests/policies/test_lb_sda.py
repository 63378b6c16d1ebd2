"""LB-SDA compared with its naive twin."""

import pytest

import lowbid
from duelling import DRAWS, follow
from naive import duels


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("forced", [False, True])
def test_plays_the_same_rounds_as_its_naive_twin(draws, forced):
    policy = lowbid.LBSDA(forced_exploration=forced)
    follow(policy, duels.NaiveRounds(5, duels.last_block, forced), 5, DRAWS[draws])
