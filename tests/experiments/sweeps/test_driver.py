"""The driver on engines that lose, forget and break tasks."""

import threading
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest

import lowbid
from experiments.sweeps.sweep_examples import PlainPolicy, Raising, small
from lowbid.errors import WorkerError
from lowbid.experiments.sweeps import _rates
from lowbid.experiments.sweeps._driver import Driver
from lowbid.experiments.sweeps._engines import Engine, Threads, play_task
from lowbid.experiments.sweeps._rates import Rates
from lowbid.experiments.sweeps._store import CellStore, Window
from lowbid.experiments.sweeps._sweep import Precision


class Odd(PlainPolicy):
    """The arm depends on the run: what is put together must be in order."""

    def select(self, state, step, stream):
        return int(stream[0] % np.uint64(2))


class HandMade(Engine):
    """Plays at once, or does what the test wants instead: `trouble` is asked for every task."""

    workers = 2

    def __init__(self, trouble=lambda shares, number: None):
        self.trouble, self.sent, self.revived, self.abandoned = trouble, [], 0, 0

    def submit(self, shares):
        self.sent.append(shares)
        future = Future()
        error = self.trouble(shares, len(self.sent))
        if error is None:
            future.set_result(play_task(shares))
        elif error != "silence":
            future.set_exception(error)
        return future

    def revive(self):
        self.revived += 1

    def abandon(self, future):
        self.abandoned += 1
        return False


def drive(folder, sweep, engine, **more):
    driver = Driver(sweep.cells, CellStore(folder), engine, Rates(), **more)
    driver.run()
    return driver


def expected(cell, runs=None):
    return lowbid.simulate(
        cell.policy.policy,
        cell.environment.environment,
        cell.horizon,
        runs or cell.runs,
        cell.seed,
        checkpoints=cell.checkpoints,
    )


def require_all_right(folder, sweep, runs=None):
    for cell in sweep.cells:
        found = CellStore(folder).result(cell)
        assert np.array_equal(found.regret, expected(cell, runs).regret)
        assert np.array_equal(found.pulls, expected(cell, runs).pulls)


@pytest.mark.parametrize(
    ("rate", "tasks", "pieces"), [(1e-9, 1, 6), (1e-2, None, None), (10.0, 42, 42)]
)
def test_every_cell_gets_its_runs_however_tasks_are_cut(tmp_path, rate, tasks, pieces):
    """Many small cells are one task, and a large one is many: some seconds each."""
    sweep, engine = small(Odd(), PlainPolicy(), environments=3, runs=7), HandMade()
    driver = Driver(sweep.cells, CellStore(tmp_path), engine, Rates())
    driver.rates.seconds = lambda cell, runs: rate * runs
    driver.run()
    assert driver.finished == 6
    require_all_right(tmp_path, sweep)
    if tasks is not None:
        assert len(engine.sent) == tasks
        assert sum(map(len, engine.sent)) == pieces


def test_workers_do_not_wait_until_what_they_played_is_on_file(tmp_path, monkeypatch):
    """One worker: the next task is handed out before the last one is saved."""
    events, save = [], CellStore.save

    class Noting(HandMade):
        workers = 1

        def submit(self, shares):
            events.append("task")
            return super().submit(shares)

    def noted(self, *arguments):
        events.append("file")
        return save(self, *arguments)

    monkeypatch.setattr(CellStore, "save", noted)
    sweep = small(Odd(), environments=3, runs=2)
    driver = Driver(sweep.cells, CellStore(tmp_path), Noting(), Rates())
    driver.rates.seconds = lambda cell, runs: 1.0 * runs
    driver.rates.learn = lambda *_: None
    driver.run()
    assert events[:5] == ["task", "task", "file", "task", "file"]
    require_all_right(tmp_path, sweep)


def test_what_is_on_file_is_not_played_again_and_more_runs_are_added(tmp_path):
    drive(tmp_path, small(Odd(), runs=3), HandMade())
    engine = HandMade()
    drive(tmp_path, small(Odd(), runs=3), engine)
    assert engine.sent == []
    drive(tmp_path, small(Odd(), runs=8), engine)
    assert {(share.first, share.last) for shares in engine.sent for share in shares} == {(3, 8)}
    require_all_right(tmp_path, small(Odd(), runs=8))
    engine.sent.clear()
    drive(tmp_path, small(Odd(), runs=2), engine)
    assert engine.sent == []


