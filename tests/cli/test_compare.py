import json
import re

import pytest

import lowbid
from lowbid.cli import main


def test_compare_prints_a_table_and_leaves_figures_and_data(tmp_path, capsys):
    command = ["compare", "--arms", "bernoulli:0.1,0.5", "--policies", "ucb1,batch-ensemble"]
    code = main([*command, "--horizon", "50", "--runs", "4", "--out", str(tmp_path)])
    assert code == 0
    saved = lowbid.Result.load(tmp_path / "data" / "case-1.npz")
    again = lowbid.simulate(
        [lowbid.UCB1(), lowbid.BatchEnsemble()], lowbid.Bernoulli([0.1, 0.5]), horizon=50, runs=4
    )
    assert saved.policies == again.policies
    assert (saved.regret == again.regret).all()
    assert saved.provenance["configuration_hash"] == again.provenance["configuration_hash"]
    assert str(again.summary()) in capsys.readouterr().out
    assert {"case-1.png", "case-1.svg"} <= {p.name for p in (tmp_path / "figures").iterdir()}


def test_unknown_names_are_answered_with_the_nearest(tmp_path, capsys):
    assert main(["compare", "--arms", "bernouli:0.1", "--out", str(tmp_path)]) == 2
    assert "bernoulli" in capsys.readouterr().err


def test_a_file_is_the_same_as_arguments_and_the_page_can_be_made_again(tmp_path, capsys):
    file = tmp_path / "mine.toml"
    assert main(["init", str(file)]) == 0
    small = ["--horizon", "40", "--runs", "3"]
    assert main(["compare", str(file), *small, "--out", str(tmp_path / "a")]) == 0
    page = (tmp_path / "a" / "report.html").read_text()
    assert "three close arms" in page
    assert "three batches" in page
    (tmp_path / "a" / "report.html").unlink()
    assert main(["report", str(tmp_path / "a")]) == 0
    assert (tmp_path / "a" / "report.html").read_text() == page


def test_ctrl_c_leaves_what_was_finished(tmp_path, capsys, monkeypatch):
    real, calls = lowbid.simulate, []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr("lowbid.experiments._run.simulate", interrupted)
    command = ["compare", "--arms", "bernoulli:0.1,0.5", "--policies", "ucb1,batch-ensemble"]
    code = main([*command, "--horizon", "50", "--runs", "4", "--out", str(tmp_path)])
    assert code == 130
    assert "stopped" in capsys.readouterr().err
    assert lowbid.Result.load(tmp_path / "data" / "case-1.npz").policies == ("UCB1",)
    assert "UCB1" in (tmp_path / "report.html").read_text()


TWO = ["--arms", "bernoulli:0.1,0.5", "--arms", "bernoulli:0.2,0.3", "--policies", "ucb1,greedy"]
SMALL = ["--horizon", "50", "--runs", "4"]


def simulations(monkeypatch, stop_at=None):
    """Follow the calls of `simulate`, and press Ctrl-C at one of them."""
    real, calls = lowbid.simulate, []

    def counted(policies, *arguments, **options):
        calls.append(options["progress"].partition(",")[0] + " " + next(iter(policies)))
        if len(calls) == stop_at:
            raise KeyboardInterrupt
        return real(policies, *arguments, **options)

    monkeypatch.setattr("lowbid.experiments._run.simulate", counted)
    return calls


def test_a_stopped_comparison_goes_on_where_it_was(tmp_path, capsys, monkeypatch):
    command = ["compare", *TWO, *SMALL, "--out", str(tmp_path / "stopped")]
    with monkeypatch.context() as patched:
        simulations(patched, stop_at=4)
        assert main(command) == 130
    said = capsys.readouterr().err
    assert said.splitlines()[-1].endswith("stopped --resume")
    calls = simulations(monkeypatch)
    assert main([*command, "--resume"]) == 0
    assert calls == ["case-2 Greedy"]
    assert main(["compare", *TWO, *SMALL, "--out", str(tmp_path / "whole")]) == 0
    for case in ("case-1", "case-2"):
        ours, whole = (
            lowbid.Result.load(tmp_path / folder / "data" / f"{case}.npz")
            for folder in ("stopped", "whole")
        )
        assert ours.policies == whole.policies
        assert (ours.regret == whole.regret).all()
        hashes = [each.provenance["configuration_hash"] for each in (ours, whole)]
        assert hashes[0] == hashes[1]
    page = (tmp_path / "stopped" / "report.html").read_text()
    assert "was stopped" not in page
    assert "--resume" not in page


def test_every_policy_is_saved_when_it_is_finished(tmp_path, monkeypatch):
    saved = []
    real = lowbid.Result.save

    def save(result, path):
        saved.append(result.policies)
        real(result, path)

    monkeypatch.setattr(lowbid.Result, "save", save)
    assert main(["compare", *TWO, *SMALL, "--out", str(tmp_path)]) == 0
    assert saved == [("UCB1",), ("UCB1", "Greedy")] * 2


