"""Nothing that is saved changes its format unnoticed: one golden file for each format.

Each file in tests/formats is written again, in the same way, and must have the same contents; and
it is read, and goes on as what wrote it does. A file that is missing is written. So to renew one,
because its format changed on purpose, delete it and run this module; then look at the difference,
and raise the format's version if anybody may have files of the old one.
"""

import hashlib
import json
import secrets
import zlib
from pathlib import Path

import numpy as np
import pytest

import lowbid
from experiments.sweeps.sweep_examples import PlainPolicy, small
from lowbid import mdp
from lowbid.experiments.sweeps import CellStore
from lowbid.experiments.sweeps._store import Window
from lowbid.shared import LoggedEvent, _shared_log
from lowbid.shared.stores import store_at
from lowbid.shared.stores.sqlite import SQLiteTransaction

GOLDEN = Path(__file__).parent / "formats"
# What depends on the version, on the machine, or on all the rest.
VARY = ("lowbid", "checksum", "date", "python", "numpy", "line")
SNAPSHOT = b"lowbid-snapshot-1\n"


@pytest.fixture(autouse=True)
def no_chance(monkeypatch):
    """Names and times that are random are always the same."""
    monkeypatch.setattr(secrets, "token_hex", lambda size: "a1" * size)
    monkeypatch.setattr(SQLiteTransaction, "clock", lambda *_: 1_700_000_000_000_000)
    monkeypatch.setenv("LOWBID_COMPILED", "never")


def bandit(folder):
    made = lowbid.Bandit(["a", "b", 3], lowbid.BatchEnsemble(), seed=1, reward_range=(0, 2))
    for i in range(9):
        made.update(made.decide(), reward=i / 4)
    made.decide()
    made.pause_arm("b")
    made.save(folder / "bandit.json")
    return made


def agent(folder):
    made = mdp.Agent(2, 2, 3, reward_range=(0, 1), seed=1)
    for i in range(4):
        play_episode(made, i)
    made.save(folder / "agent.npz")
    return made


def play_episode(agent, i):
    actions = []
    agent.begin(0)
    for stage in range(3):
        actions.append(agent.act())
        agent.update(reward=actions[-1] / 2, next_state=(i + stage) % 2)
    return actions


def result(folder):
    arms = lowbid.Bernoulli([0.25, 0.5])
    made = lowbid.simulate(lowbid.BatchEnsemble(), arms, horizon=8, runs=2, seed=1, progress=False)
    made.save(folder / "result.npz")
    return made


