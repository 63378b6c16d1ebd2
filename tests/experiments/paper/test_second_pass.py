import dataclasses

import numpy as np
import pytest

import lowbid
from lowbid.experiments import Folder
from lowbid.experiments.paper import CLAIMS, Plan, choose, tally
from lowbid.experiments.paper import _second_pass as second
from lowbid.experiments.paper._cases import ENSEMBLES, UCB_KL
from lowbid.experiments.paper._evidence import Study
from lowbid.experiments.paper._judge import Judged

DEFAULTS = choose([])
KEY = "test-3-ensembles-lower"


@pytest.fixture(scope="module")
def case():
    plan = Plan(DEFAULTS, 50, 5, 0, tests=["test-3"], policies=[*ENSEMBLES, UCB_KL])
    return plan.cases()[0]


@pytest.fixture(scope="module")
def study(case):
    return Study.of({"test-3": run(case)}, {})


def run(case):
    return lowbid.simulate(
        case.policies, case.environment, case.horizon, case.runs, case.seed, progress=False
    )


def test_only_what_open_checks_look_at_is_wanted(study):
    wanted = second.open_questions(study)
    assert {test for test, _, _ in wanted} == {"test-3"}
    assert {policy for _, policy, _ in wanted} == {*ENSEMBLES, UCB_KL}
    assert {step for _, _, step in wanted} == {1.0}


def test_it_runs_new_runs_once_and_keeps_what_is_needed(study, case, tmp_path, monkeypatch):
    monkeypatch.setattr(second, "RUNS", 40)
    folder = Folder(tmp_path)
    assert second.run_second_pass(study, [case], folder) == ["test-3"]
    found = folder.result(second.key_of("test-3"))
    assert found.regret.shape == (3, 40, 1)
    more = run(dataclasses.replace(case, runs=40, seed=case.seed + 1))
    assert np.array_equal(found.regret[..., 0], more.regret[..., -1])
    monkeypatch.setattr(second, "simulate", None)
    assert second.run_second_pass(study, [case], folder) == ["test-3"]


def test_more_runs_are_not_fewer_runs(study, case, tmp_path, monkeypatch):
    monkeypatch.setattr(second, "RUNS", case.runs)
    assert second.run_second_pass(study, [case], Folder(tmp_path)) == []


def test_the_second_look_replaces_only_what_was_open(study):
    claim = next(claim for claim in CLAIMS if claim.key == KEY)
    verdict, first = claim.judge(study)
    assert verdict == "undecided"
    certain = {
        name: each._replace(values=np.full((9, 1), 1.0 if name in ENSEMBLES else 2.0))
        for name, each in study.regrets["test-3"].items()
    }
    certain = {
        name: each._replace(checkpoints=each.checkpoints[-1:]) for name, each in certain.items()
    }
    decided, outcomes = claim.judge_again(first, Study({"test-3": certain}, {}))
    assert decided == "reproduced"
    assert [outcome.kind for outcome in outcomes] == ["good", "good"]
    assert claim.judge_again(first, Study({}, {})) == (verdict, first)


def test_the_tally_names_what_more_runs_decided_and_what_is_provisional():
    verdicts = ["reproduced", "undecided", "measured here", "not tested"]
    judged = [
        Judged(claim, verdict, [], {}, verdict != "measured here")
        for claim, verdict in zip(CLAIMS, verdicts, strict=False)
    ]
    assert tally(judged) == (
        "Of 3 claims: 1 reproduced, 0 not reproduced, 1 undecided, 1 on running times, which are "
        "measured but not judged. 2 got a second pass of 10,000 runs, which decided 1."
    )
    assert tally(judged, provisional=True).startswith("Provisional, with few runs. Of 3")
    assert tally(judged[3:]) == "No claim was tested."
