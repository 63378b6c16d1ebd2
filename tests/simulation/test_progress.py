import io
import sys

import pytest

from lowbid._compile._waiting import compiler_at_work, on_behalf_of
from lowbid.simulation._progress import Progress


def shown(monkeypatch, what, columns=100, encoding="utf-8", done=50):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", str(columns))
    bar = Progress(100, what)
    bar.enabled = True
    bar.began -= 2.0
    bar.show(done)
    stream.flush()
    return stream.buffer.getvalue().decode(encoding).strip("\r").removesuffix("\033[K")


@pytest.mark.parametrize(("columns", "bar"), [(100, "███████████████░░░"), (40, "case-1  50%")])
def test_the_bar_fits_the_terminal(monkeypatch, columns, bar):
    line = shown(monkeypatch, "case-1", columns)
    assert bar in line
    assert len(line) < columns


def test_it_says_what_is_compiled(monkeypatch):
    with on_behalf_of("RBSDA"), compiler_at_work():
        assert "compiling RBSDA ..." in shown(monkeypatch, "case-1", done=0)
    assert "compiling" not in shown(monkeypatch, "case-1", done=0)


def test_long_labels_are_cut(monkeypatch):
    assert len(shown(monkeypatch, "a very long label " * 9, columns=60)) == 59


def test_ascii_terminals_get_an_ascii_bar(monkeypatch):
    assert "###############..............." in shown(monkeypatch, "case-1", encoding="ascii")


def test_the_bar_waits_a_second_and_is_silent_without_a_terminal(capsys):
    bar = Progress(100, True)
    bar.show(10)
    assert capsys.readouterr().err == ""
    bar.began -= 2.0
    bar.show(50)
    assert "50%" in capsys.readouterr().err
    bar.close()
    silent = Progress(100, None)
    silent.began -= 2.0
    silent.show(50)
    silent.close()
    assert "50%" not in capsys.readouterr().err
