import dataclasses

from lowbid import validation
from lowbid.cli import main


def test_prints_a_verdict_for_each_figure(capsys):
    assert main(["validate", "five-tests", "--policy", "ucb1", "--quick"]) == 0
    out = capsys.readouterr().out
    assert "ours from 200 runs" in out
    assert "5 of 5 figures agree." in out


def test_a_figure_that_disagrees_is_named(capsys, monkeypatch):
    wrong = dataclasses.replace(validation.SOURCES["five-tests"][0], regret=1.0)
    monkeypatch.setitem(validation.SOURCES, "five-tests", [wrong])
    assert main(["validate", "--runs", "20"]) == 1
    out = capsys.readouterr().out
    assert "DISAGREES" in out
    assert "0 of 1 figures agree." in out


def test_unknown_sources(capsys):
    assert main(["validate", "six-tests"]) == 2
    assert "known are five-tests" in capsys.readouterr().err
