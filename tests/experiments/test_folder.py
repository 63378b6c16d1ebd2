import numpy as np
import pytest

import lowbid
from lowbid.errors import FileFormatError
from lowbid.experiments import Case, Folder, run
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


def test_a_folder_of_a_newer_lowbid_is_refused(tmp_path):
    folder = Folder(tmp_path)
    folder.start(contents(case()), [case()])
    file = tmp_path / "experiment.json"
    file.write_text(file.read_text().replace('"format_version": 1', '"format_version": 2'))
    with pytest.raises(FileFormatError, match="upgrade lowbid"):
        folder.read()


def test_the_page_says_which_policies_are_not_made_for_the_losses():
    bad = Case("key", "t", lowbid.Gaussian([-5.0, -4.0]), {"be": lowbid.BatchEnsemble()}, 9, 2, 1)
    assert 'baseline="minimum"' in described(bad)["notes"]["Note on be"]
    assert described(case())["notes"] == {}
