import re
from pathlib import Path

import pytest

from lowbid.cli import _document, commands, main

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()


@pytest.mark.parametrize("name", commands())
def test_the_page_of_commands_is_up_to_date(name):
    """Word by word; argparse breaks lines a little differently from one Python to the next."""
    section = PAGE.split(f"## lowbid {name}\n")[1].split("\n## ")[0]
    words = set(re.findall(r"[\w-]+", _document.section(name)))
    assert words == set(re.findall(r"[\w-]+", section))


def test_help_lists_every_command():
    listed = _document.help_of()
    for name, module in commands().items():
        assert name in listed
        assert module.__doc__.splitlines()[0].endswith(".")


def test_a_command_that_does_not_exist(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["reprodce"])
    assert stopped.value.code == 2
    assert "reproduce" in capsys.readouterr().err
