import threading
import time

import numpy as np
import pytest

import lowbid
from lowbid.simulation import _simulate
from lowbid.simulation._progress import Progress
from lowbid.simulation._workers import run_in_threads

ARMS = lowbid.RandomArms(lowbid.Bernoulli, n_arms=4)


def test_a_stopped_simulation_ends_within_a_checkpoint():
    simulation = _simulate._Simulation(
        {"UCB1": lowbid.UCB1()}, ARMS, 10**9, 1, 0, np.arange(10**3, 10**9, 10**6)
    )
    timer = threading.Timer(0.3, lambda: simulation.stop.__setitem__(0, 1))
    timer.start()
    simulation.run(workers=1, progress=False)
    assert simulation.regret[0, 0, -1] == 0.0


def test_ctrl_c_does_not_wait_for_what_cannot_be_stopped(monkeypatch):
    compiled, ended = threading.Event(), []

    def compiling(*_):
        ended.append(compiled.wait(10))

    def interrupted(pending, timeout, return_when):
        raise KeyboardInterrupt

    monkeypatch.setattr("lowbid.simulation._share.Game.play", compiling)
    monkeypatch.setattr("lowbid.simulation._workers.wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lowbid.simulate(lowbid.UCB1(), ARMS, horizon=10, runs=1, workers=1)
    assert ended == []
    compiled.set()


def test_an_error_ends_the_tasks_at_work_and_those_that_wait():
    stop, begun = np.zeros(1, np.int64), []

    def fails(steps_done):
        raise RuntimeError("broken")

    def plays(steps_done):
        begun.append(1)
        for _ in range(500):
            if stop[0]:
                return
            time.sleep(0.01)

    try:
        with pytest.raises(RuntimeError, match="broken"):
            run_in_threads([plays, fails, *[plays] * 50], 2, stop, Progress(1, False))
        assert stop[0] == 1
        time.sleep(0.1)
        assert len(begun) <= 2
    finally:
        stop[0] = 1  # or Python would wait for all of them before it exits
