"""BESA compared with its naive twin."""

import pytest

import lowbid
from duelling import DRAWS, follow
from naive import duels


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("n_arms", [2, 5])
@pytest.mark.parametrize("random_ties", [False, True])
def test_plays_the_same_tournaments_as_its_naive_twin(draws, n_arms, random_ties):
    policy = lowbid.BESA(initial=2, random_ties=random_ties)
    twin = duels.NaiveBESA(n_arms, initial=2, random_ties=random_ties)
    follow(policy, twin, n_arms, DRAWS[draws])
