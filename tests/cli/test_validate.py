import dataclasses

import pytest

from lowbid import validation
from lowbid.cli import main


@pytest.mark.slow
def test_quick_form_prints_ours_beside_the_reference_figures(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["validate", "sda-paper", "--quick", "--seed", "1"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith("6 figures, 300 runs each")
    assert "reference" in out[1]
    assert out[2].startswith("random Bernoulli, T = 1000   BetaThompson")
    assert out[-1] == "6 of 6 figures agree."


def test_only_picks_figures(capsys):
    assert main(["validate", "five-tests", "--only", "test 1, T = 2000     RBSDA"]) == 2
    assert "no figure contains" in capsys.readouterr().err
    assert main(["validate", "five-tests", "--only", "test 1, T = 2000 RBSDA", "--quick"]) == 0
    assert "2 of 2 figures agree." in capsys.readouterr().out


def test_an_unknown_source_is_refused(capsys):
    assert main(["validate", "nowhere"]) == 2
    assert "choose from five-tests" in capsys.readouterr().err


def test_a_figure_that_disagrees_is_named(capsys, monkeypatch):
    wrong = dataclasses.replace(validation.SOURCES["five-tests"][0], regret=1.0)
    monkeypatch.setitem(validation.SOURCES, "five-tests", [wrong])
    assert main(["validate", "five-tests", "--runs", "20"]) == 1
    out = capsys.readouterr().out
    assert "DISAGREES" in out
    assert "0 of 1 figures agree." in out