@pytest.mark.parametrize(
    "other",
    [["--runs", "5"], ["--seed", "3"], ["--horizon", "60"], ["--policies", "batch-ensemble"]],
    ids=" ".join,
)
def test_another_experiment_is_not_resumed(tmp_path, capsys, other):
    command = ["compare", "--arms", "bernoulli:0.1,0.5", "--policies", "ucb1", *SMALL]
    command += ["--out", str(tmp_path)]
    assert main(command) == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert main([*command, "--resume", *other]) == 2
    assert "holds results of another experiment" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_resume_without_anything_to_resume_begins(tmp_path, capsys):
    command = ["compare", "--arms", "bernoulli:0.1,0.5", "--policies", "ucb1", *SMALL]
    assert main([*command, "--resume", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "report.html").is_file()


def test_two_comparisons_do_not_share_a_folder(tmp_path, capsys, monkeypatch):
    command = ["compare", "--arms", "bernoulli:0.1,0.5", "--policies", "ucb1", *SMALL]
    command += ["--out", str(tmp_path)]
    real, codes = lowbid.simulate, []

    def meanwhile(*arguments, **options):
        if not codes:
            codes.append(None)
            codes[0] = main([*command, "--seed", "9"])
        return real(*arguments, **options)

    monkeypatch.setattr("lowbid.experiments._run.simulate", meanwhile)
    assert main(command) == 0
    assert codes == [2]
    assert "another lowbid is using it" in capsys.readouterr().err
    assert lowbid.Result.load(tmp_path / "data" / "case-1.npz").provenance["seed"] == 0
    assert main(command) == 0  # the first is over


def test_bounds_are_drawn_and_kept(tmp_path, capsys):
    command = ["compare", "--arms", "bernoulli:0.1,0.5", "--policies", "ucb1", "--bounds"]
    assert main([*command, "--horizon", "50", "--runs", "4", "--out", str(tmp_path)]) == 0
    case = json.loads((tmp_path / "experiment.json").read_text())["cases"][0]
    result = lowbid.Result.load(tmp_path / "data" / "case-1.npz")
    assert {len(values) for values in case["bounds"].values()} == {len(result.checkpoints)}
    page = (tmp_path / "report.html").read_text()
    assert all(name in page for name in case["bounds"])
    assert "Lai-Robbins, lower bound" in case["bounds"]


def test_the_page_says_where_a_bound_is_vacuous(tmp_path, capsys):
    command = [
        "compare",
        "--arms",
        "exponential-by-mean:1,2",
        "--arms",
        "bernoulli:0.1,0.5",
        "--bounds",
    ]
    command += ["--policies", "batch-ensemble", "--horizon", "50", "--runs", "2"]
    assert main([*command, "--out", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    start = re.search(r"Theorem 2, upper bound</dt><dd>(.*?)</dd>", page)[1]
    assert "vacuous on the whole range" in start
    assert "BatchEnsemble(batches=Anytime()" in start
    assert "Not drawn</dt><dd>Theorem 1, " in page


@pytest.mark.parametrize(
    "bad",
    [
        ["--runs", "0"],
        ["--horizon", "0"],
        ["--seed", "-1"],
        ["--workers", "0"],
        ["--policies", ","],
        ["--arms", "gaussian:0,1", "--policies", "beta-thompson"],
    ],
)
def test_bad_values_are_refused_before_anything_is_replaced(tmp_path, capsys, bad):
    good = ["compare", "--arms", "bernoulli:0.1,0.5", "--policies", "ucb1", "--runs", "2"]
    good += ["--horizon", "20", "--out", str(tmp_path)]
    assert main(good) == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert main([*good, *bad]) == 2
    assert capsys.readouterr().err.startswith("lowbid: ")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("text", ['{"mine": 1}', "[1]", "no JSON"])
def test_a_folder_of_someone_else_is_left_alone(tmp_path, capsys, text):
    (tmp_path / "experiment.json").write_text(text)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "precious.npz").write_text("precious")
    small = ["--policies", "ucb1", "--horizon", "20", "--runs", "2", "--out", str(tmp_path)]
    assert main(["compare", "--arms", "bernoulli:0.1,0.5", *small]) == 2
    assert "another folder" in capsys.readouterr().err
    assert (tmp_path / "data" / "precious.npz").read_text() == "precious"
    assert (tmp_path / "experiment.json").read_text() == text


def test_what_cannot_be_written_is_told(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    small = ["--horizon", "20", "--runs", "2", "--out", str(tmp_path / "file")]
    assert main(["compare", "--arms", "bernoulli:0.1,0.5", *small]) == 2
    assert "another folder" in capsys.readouterr().err
    assert main(["init", str(tmp_path / "none" / "mine.toml")]) == 2
    assert "another file" in capsys.readouterr().err


def test_an_earlier_experiment_leaves_nothing_behind(tmp_path, capsys):
    small = ["--policies", "ucb1", "--horizon", "20", "--runs", "2", "--out", str(tmp_path)]
    arms = ["--arms", "bernoulli:0.1,0.5"]
    assert main(["compare", *arms, *arms, *small]) == 0
    assert main(["compare", *arms, *small]) == 0
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["case-1.npz"]
