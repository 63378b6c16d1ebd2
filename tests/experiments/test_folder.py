import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError
from lowbid.experiments import Case, Folder, run
from lowbid.experiments._claim_folder import claimed
from lowbid.experiments._folder import described

ARMS = lowbid.Bernoulli([0.1, 0.5])


def case(**changes):
    like = {"horizon": 30, "runs": 3, "seed": 2, "policies": {"ucb": lowbid.UCB1()}}
    return Case("key", "title", ARMS, **{**like, **changes})


def contents(*cases):
    return {"kind": "comparison", "command": "", "cases": [described(each) for each in cases]}


def test_data_that_nobody_vouches_for_are_not_taken_for_results(tmp_path):
    """A file of the right name, in a folder that says nothing of an experiment."""
    run(case(seed=1), Folder(tmp_path))
    folder = Folder(tmp_path)
    folder.start(contents(case()), [case()])
    assert run(case(), folder).provenance["seed"] == 2
    assert np.array_equal(
        Folder(tmp_path).result("key").regret,
        lowbid.simulate({"ucb": lowbid.UCB1()}, ARMS, 30, 3, 2).regret,
    )


@pytest.mark.parametrize(
    "changes",
    [{"seed": 3}, {"runs": 4}, {"horizon": 31}, {"policies": {"ucb": lowbid.UCB1(scale=2)}}],
    ids=str,
)
def test_a_case_knows_its_own_results(changes, tmp_path):
    found = run(case(), Folder(tmp_path))
    assert case().began(found)
    assert not case(**changes).began(found)


def test_a_folder_is_claimed_by_one_at_a_time(tmp_path):
    with claimed(tmp_path), pytest.raises(InvalidValueError, match="in use"), claimed(tmp_path):
        pass
    with claimed(tmp_path):
        pass