def test_a_cell_that_raises_is_reported_and_the_rest_goes_on(tmp_path):
    sweep = small(Raising(), Odd())
    driver = drive(tmp_path, sweep, HandMade())
    assert {failure.error for failure in driver.failures.values()} == {"RuntimeError: no idea"}
    assert "select" in next(iter(driver.failures.values())).trace
    assert len(driver.failures) == driver.finished == 2
    require_all_right(tmp_path, small(Odd()))


def test_a_death_is_blamed_on_the_cell_that_causes_it(tmp_path):
    def trouble(shares, number):
        bad = any(isinstance(share.policy, Raising) for share in shares)
        return BrokenProcessPool("dead") if bad else None

    engine = HandMade(trouble)
    driver = drive(tmp_path, small(Raising(), Odd()), engine)
    assert {f.error for f in driver.failures.values()} == {
        "its worker died 3 times (BrokenProcessPool)"
    }
    assert len(driver.failures) == 2
    assert engine.revived >= 3
    require_all_right(tmp_path, small(Odd()))


def test_one_killed_worker_costs_nothing_but_time(tmp_path):
    engine = HandMade(lambda shares, number: BrokenProcessPool("dead") if number == 1 else None)
    driver = drive(tmp_path, small(Odd(), environments=4), engine)
    assert driver.failures == {}
    require_all_right(tmp_path, small(Odd(), environments=4))


def test_a_task_that_never_answers_is_handed_out_again(tmp_path):
    engine = HandMade(lambda shares, number: "silence" if number == 1 else None)
    driver = drive(tmp_path, small(Odd()), engine, time_limit=0.05)
    assert (driver.failures, engine.abandoned) == ({}, 1)
    require_all_right(tmp_path, small(Odd()))


def test_a_cell_that_never_answers_fails_in_the_end(tmp_path):
    def trouble(shares, number):
        return "silence" if any(isinstance(s.policy, Raising) for s in shares) else None

    driver = drive(tmp_path, small(Raising(), Odd()), HandMade(trouble), time_limit=0.05)
    assert len(driver.failures) == 2
    assert all("no answer within" in failure.error for failure in driver.failures.values())
    require_all_right(tmp_path, small(Odd()))


def test_what_came_in_is_kept_when_the_engine_is_gone(tmp_path):
    class Gone(HandMade):
        def check(self):
            if len(self.sent) > 3:
                raise WorkerError("the scheduler is gone")

        def submit(self, shares):
            return super().submit(shares)

    driver = Driver(small(Odd(), runs=9).cells, CellStore(tmp_path), Gone(), Rates())
    driver.rates.seconds = lambda cell, runs: 10.0 * runs
    with pytest.raises(WorkerError):
        driver.run()
    store = CellStore(tmp_path)
    kept = sum(store.runs(cell) for cell in small(Odd(), runs=9).cells)
    assert 2 <= kept < 18
    engine = HandMade()
    drive(tmp_path, small(Odd(), runs=9), engine)
    played = sum(share.last - share.first for shares in engine.sent for share in shares)
    assert played == 18 - kept
    require_all_right(tmp_path, small(Odd(), runs=9))


def test_a_file_that_is_lost_while_runs_are_added_is_played_again(tmp_path):
    """The runs on file when the sweep began are gone when it wants to add to them."""
    drive(tmp_path, small(Odd(), runs=3), HandMade())
    sweep, store = small(Odd(), runs=8), CellStore(tmp_path)
    engine = HandMade(lambda shares, number: damage() if number == 1 else None)

    def damage():
        content = store.path(sweep.cells[0]).read_bytes()
        store.path(sweep.cells[0]).write_bytes(content[:-30])

    driver = drive(tmp_path, sweep, engine)
    assert driver.finished == 2
    assert [(s.first, s.last) for shares in engine.sent for s in shares][-1] == (0, 3)
    require_all_right(tmp_path, sweep)


