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


def rewards(bandit, path):
    """The exported rewards, by decision."""
    bandit.export_decisions(path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row["decision"]: row["reward"] for row in rows}


def silent(url, **more):
    settings = {"reward_range": (0, 1), "window": "1h", "if_silent": 0.0, **more}
    return lowbid.open(url, "silent", ["x", "y"], **settings)


def test_a_forgotten_decision_has_no_outcome(url, clock, tmp_path):
    bandit = silent(url)
    forgotten, kept = bandit.decide(2)
    bandit.forget(forgotten)
    clock.seconds += 3600
    last = bandit.decide()
    assert rewards(bandit, tmp_path / "d.jsonl") == {
        forgotten.id: None,
        kept.id: 0.0,
        last.id: None,
    }
    assert sum(bandit.counts().values()) == 1


@pytest.mark.parametrize(("wait", "learned"), [(3599, None), (3600, 0.0)])
def test_a_decision_whose_arm_was_removed_in_its_window_has_no_outcome(
    url, clock, tmp_path, wait, learned
):
    bandit = silent(url)
    decisions = bandit.decide(2)
    clock.seconds += wait
    bandit.remove_arm("x")
    clock.seconds += 3600
    bandit.decide()
    found = rewards(bandit, tmp_path / "d.jsonl")
    assert [each.arm for each in decisions] in (["x", "y"], ["y", "x"])
    for each in decisions:
        assert found[each.id] == (learned if each.arm == "x" else 0.0)


def test_the_holdout_keeps_its_decisions_when_the_control_is_removed(url, clock, tmp_path):
    bandit = silent(url, holdout=0.5, control="x")
    decisions = bandit.decide(20)
    held_out = [each for each in decisions if each.way == "holdout"]
    bandit.change(holdout=0)
    bandit.remove_arm("x")
    clock.seconds += 3600
    bandit.decide()
    found = rewards(bandit, tmp_path / "d.jsonl")
    assert 0 < len(held_out) < 20
    assert [found[each.id] for each in held_out] == [0.0] * len(held_out)
    assert bandit.lift().held_out_count == len(held_out)
    assert {found[each.id] for each in decisions if each.arm == "x" and each not in held_out} <= {
        None
    }


@pytest.mark.parametrize(("wait", "learned"), [(3599, 1.0), (3600, 0.0)])
def test_silence_counts_as_it_is_set_when_the_window_ends(url, clock, tmp_path, wait, learned):
    bandit = silent(url)
    decision = bandit.decide()
    clock.seconds += wait
    bandit.change(if_silent=1.0)
    clock.seconds += 3600
    bandit.decide()
    assert rewards(bandit, tmp_path / "d.jsonl")[decision.id] == learned
    assert bandit.means()[decision.arm] == learned


@pytest.mark.parametrize("name", ["d.jsonl", "d.parquet"])
@pytest.mark.parametrize("arms", [3, ["x", "y"]])
def test_exported_decisions_are_learned_from(url, tmp_path, arms, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    bandit = lowbid.open(url, "b", arms, reward_range=(0, 1))
    for number in range(9):
        bandit.update(bandit.decide(), reward=number / 9)
    assert bandit.export_decisions(tmp_path / name) == 9
    other = lowbid.Bandit(arms, reward_range=(0, 1))
    assert other.learn_from(tmp_path / name) == 9
    assert other.means() == bandit.means()


def test_names_and_numbers_in_one_column_are_text_unless_they_look_the_same(url, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    bandit = lowbid.open(url, "b", [0, "new"], lowbid.UniformPlay(), reward_range=(0, 1))
    arms = [each.arm for each in bandit.decide(9)]
    bandit.export_decisions(tmp_path / "d.parquet")
    column = parquet.read_table(tmp_path / "d.parquet")["arm"].to_pylist()
    assert column == [str(arm) for arm in arms]
    assert set(arms) == {0, "new"}
    bandit.add_arm("0")
    bandit.decide(20)
    with pytest.raises(InvalidValueError, match=r"'0' and 0.*jsonl"):
        bandit.export_decisions(tmp_path / "d.parquet")
    assert parquet.read_table(tmp_path / "d.parquet")["arm"].to_pylist() == column


@pytest.mark.parametrize("name", ["log", "log.csv", "log.json"])
def test_a_format_that_is_not_known_writes_nothing(bandit, tmp_path, name):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InvalidValueError, match=r"\.jsonl"):
        bandit.export(tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before
