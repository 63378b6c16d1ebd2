"""Sweeps on a real Dask cluster of this machine."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from experiments.sweeps.sweep_examples import (
    Hanging,
    HangingOnce,
    PlainPolicy,
    Raising,
    Slow,
    small,
)
from lowbid.errors import WorkerError
from lowbid.experiments.sweeps import CellStore, play_sweep

pytestmark = [
    pytest.mark.slow,
    # Dask and Tornado of some versions warn of their own doings when connections end.
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning"
    ),
]
TESTS = Path(__file__).parents[2]


class Cluster:
    """A scheduler and two workers, as processes of their own that can be killed."""

    def __init__(self, nanny="--no-nanny"):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        self.workers = [
            self.start("worker", f"tcp://{self.address}", "--nthreads", "1", nanny)
            for _ in range(2)
        ]
        self.wait_for_workers()

    def start(self, *words):
        paths = [str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")]
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *words, "--no-dashboard"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def wait_for_workers(self):
        from distributed import Client

        deadline = time.monotonic() + 60
        with Client(f"tcp://{self.address}", timeout=60, set_as_default=False) as client:
            while len(client.nthreads()) < 2 and time.monotonic() < deadline:
                time.sleep(0.1)
            assert len(client.nthreads()) == 2

    def close(self):
        for process in [*self.workers, self.scheduler]:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait(20)


@pytest.fixture
def cluster(request):
    made = Cluster(*getattr(request, "param", ()))
    yield made
    made.close()


def played(sweep, folder, cluster, **more):
    return play_sweep(sweep, folder, on=f"dask://{cluster.address}", say=lambda text: None, **more)


def when(there, act):
    """Do something as soon as a file is there."""

    def watch():
        deadline = time.monotonic() + 60
        while not there.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        act()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_the_same_bits_as_threads_and_a_killed_worker_s_tasks_are_run_elsewhere(tmp_path, cluster):
    sweep = small(PlainPolicy(), Slow(), Raising(), environments=5, runs=6)
    there = tmp_path / "dask" / "index.jsonl"
    killer = when(there, lambda: cluster.workers[0].kill())
    failed = played(sweep, tmp_path / "dask", cluster)
    killer.join()
    assert cluster.workers[0].poll() is not None
    assert {name.split()[0] for name in failed} == {"Raising"}
    assert {failure.error for failure in failed.values()} == {"RuntimeError: no idea"}
    play_sweep(sweep, tmp_path / "threads", say=lambda text: None)
    ours, theirs = CellStore(tmp_path / "dask"), CellStore(tmp_path / "threads")
    for cell in sweep.cells:
        if not isinstance(cell.policy.policy, Raising):
            assert np.array_equal(ours.result(cell).regret, theirs.result(cell).regret)


def test_a_scheduler_that_is_gone_leaves_a_folder_to_go_on_with(tmp_path, cluster, monkeypatch):
    from lowbid.experiments.sweeps import _dask

    monkeypatch.setattr(_dask, "_PATIENCE", 1.0)
    sweep = small(Slow(), environments=12, runs=6)
    killer = when(tmp_path / "index.jsonl", cluster.scheduler.kill)
    with pytest.raises(WorkerError, match=r"scheduler at .* is gone: \d+ of 12 cells are finished"):
        played(sweep, tmp_path, cluster)
    killer.join()
    kept = sum(CellStore(tmp_path).runs(cell) == cell.runs for cell in sweep.cells)
    assert 0 < kept < 12
    assert play_sweep(sweep, tmp_path, say=lambda text: None) == {}


@pytest.mark.parametrize("cluster", [["--no-nanny"], ["--nanny"]], indirect=True, ids=str)
def test_a_task_that_never_answers_is_handed_out_again(tmp_path, cluster):
    """Its worker is restarted if it has a nanny; one that has none gets no work any more."""
    once = HangingOnce(str(tmp_path / "marker"))
    sweep = small(once, PlainPolicy(), environments=3)
    assert played(sweep, tmp_path / "out", cluster, time_limit=2) == {}
    assert (tmp_path / "marker").exists()
    store = CellStore(tmp_path / "out")
    assert all(store.runs(cell) == cell.runs for cell in sweep.cells)


@pytest.mark.parametrize("cluster", [["--nanny"]], indirect=True, ids=str)
def test_a_cell_that_never_answers_is_reported_and_the_rest_goes_on(tmp_path, cluster):
    sweep = small(Hanging(), PlainPolicy(), environments=1)
    (failed,) = played(sweep, tmp_path, cluster, time_limit=2).values()
    assert failed.error == "no answer within 2 s, 3 times"


def test_workers_that_all_hang_and_cannot_be_restarted_are_named(tmp_path, cluster):
    with pytest.raises(WorkerError, match=r"all 2 workers at .* never answer.* 0 of 2 cells"):
        played(small(Hanging(), environments=2), tmp_path, cluster, time_limit=2)
