from lowbid import policies
from lowbid.cli import main


def test_every_policy_is_listed_once(capsys):
    assert main(["policies"]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    names = [line.split("  ")[0] for line in lines]
    assert len(set(names)) == len(names)
    assert {name.partition(".")[0] for name in names} == set(policies.__all__)


def test_markdown_has_one_cell_for_each_column(capsys):
    assert main(["policies", "--markdown", "ucb1", "KLUCB.b"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.count(" | ") for line in lines] == [6] * 4
    assert lines[2].startswith("| KLUCB.bernoulli | index | losses in [0, 1] |")


def test_entries_to_cite(capsys):
    assert main(["policies", "--citation", "moss"]) == 0
    assert capsys.readouterr().out.count("@inproceedings{") == 2


def test_unknown_names(capsys):
    assert main(["policies", "ucb9"]) == 2
    assert "no policy's name contains ucb9" in capsys.readouterr().err
