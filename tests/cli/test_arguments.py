import shlex

import pytest

from lowbid.cli import main, parser
from lowbid.cli._arguments import command_line, whole


@pytest.mark.parametrize("command", ["compare", "league", "reproduce", "theory"])
def test_an_empty_folder_name_is_refused(command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main([command, "--out", ""])
    assert "the name is empty" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("text", "number"), [("1e3", 1000), ("1_000", 1000), ("20", 20)])
def test_whole_numbers_however_written(text, number):
    assert whole(text) == number


@pytest.mark.parametrize("text", ["1.5", "many", "inf", "nan", "1e-3"])
def test_other_numbers_are_refused_with_advice(text, capsys):
    with pytest.raises(SystemExit):
        main(["compare", "--horizon", text])
    assert f"{text!r} is not a whole number; write 1000 or 1e3." in capsys.readouterr().err


def test_the_command_line_can_be_typed_again():
    words = ["compare", "--arms", "bernoulli:0.1,0.5", "--arms", "gaussian:0,1", "--runs", "4"]
    words += ["--bounds", "--out", "a folder"]
    given = parser().parse_args([*words, "--workers", "2", "--resume"])
    typed = shlex.split(command_line("compare", given))
    again = parser().parse_args(typed[1:])
    assert typed[:2] == ["lowbid", "compare"]
    assert {**vars(again), "workers": 2, "resume": True} == vars(given)
