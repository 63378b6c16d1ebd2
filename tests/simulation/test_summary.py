import pytest

import lowbid
from lowbid.simulation._summary import Row, Summary

POLICIES = [
    lowbid.UCB1(),
    lowbid.BatchEnsemble(batches=lowbid.schedules.Logarithmic(0.3), growth="redistribute"),
]


@pytest.fixture(scope="module")
def summary():
    return lowbid.simulate(POLICIES, lowbid.Bernoulli([0.1, 0.5]), horizon=100, runs=4).summary()


@pytest.mark.parametrize("columns", [50, 60, 80, 120, 200])
def test_the_table_is_no_wider_than_the_terminal(summary, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = str(summary).splitlines()
    assert max(map(len, lines)) <= columns
    for row in summary:
        numbers = next(line for line in lines if f"{row.mean:.2f}" in line)
        assert f"[{row.low:.2f}, {row.high:.2f}]" in numbers
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
    for columns in (40, 90, 110):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = str(summary).splitlines()
        heads[columns] = " ".join(lines[:2]).replace("95% interval", "interval").split()
    assert heads[40] == ["policy", "mean", "interval", "q50", "q95", "max"]
    assert heads[90][:4] == ["policy", "mean", "interval", "q50"]
    assert heads[110][:7] == ["policy", "mean", "interval", "sd", "q50", "q95", "max"]


def test_decimals_are_as_many_as_can_be_read():
    rows = [Row("UCB1", 1234.56, 10.0, 1.0, 1200.25, 1300.25, {0.5: 1234.56}, 1400.0, 100)]
    numbers = str(Summary(rows)).splitlines()[-1].split()
    assert numbers == ["UCB1", "1234.6", "[1200.2,", "1300.2]", "10.0", "1235", "1400"]
