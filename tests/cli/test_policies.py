import subprocess
import sys

import pytest

from lowbid import policies
from lowbid.cli import main
from lowbid.cli.policies import _policies


def table(capsys, monkeypatch, columns: int, *names: str) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["policies", *names]) == 0
    return capsys.readouterr().out


def test_every_policy_is_listed_once(capsys, monkeypatch):
    lines = table(capsys, monkeypatch, 400).splitlines()
    for name in (policy.name for policy in _policies()):
        assert sum(line.startswith(f"{name} (") for line in lines) == 1
    assert {policy.name.partition(".")[0] for policy in _policies()} == set(policies.__all__)


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_the_list_is_no_wider_than_the_terminal_and_loses_nothing(capsys, monkeypatch, columns):
    narrow = table(capsys, monkeypatch, columns)
    assert max(map(len, narrow.splitlines())) <= columns
    assert narrow.split() == table(capsys, monkeypatch, 400).split()


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


def test_a_reader_that_has_seen_enough_is_no_error():
    command = [sys.executable, "-m", "lowbid", "policies"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
