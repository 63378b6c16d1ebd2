import pytest

import lowbid
from lowbid.experiments import Case, Folder, run

ARMS = lowbid.Bernoulli([0.1, 0.5])


def case(**changes):
    like = {"horizon": 30, "runs": 3, "seed": 2, "policies": {"ucb": lowbid.UCB1()}}
    return Case("key", "title", ARMS, **{**like, **changes})


@pytest.mark.parametrize(
    "changes",
    [{"seed": 3}, {"runs": 4}, {"horizon": 31}, {"policies": {"ucb": lowbid.UCB1(scale=2)}}],
    ids=str,
)
def test_a_case_knows_its_own_results(changes, tmp_path):
    found = run(case(), Folder(tmp_path))
    assert case().began(found)
    assert not case(**changes).began(found)
