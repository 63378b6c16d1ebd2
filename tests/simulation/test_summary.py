import pytest

import lowbid

POLICIES = [
    lowbid.UCB1(),
    lowbid.BatchEnsemble(batches=lowbid.schedules.Logarithmic(0.3), growth="redistribute"),
]


@pytest.fixture(scope="module")
def summary():
    return lowbid.simulate(POLICIES, lowbid.Bernoulli([0.1, 0.5]), horizon=100, runs=4).summary()


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
def test_the_table_is_no_wider_than_the_terminal(summary, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = str(summary).splitlines()
    assert max(map(len, lines)) <= columns
    for row in summary:
        numbers = next(line for line in lines if f"{row.mean:10.2f}" in line)
        assert f"[{row.low:10.2f},{row.high:10.2f}]" in numbers
    assert "".join(summary[0].policy.split()) in "".join("".join(lines).split())


def test_wide_tables_have_everything_in_one_line_for_each_policy(summary, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    head, _, *rows = str(summary).splitlines()
    assert head.split() == [
        "policy",
        "mean",
        "95%",
        "interval",
        "sd",
        "q5",
        "q25",
        "q50",
        "q75",
        "q95",
        "max",
    ]
    for row, line in zip(summary, rows, strict=False):
        assert line.startswith(row.policy)
        numbers = [*row.quantiles.values(), row.max]
        assert line.split()[-6:] == [f"{number:.1f}" for number in numbers]


def test_what_matters_most_is_left_out_last(summary, monkeypatch):
    heads = {}
    for columns in (40, 60, 80):
        monkeypatch.setenv("COLUMNS", str(columns))
        heads[columns] = str(summary).splitlines()[1].split()
    assert heads[40] == ["mean", "95%", "interval"]
    assert heads[60] == ["mean", "95%", "interval", "q50", "max"]
    assert heads[80] == ["mean", "95%", "interval", "q50", "q95", "max"]


def test_files_get_the_whole_table(summary, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.__stdout__", None)
    assert "q25" in str(summary)
