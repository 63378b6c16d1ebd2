import os
import signal
import struct
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import lowbid
from experiments.sweeps.sweep_examples import Deadly, Hanging, PlainPolicy, Raising, Slow, small
from lowbid._compile import _waiting
from lowbid.errors import InvalidValueError, WorkerError
from lowbid.experiments.sweeps import CellStore, _engines, play_sweep, write_up
from lowbid.experiments.sweeps._engines import Processes, engine_for, play_task
from lowbid.experiments.sweeps._rates import Rates
from lowbid.experiments.sweeps._store import Window
from lowbid.simulation._share import PlayedShare

GOOD = small(PlainPolicy())


def played(sweep, folder, **more):
    return play_sweep(sweep, folder, say=lambda text: None, **more)


def all_there(folder, sweep):
    store = CellStore(folder)
    return all(store.runs(cell) == cell.runs for cell in sweep.cells)


def test_one_share_that_fails_does_not_keep_the_others_from_being_played():
    bad, good = (small(policy).cells[0].share(0, 2) for policy in (Raising(), PlainPolicy()))
    failed, came = play_task([bad, good])
    assert failed.error == "RuntimeError: no idea"
    assert came.regret.shape[0] == 2


def test_the_progress_bar_can_name_what_is_being_compiled():
    named = []

    class Named(PlainPolicy):
        def select(self, state, step, stream):
            named.append(_waiting._name.get())
            return 0

    play_task([small(Named()).cells[0].share(0, 1)])
    assert set(named) == {"Named"}


def test_what_fails_does_not_keep_the_others_from_being_ranked(tmp_path):
    sweep = small(Raising(), PlainPolicy(), lowbid.UniformPlay(), environments=3)
    assert len(played(sweep, tmp_path)) == 3
    text = write_up(sweep, tmp_path, "lowbid sweep small.toml")
    assert "6 of 9 cells are finished; 3 cells failed\n\nOver all 3 cells" in text
    assert "UniformPlay" in text
    page = (tmp_path / "small" / "report.html").read_text()
    assert "Raising on e0, 20 steps: RuntimeError: no idea" in page
    # Somewhere else it has been played since.
    cell = next(cell for cell in sweep.cells if cell.policy.name == "Raising")
    arms = cell.environment.environment.n_arms
    regret = np.ones((cell.runs, len(cell.checkpoints)))
    result = cell.result(regret, np.zeros((cell.runs, arms), np.int64))
    CellStore(tmp_path).save(cell, result, 1.0, Window(0, cell.runs))
    text = write_up(sweep, tmp_path, "lowbid sweep small.toml")
    assert "7 of 9 cells are finished; 2 cells failed" in text
    assert "Over the 1 cell where Raising plays" in text


def test_threads_and_any_executor(tmp_path):
    assert played(GOOD, tmp_path / "a", workers=2) == {}
    with ThreadPoolExecutor(2) as pool:
        assert played(GOOD, tmp_path / "b", on=pool) == {}
        assert pool.submit(int, 3).result() == 3  # it stays open
    assert all_there(tmp_path / "a", GOOD)
    assert all_there(tmp_path / "b", GOOD)


@pytest.mark.parametrize("on", ["thread", "dask", "dask://", "dask://nowhere", 3, None])
def test_what_is_no_engine_is_refused(on):
    with pytest.raises(InvalidValueError, match="on is"):
        engine_for(on, None)


def test_an_executor_that_is_closed_leaves_a_folder_to_go_on_with(tmp_path):
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError):
        played(GOOD, tmp_path, on=pool)
    assert played(GOOD, tmp_path) == {}


def children():
    return [
        int(pid)
        for pid in os.listdir("/proc")
        if pid.isdigit() and _parent(pid) == os.getpid() and "spawn_main" in _command(pid)
    ]