def sweep(folder):
    (cell, _), store = small(PlainPolicy()).cells, CellStore(folder)
    vars(cell)["digest"] = 8 * "c0de"  # else it would change with all code that plays the cell
    regret = np.arange(4.0 * len(cell.checkpoints)).reshape(4, -1)
    pulls = np.full((4, 2), cell.horizon // 2)
    store.save(cell, cell.result(regret, pulls), 1.5, Window(0, 4))
    store.path(cell).rename(folder / "sweep.npz")
    store.index_file.rename(folder / "sweep.jsonl")
    return cell


def shared(folder, monkeypatch):
    """The events of a shared bandit, and the snapshot of its state half way through."""
    monkeypatch.setattr(_shared_log, "SNAPSHOT_EVERY", 5)
    url = f"sqlite:///{folder}/shop.db"
    settings = {"policy": lowbid.BatchEnsemble(), "reward_range": (0, 1), "window": "1h"}
    with lowbid.open(url, "page", arms=["a", "b"], **settings) as made:
        for i in range(4):
            decision = made.decide(unit=f"visitor {i}")
            made.update(decision, reward=i / 4)
        made.update(decision, reward=0.0)  # which contradicts the first
        made.amend(decision, reward=0.5, reason="refund", actor="Ann")
        made.void(since=0.0, until=1.0, reason="outage")
        made.decide(request_id="once")
        made.add_arm("c", actor="Ann")
        made.pause_arm("a")
        counts = made.counts()
    store = store_at(url)
    with store.transaction(write=False) as transaction:
        key = transaction.find("page").key
        events = [row._asdict() for row in transaction.events(key, 0)]
        (folder / "snapshot.bin").write_bytes(transaction.snapshot(key))
    (folder / "log.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in events))
    store.close()
    return counts


def contents(path):
    """What is in a file, without what varies."""
    data = path.read_bytes()
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        header = json.loads(str(found.pop("header")))
        kinds = {name: str(array.dtype) for name, array in found.items()}
        return without(header), kinds, without({k: x.tolist() for k, x in found.items()})
    if path.suffix == ".bin":
        return without(unpacked(data))
    return [without(json.loads(line)) for line in documents(path, data)]


def documents(path, data):
    return [data] if path.suffix == ".json" else [line for line in data.splitlines() if line]


def unpacked(snapshot):
    start = len(SNAPSHOT) + 16
    assert snapshot.startswith(SNAPSHOT)
    digest = hashlib.blake2b(snapshot[start:], digest_size=16).digest()
    assert snapshot[len(SNAPSHOT) : start] == digest
    return json.loads(zlib.decompress(snapshot[start:]))


def without(data):
    if isinstance(data, dict):
        return {name: without(value) for name, value in data.items() if name not in VARY}
    if isinstance(data, float):  # logarithms differ in their last bits between systems
        return float(f"{data:.12g}")
    return [without(value) for value in data] if isinstance(data, list) else data


def check(folder, *names):
    """Compare files with the golden ones; those that are missing there are written."""
    missing = [name for name in names if not (GOLDEN / name).exists()]
    for name in missing:
        GOLDEN.mkdir(exist_ok=True)
        (GOLDEN / name).write_bytes((folder / name).read_bytes())
    assert not missing, f"written: {', '.join(missing)}; look at them, and add them to your commit"
    for name in names:
        assert contents(folder / name) == contents(GOLDEN / name), (
            f"the format of {name} has changed; see the top of {__file__} if it should have"
        )


def test_bandit(tmp_path):
    made = bandit(tmp_path)
    check(tmp_path, "bandit.json")
    loaded = lowbid.Bandit.load(GOLDEN / "bandit.json")
    assert (loaded.counts(), loaded.paused) == (made.counts(), ["b"])
    for _ in range(20):
        one, other = made.decide(), loaded.decide()
        assert one.arm == other.arm
        made.update(one, reward=1.0)
        loaded.update(other, reward=1.0)


def test_agent(tmp_path):
    made = agent(tmp_path)
    check(tmp_path, "agent.npz")
    loaded = mdp.Agent.load(GOLDEN / "agent.npz")
    assert loaded.episode == made.episode
    assert [play_episode(loaded, i) for i in range(9)] == [play_episode(made, i) for i in range(9)]


def test_result(tmp_path):
    made = result(tmp_path)
    check(tmp_path, "result.npz")
    loaded = lowbid.Result.load(GOLDEN / "result.npz")
    assert loaded.policies == made.policies
    assert loaded.regret.tolist() == made.regret.tolist()


def test_sweep(tmp_path):
    cell = sweep(tmp_path)
    check(tmp_path, "sweep.npz", "sweep.jsonl")
    store = CellStore(tmp_path)
    store.path(cell).write_bytes((GOLDEN / "sweep.npz").read_bytes())
    assert store.runs(cell) == 4
    store.index_file.write_bytes((GOLDEN / "sweep.jsonl").read_bytes())
    assert CellStore(tmp_path).seconds(cell) == 1.5


def test_log_and_snapshot(tmp_path, monkeypatch):
    counts = shared(tmp_path, monkeypatch)
    check(tmp_path, "log.jsonl", "snapshot.bin")
    lines = (GOLDEN / "log.jsonl").read_text().splitlines()
    events = [LoggedEvent(**json.loads(line)) for line in lines]
    for name, snapshot in ("events", None), ("snapshot", (GOLDEN / "snapshot.bin").read_bytes()):
        url = f"sqlite:///{tmp_path}/{name}.db"
        store = store_at(url)
        with store.transaction(write=True) as transaction:
            key = transaction.create("page", 1, 1_700_000_000_000_000)
            transaction.append(key, events)
            if snapshot is not None:
                transaction.keep_snapshot(key, snapshot)
        store.close()
        with lowbid.open(url, "page") as again:
            assert again.counts() == counts
            assert again.paused == ["a"]
