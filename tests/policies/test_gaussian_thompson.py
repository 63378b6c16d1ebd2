import pytest

import lowbid
from naive.rules import gaussian_thompson, makes_the_same_choices


@pytest.mark.parametrize("sd", [1.0, 0.2])
def test_follows_the_naive_rule(sd):
    arms = lowbid.Gaussian([-0.2, 0.0, 0.5], sd=0.5)
    makes_the_same_choices(lowbid.GaussianThompson(sd), arms, gaussian_thompson(sd))
