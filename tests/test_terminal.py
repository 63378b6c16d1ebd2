import io

import pytest

from lowbid._terminal import can_show, coloured, filled, room


def test_the_width_is_the_terminal_s_and_80_in_files(monkeypatch):
    monkeypatch.setenv("COLUMNS", "33")
    assert room() == 33
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("sys.__stdout__", None)
    assert room() == 80


@pytest.mark.parametrize(("encoding", "shown"), [("utf-8", True), ("ascii", False)])
def test_letters_that_can_be_shown(encoding, shown):
    assert can_show("█", io.TextIOWrapper(io.BytesIO(), encoding=encoding)) is shown
    assert can_show("#", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert can_show("█", io.StringIO())


def test_lines_are_filled_and_words_are_kept_whole(monkeypatch):
    monkeypatch.setenv("COLUMNS", "10")
    assert filled("one two-three-four").splitlines() == ["one", "  two-three-four"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "variables", "shown"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_where_they_are_shown_and_wanted(monkeypatch, stream, variables, shown):
    for name in ("TERM", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert coloured("holds", "green", stream) == ("\033[32mholds\033[0m" if shown else "holds")
