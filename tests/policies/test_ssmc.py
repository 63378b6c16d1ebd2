"""SSMC compared with its naive twin."""

import pytest

import lowbid
from duelling import DRAWS, follow
from naive import duels


@pytest.mark.parametrize("draws", DRAWS)
def test_plays_the_same_rounds_as_its_naive_twin(draws):
    twin = duels.NaiveRounds(5, duels.any_window, True)
    follow(lowbid.SSMC(), twin, 5, DRAWS[draws], steps=300)  # the twin looks at every window again
