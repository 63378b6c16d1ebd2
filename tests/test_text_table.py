import pytest

from lowbid._text_table import described, text_table

HEAD = ["policy", "score", "worst at", "cells"]
ROWS = [
    ["BatchEnsemble, 2 and 0.6 log t", "2.87 [2.50, 3.10]", "twenty arms, 10,000", "77"],
    ["UCB1", "1.00 [0.90, 1.20]", "two arms, 100", "77"],
]


def table(monkeypatch, columns, **options):
    monkeypatch.setenv("COLUMNS", str(columns))
    return text_table(HEAD, ROWS, **options)


@pytest.mark.parametrize("columns", [30, 40, 60, 80, 200])
def test_it_fits_and_splits_neither_names_nor_intervals(monkeypatch, columns):
    text = table(monkeypatch, columns, text_columns={2})
    assert max(map(len, text.splitlines())) <= columns
    assert "[2.50, 3.10]" in text
    assert "10,000" in text
    assert "BatchEnsemble, 2 and 0.6 log t" in text


def test_with_room_a_row_is_a_line(monkeypatch):
    lines = table(monkeypatch, 200, text_columns={2}).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["BatchEnsemble,", "UCB1"]
    assert lines[1] == "-" * len(lines[0])
    assert {len(line) for line in lines} == {len(lines[0])}  # numbers end together


def test_spare_columns_are_left_out_before_names_are_set_apart(monkeypatch):
    head = table(monkeypatch, 60, text_columns={2}, spare=["cells", "worst at"]).splitlines()[0]
    assert head.split() == ["policy", "score", "worst", "cells"]  # and "at" in the next line
    head = table(monkeypatch, 50, text_columns={2}, spare=["cells", "worst at"]).splitlines()[0]
    assert head.split() == ["policy", "score"]


def test_names_are_set_apart_if_nothing_else_helps(monkeypatch):
    lines = table(monkeypatch, 40).splitlines()
    assert lines[0] == "policy"
    assert "BatchEnsemble, 2 and 0.6 log t" in lines


def test_very_narrow_terminals_get_a_list(monkeypatch):
    lines = table(monkeypatch, 20).splitlines()
    assert "  score     2.87" in lines


def test_facts_are_aligned(monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    assert described("UCB1", {"must know": "the range of all", "time": "log K"}).splitlines() == [
        "UCB1",
        "  must know  the range",
        "             of all",
        "  time       log K",
    ]
