import json
import re

import numpy as np
import pytest

import lowbid
from lowbid.errors import FileFormatError

POLICIES = {"ucb": lowbid.UCB1(), "batch": lowbid.BatchEnsemble(batches=2)}
ARMS = lowbid.Bernoulli([0.1, 0.3, 0.5])


@pytest.fixture(scope="module")
def result():
    return lowbid.simulate(POLICIES, ARMS, horizon=200, runs=30, seed=3)


def test_files_bring_everything_back(result, tmp_path):
    path = tmp_path / "result.npz"
    result.save(path)
    again = lowbid.Result.load(path)
    assert again.policies == result.policies
    assert again.provenance == result.provenance
    for name in ("checkpoints", "regret", "pulls"):
        assert np.array_equal(getattr(again, name), getattr(result, name))
    assert [file.name for file in tmp_path.iterdir()] == ["result.npz"]


def test_a_file_cut_short_anywhere_is_refused(result, tmp_path):
    path = tmp_path / "result.npz"
    result.save(path)
    whole = path.read_bytes()
    for size in [0, 1, 10, len(whole) // 2, len(whole) - 30, len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(FileFormatError, match="damaged or cut short"):
            lowbid.Result.load(path)


def test_a_changed_byte_is_noticed_or_harmless(result, tmp_path):
    """Whatever a byte is changed to, a file is refused clearly or gives the very same result."""
    path = tmp_path / "result.npz"
    result.save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    # Anywhere, and where a column begins and says how much of it there is.
    begins = [match.start() for match in re.finditer(b"NUMPY", whole)]
    flips = [(place, rng.integers(8)) for place in rng.integers(len(whole), size=400)]
    flips += [(at + i, bit) for at in begins for i in range(80) for bit in range(8)]
    with path.open("r+b", buffering=0) as file:  # in place: writing it anew waits for the disk
        for place, bit in flips:
            file.seek(place)
            file.write(bytes([whole[place] ^ 1 << int(bit)]))
            try:
                again = lowbid.Result.load(path)
            except FileFormatError:
                pass
            else:
                assert np.array_equal(again.regret, result.regret)
                assert np.array_equal(again.pulls, result.pulls)
            finally:
                file.seek(place)
                file.write(whole[place : place + 1])
    assert path.read_bytes() == whole


def test_foreign_and_newer_files_are_refused(result, tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, x=np.zeros(3))
    with pytest.raises(FileFormatError, match="not a result file"):
        lowbid.Result.load(path)
    path.write_text("hello")
    with pytest.raises(FileFormatError, match="not a result file"):
        lowbid.Result.load(path)
    header = {"format": "lowbid-result", "format_version": 99, "policies": []}
    columns = {name: getattr(result, name) for name in ("checkpoints", "regret", "pulls")}
    np.savez(path, header=np.array(json.dumps(header)), **columns)
    with pytest.raises(FileFormatError, match="format version 99"):
        lowbid.Result.load(path)
    header = {"format": "lowbid-result", "format_version": 1, "policies": ["a"], "provenance": {}}
    np.savez(path, header=np.array(json.dumps(header)), **columns)
    with pytest.raises(FileFormatError, match="damaged"):
        lowbid.Result.load(path)
    header["policies"] = list(POLICIES)
    columns["checkpoints"] = columns["checkpoints"][:-1]  # regret has one column more
    np.savez(path, header=np.array(json.dumps(header)), **columns)
    with pytest.raises(FileFormatError, match="damaged"):
        lowbid.Result.load(path)
    with pytest.raises(FileNotFoundError):
        lowbid.Result.load(tmp_path / "nothing.npz")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("regret", lambda x: np.where(x == x[0, 0, -1], np.nan, x)),
        ("regret", lambda x: x.astype("U9")),
        ("pulls", lambda x: -x),
        ("pulls", lambda x: x + 1),
        ("pulls", lambda x: x.astype(float)),
        ("pulls", lambda x: x[:, :, :0]),
        ("checkpoints", lambda x: x[::-1]),
        ("checkpoints", lambda x: x - x[0]),
        ("checkpoints", lambda x: np.append(x[1:], x[-1])),
        ("policies", lambda _: ["ucb", "ucb"]),
        ("policies", lambda _: ["ucb", {}]),
        ("policies", lambda _: None),
        ("provenance", lambda _: [1]),
    ],
)
def test_a_result_that_no_simulation_has_is_refused(name, change, result, tmp_path):
    path = tmp_path / "result.npz"
    result.save(path)
    with np.load(path) as saved:
        columns = dict(saved)
    header = json.loads(str(columns.pop("header")))
    part = header if name in header else columns
    part[name] = change(part[name])
    np.savez(path, header=np.array(json.dumps(header)), **columns)
    with pytest.raises(FileFormatError, match="damaged"):
        lowbid.Result.load(path)


def test_a_failed_save_leaves_the_old_file(result, tmp_path, monkeypatch):
    path = tmp_path / "result.npz"
    result.save(path)
    before = path.read_bytes()
    monkeypatch.setattr(np, "savez", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        result.save(path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1
