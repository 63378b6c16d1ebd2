import io

import pytest

from lowbid.simulation._terminal import can_show, room


def test_the_width_is_the_terminal_s_and_files_have_room_for_all(monkeypatch):
    monkeypatch.setenv("COLUMNS", "33")
    assert room() == 33
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("sys.__stdout__", None)
    assert room() > 200


@pytest.mark.parametrize(("encoding", "shown"), [("utf-8", True), ("ascii", False)])
def test_letters_that_can_be_shown(encoding, shown):
    assert can_show("█", io.TextIOWrapper(io.BytesIO(), encoding=encoding)) is shown
    assert can_show("#", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert can_show("█", io.StringIO())
