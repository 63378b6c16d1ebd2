import gzip
import json

import pytest

import lowbid
from lowbid.errors import InvalidValueError


@pytest.fixture
def bandit(url, clock):
    bandit = lowbid.open(
        url, "b", ["x", "y"], window="1h", if_silent=0.25, holdout=0.3, control="x", kind="reward"
    )
    decisions = bandit.decide(8, unit=None)
    bandit.update_many(decisions[:3], rewards=[1.0, 2.0, 3.0])
    clock.seconds += 3600
    bandit.decide(unit="ünit")
    return bandit


def test_events_are_lines(bandit, tmp_path):
    assert bandit.export(tmp_path / "log.jsonl") == 4
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines == [entry.to_data() for entry in bandit.log()]
    assert [line["number"] for line in lines] == [1, 2, 3, 4]
    assert lines[0]["time"] == "2023-11-14T22:13:20Z"
    bandit.export(tmp_path / "log.jsonl.gz")
    assert gzip.decompress((tmp_path / "log.jsonl.gz").read_bytes()).count(b"\n") == 4


def test_events_are_rows_of_parquet(bandit, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    bandit.export(tmp_path / "log.parquet")
    rows = parquet.read_table(tmp_path / "log.parquet").to_pylist()
    fields = [json.loads(row["fields"]) for row in rows]
    assert fields == [entry.fields for entry in bandit.log()]


def test_decisions_are_rows_with_what_came_of_them(bandit, tmp_path):
    assert bandit.export_decisions(tmp_path / "decisions.jsonl") == 9
    rows = [json.loads(line) for line in (tmp_path / "decisions.jsonl").read_text().splitlines()]
    assert [row["reward"] for row in rows] == [1.0, 2.0, 3.0, *[0.25] * 5, None]
    assert [row["version"] for row in rows] == [1] * 8 + [3]
    assert {row["way"] for row in rows} == {"policy", "holdout"}
    assert all(
        row["arm"] == "x" and row["propensity"] == 1.0 for row in rows if row["way"] != "policy"
    )
    assert rows[-1]["unit"] == "ünit"


@pytest.mark.parametrize("name", ["log", "log.csv", "log.json"])
def test_a_format_that_is_not_known_writes_nothing(bandit, tmp_path, name):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InvalidValueError, match=r"\.jsonl"):
        bandit.export(tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before