def _parent(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return -1


def _command(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read()
    except OSError:
        return ""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="finds processes under /proc")
def test_a_worker_that_is_killed_in_the_middle_costs_nothing_but_time(tmp_path):
    sweep, killed = small(Slow(), environments=6, horizon=20, runs=6), []

    def kill():
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            at_work = children()
            if len(at_work) == 2 and (tmp_path / "index.jsonl").exists():
                os.kill(at_work[0], signal.SIGKILL)
                killed.append(at_work[0])
                return
            time.sleep(0.05)

    thread = threading.Thread(target=kill)
    thread.start()
    assert played(sweep, tmp_path, on="processes", workers=2) == {}
    thread.join()
    assert len(killed) == 1
    assert all_there(tmp_path, sweep)


@pytest.mark.slow
def test_a_cell_that_kills_or_holds_up_its_workers_is_reported_and_the_rest_goes_on(tmp_path):
    sweep = small(PlainPolicy(), Deadly(), Hanging(), environments=1)
    failed = played(sweep, tmp_path, on="processes", workers=1, time_limit=3)
    assert sorted(name.split()[0] for name in failed) == ["Deadly", "Hanging"]
    errors = {name.split()[0]: failure.error for name, failure in failed.items()}
    assert "worker died" in errors["Deadly"]
    assert "no answer" in errors["Hanging"]
    assert all_there(tmp_path, small(PlainPolicy(), environments=1))


def half_an_answer(die):
    """In a worker: begin to answer, and stay like that or die."""
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        frame = frame.f_back
    pipe = frame.f_locals["result_queue"]._writer.fileno()
    os.write(pipe, struct.pack("!i", 1_000_000) + b"the beginning")
    if die:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(1000)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs the pipes of POSIX")
def test_processes_that_are_stopped_in_the_middle_of_an_answer_end():
    """Python would wait for the pool's thread when it exits."""
    engine = Processes(2)
    manager, pipe = engine.executor._executor_manager_thread, engine.executor._result_queue._writer
    engine.executor.submit(half_an_answer, False)
    time.sleep(2.0)
    engine.close(now=True)
    manager.join(timeout=60)
    ended = not manager.is_alive()
    pipe.close()  # or a failure would hang here as well
    assert ended


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs the pipes of POSIX")
def test_a_worker_that_dies_in_the_middle_of_an_answer_is_noticed(monkeypatch):
    monkeypatch.setattr(_engines, "_NOTICE_SECONDS", 0.5)
    engine = Processes(2)
    lost = engine.executor.submit(half_an_answer, True)
    deadline = time.monotonic() + 60
    while not lost.done() and time.monotonic() < deadline:
        engine.check()
        time.sleep(0.1)
    noticed = lost.done()
    engine.close(now=True)
    assert noticed
    assert engine.is_death(lost.exception())
    engine.revive()
    engine.check()
    assert engine.submit([]).result(timeout=60) == []
    engine.close(now=False)


@pytest.mark.slow
def test_processes_end_when_they_are_closed():
    engine = Processes(2)
    share = GOOD.cells[0].share(0, 1)
    assert len(engine.submit([share]).result()) == 1
    engine.close(now=True)
    deadline = time.monotonic() + 20
    while children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert children() == []


def test_no_scheduler_says_how_to_start_one(monkeypatch):
    pytest.importorskip("distributed")
    from lowbid.experiments.sweeps import _dask

    monkeypatch.setattr(_dask, "_CONNECT_SECONDS", 0.2)
    with pytest.raises(WorkerError, match="dask scheduler"):
        engine_for("dask://127.0.0.1:9", None)


def test_threads_do_not_slow_one_another_down_while_they_are_calibrated(monkeypatch):
    at_work, most = [], []

    def task(shares, stop):
        at_work.append(shares)
        most.append(len(at_work))
        time.sleep(0.05)
        at_work.pop()
        return [PlayedShare(None, None, 0.01)] * len(shares)

    monkeypatch.setattr(_engines, "play_task", task)
    engine = engine_for("threads", 2)
    assert Rates().calibrate(small(PlainPolicy(), Slow(), Raising()).cells, engine) == []
    engine.close(now=False)
    assert most == [1, 1, 1]
