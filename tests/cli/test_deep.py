import csv

import pytest

from lowbid.cli import main
from lowbid.cli._deep import DEEP_RULES
from lowbid.experiments.mdp_names import deep_rule_names
from mdp.deep.small import SMALL

PARAMETERS = {**vars(SMALL), "hidden": "4"}
RULE = "bidding-dqn:" + ",".join(f"{name}={value}" for name, value in PARAMETERS.items())


def lines(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_the_rules_that_are_listed_are_those_that_there_are():
    assert list(DEEP_RULES) == list(deep_rule_names())


def test_deep_sea_prints_runs_and_a_score_and_saves_a_picture_and_data(tmp_path, capsys):
    words = ["mdp", "deep-sea", "--rules", RULE, "--sizes", "3", "--seed", "4", "--episodes", "3"]
    words += ["--out", str(tmp_path)]
    assert main([*words, "--runs", "1"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"{SMALL.name}, N = 3, seed 4: " in out
    assert "bsuite's score" in out
    assert (tmp_path / "deep-sea.png").stat().st_size > 5000
    assert "<svg" in (tmp_path / "deep-sea.svg").read_text()
    first = lines(tmp_path / "deep-sea.csv")
    assert [(line["size"], line["seed"]) for line in first] == [("3", "4")]
    # Runs that are there are kept, and only those that are missing are played.
    assert main([*words, "--runs", "2", "--resume"]) == 0
    assert lines(tmp_path / "deep-sea.csv")[0] == first[0]
    assert [line["seed"] for line in lines(tmp_path / "deep-sea.csv")] == ["4", "5"]
    # Without it they are played again.
    assert main([*words, "--runs", "1"]) == 0
    assert [line["seed"] for line in lines(tmp_path / "deep-sea.csv")] == ["4"]
    (tmp_path / "deep-sea.csv").write_text("rule,size\nsomething,else\n")
    assert main([*words, "--runs", "1", "--resume"]) == 2
    assert "run without --resume" in capsys.readouterr().err


def test_deep_control_prints_returns_and_saves_a_picture_and_data(tmp_path, capsys):
    words = ["mdp", "deep-control", "--rules", RULE, "--episodes", "2", "--runs", "2"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "CartPole-v1: mean returns of the first and last 2 episodes" in out
    assert f"{SMALL.name}, seed 1: " in out
    assert (tmp_path / "deep-control.png").stat().st_size > 5000
    found = lines(tmp_path / "deep-control.csv")
    assert [(line["seed"], line["episode"]) for line in found] == [
        ("0", "1"), ("0", "2"), ("1", "1"), ("1", "2"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["deep-sea", "--sizes", "ten"], "--sizes is 'ten'; give whole numbers of 2 or more"),
        (["deep-sea", "--sizes", "1,10"], "--sizes is '1,10'"),
        (["deep-sea", "--runs", "0"], "--runs is 0"),
        (["deep-sea", "--episodes", "0"], "--episodes is 0"),
        (["deep-sea", "--seed", "-1"], "--seed is -1"),
        (["deep-sea", "--rules", "bootstraped-dqn"], "did you mean bootstrapped-dqn"),
        (["deep-sea", "--rules", "bidding-dqn:member=3"], "did you mean members"),
        (["deep-sea", "--rules", "bidding-dqn:hidden=8xa"], "a size in hidden is 'a'"),
        (["deep-control", "--environment", "Pendulum-v1"], "they must be Discrete"),
        (["deep-control", "--environment", "CartPol-v1"], "Gymnasium cannot make"),
    ],
)
def test_mistakes_are_explained(words, message, tmp_path, capsys):
    assert main(["mdp", *words, "--out", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