@pytest.mark.parametrize("theirs", [2, 5, 8, 12])
def test_another_sweep_may_put_fewer_or_more_runs_on_file_meanwhile(tmp_path, theirs):
    drive(tmp_path, small(Odd(), runs=3), HandMade())
    sweep = small(Odd(), runs=8)

    def interfere(shares, number):
        if number == 1:
            for cell in sweep.cells:
                result = expected(cell, theirs)
                made = cell.result(result.regret[0], result.pulls[0])
                CellStore(tmp_path).save(cell, made, 1.0, Window(0, theirs))

    driver = drive(tmp_path, sweep, HandMade(interfere))
    assert driver.finished == 2
    require_all_right(tmp_path, sweep, max(8, theirs))


def test_two_sweeps_that_save_the_same_cell_at_once_lose_no_runs(tmp_path, monkeypatch):
    """The one with fewer runs reads the file, the other replaces it, and then the first saves."""
    few, many = small(Odd(), environments=1, runs=3), small(Odd(), environments=1, runs=8)
    about_to_save, other_done, save = threading.Event(), threading.Event(), CellStore.save

    def slow(self, cell, result, *more):
        if result.regret.shape[1] == 3:
            about_to_save.set()
            other_done.wait(0.3)
        return save(self, cell, result, *more)

    monkeypatch.setattr(CellStore, "save", slow)
    first = threading.Thread(target=lambda: drive(tmp_path, few, HandMade()))
    first.start()
    assert about_to_save.wait(60)
    drive(tmp_path, many, HandMade())
    other_done.set()
    first.join(timeout=60)
    require_all_right(tmp_path, many)


def test_many_cells_that_fail_are_all_reported(tmp_path):
    sweep = small(Raising(), environments=80)
    driver = drive(tmp_path, sweep, HandMade())
    assert len(driver.failures) == 80


def test_equal_cells_are_played_once(tmp_path):
    sweep, twin = small(Odd()), small(Odd(), environments=1, runs=6)
    engine = HandMade()
    driver = Driver([*sweep.cells, *twin.cells], CellStore(tmp_path), engine, Rates())
    driver.run()
    assert len(driver.works) == 2
    assert CellStore(tmp_path).runs(sweep.cells[0]) == 6


def test_with_a_precision_a_pilot_decides_and_further_runs_follow(tmp_path):
    sweep = small(Odd(), runs=20, horizon=50, precision=Precision(0.05, 300))
    driver = drive(tmp_path, sweep, HandMade(), precision=sweep.precision)
    for work in driver.works.values():
        assert work.further is not None
        assert CellStore(tmp_path).runs(work.cell) == 20 + work.further
        require_all_right(tmp_path, small(Odd(), horizon=50, runs=20), 20 + work.further)
    engine = HandMade()
    drive(tmp_path, sweep, engine, precision=sweep.precision)
    assert engine.sent == []


def test_threads_that_hang_do_not_stop_the_others(tmp_path):
    from experiments.sweeps.sweep_examples import Hanging

    sweep = small(Hanging(), Odd(), environments=1)
    driver = drive(tmp_path, sweep, Threads(1), time_limit=0.2)
    assert len(driver.failures) == 1
    require_all_right(tmp_path, small(Odd(), environments=1))


def test_a_policy_that_hangs_in_the_calibration_does_not_hold_up_the_others(tmp_path, monkeypatch):
    from experiments.sweeps.sweep_examples import Hanging

    sweep, engine, rates = small(Hanging(), Odd(), environments=1), Threads(1), Rates()
    monkeypatch.setattr(_rates, "_CALIBRATION_SECONDS", 0.1)
    monkeypatch.setattr(_rates, "_FIRST_ANSWER_SECONDS", 0.1)
    busy = rates.calibrate(sweep.cells, engine)
    assert len(busy) == 1
    driver = Driver(sweep.cells, CellStore(tmp_path), engine, rates, time_limit=0.2)
    driver.mind(busy)
    driver.run()
    assert [failure.error for failure in driver.failures.values()] == [
        "no answer within 0 s, 3 times"
    ]
    require_all_right(tmp_path, small(Odd(), environments=1))
