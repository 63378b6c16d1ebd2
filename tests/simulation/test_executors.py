"""Runs on executors: the same bits wherever they are played."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import lowbid
from lowbid.errors import InvalidValueError, WorkerError
from lowbid.simulation import _simulate

ARMS = lowbid.RandomArms(lowbid.Bernoulli, n_arms=4)
POLICIES = [lowbid.UCB1(), lowbid.BatchEnsemble(batches=3), lowbid.BetaThompson()]


def simulate(**more):
    return lowbid.simulate(POLICIES, ARMS, horizon=300, runs=23, seed=1, **more)


def same(first, second):
    return np.array_equal(first.regret, second.regret) and np.array_equal(first.pulls, second.pulls)


@pytest.fixture(scope="module")
def alone():
    return simulate(workers=1)


@pytest.mark.parametrize("workers", [None, 1, 5, 100])
def test_threads_give_the_same_bits_for_every_split(alone, workers):
    with ThreadPoolExecutor(3) as pool:
        found = simulate(executor=pool, workers=workers)
    assert same(found, alone)
    assert found.provenance["configuration_hash"] == alone.provenance["configuration_hash"]


def test_late_feedback_is_the_same_too():
    late = {"horizon": 50, "runs": 5, "delay": [0, 3, 9], "lost": 0.1, "batch": 2}
    with ThreadPoolExecutor(2) as pool:
        there = lowbid.simulate(lowbid.UCB1(), ARMS, executor=pool, **late)
    assert same(there, lowbid.simulate(lowbid.UCB1(), ARMS, **late))


@pytest.mark.slow
def test_processes_give_the_same_bits(alone):
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert same(simulate(executor=pool), alone)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_dask_cluster_gives_the_same_bits(alone):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        assert same(simulate(executor=client.get_executor()), alone)
        assert same(simulate(executor=client.get_executor(), workers=7), alone)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_ipyparallel_gives_the_same_bits(alone):
    ipyparallel = pytest.importorskip("ipyparallel", reason="pip install ipyparallel")
    with ipyparallel.Cluster(n=2, log_level=40) as client:
        assert same(simulate(executor=client.executor()), alone)
        assert same(simulate(executor=client.executor(), workers=7), alone)


MPI = """
import sys
from mpi4py.futures import MPIPoolExecutor
import lowbid

if __name__ == "__main__":
    arms = lowbid.RandomArms(lowbid.Bernoulli, n_arms=4)
    policies = [lowbid.UCB1(), lowbid.BatchEnsemble(batches=3), lowbid.BetaThompson()]
    with MPIPoolExecutor() as pool:
        lowbid.simulate(policies, arms, 300, 23, 1, executor=pool).save(sys.argv[1])
"""


@pytest.mark.slow
def test_mpi_gives_the_same_bits(alone, tmp_path):
    pytest.importorskip("mpi4py", reason="pip install mpi4py, which needs an MPI library")
    if shutil.which("mpiexec") is None:
        pytest.skip("there is no mpiexec: apt-get install openmpi-bin")
    (tmp_path / "there.py").write_text(MPI)
    command = [
        "mpiexec",
        "-n",
        "3",
        sys.executable,
        "-m",
        "mpi4py.futures",
        "there.py",
        "there.npz",
    ]
    # Open MPI refuses to run as root, as containers do, and to start more than there are cores.
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    allowed["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    subprocess.run(command, cwd=tmp_path, env={**os.environ, **allowed}, check=True, timeout=120)
    assert same(lowbid.Result.load(tmp_path / "there.npz"), alone)


class Backwards(Executor):
    """Plays all tasks at once when the last has come in, the last one first."""

    def __init__(self, tasks):
        self.tasks, self.left = [], tasks

    def submit(self, task, /, *args, **kwargs):
        self.tasks.append((Future(), task))
        if len(self.tasks) == self.left:
            for future, each in reversed(self.tasks):
                future.set_result(each())
        return self.tasks[-1][0]


def test_the_order_in_which_tasks_are_done_does_not_matter(alone):
    assert same(simulate(executor=Backwards(3 * 23), workers=100), alone)


class Failing(lowbid.Policy):
    """Plain Python that breaks down."""

    def init(self, n_arms, capacity):
        return ()

    def select(self, state, step, stream):
        raise RuntimeError("no idea")

    def update(self, state, arm, loss, step, stream):
        pass


def test_an_error_comes_through_and_what_has_not_begun_is_cancelled():
    with ThreadPoolExecutor(1) as pool:
        submitted = []
        submit = pool.submit
        pool.submit = lambda task: submitted.append(submit(task)) or submitted[-1]
        with pytest.raises(RuntimeError, match="no idea"):
            lowbid.simulate(
                [Failing(), lowbid.UCB1()], ARMS, 10**6, runs=40, executor=pool, workers=20
            )
        # Those that fail at once may all be over before the error is noticed; the others take long.
        assert sum(future.cancelled() for future in submitted) > 20


def test_progress_is_shown_for_what_came_in(monkeypatch, alone):
    shown = []
    monkeypatch.setattr(_simulate.Progress, "show", lambda self, done: shown.append(done))
    with ThreadPoolExecutor(2) as pool:
        simulate(executor=pool, progress=True)
    assert shown == sorted(shown)
    assert shown[-1] == 3 * 23 * 300


@pytest.mark.parametrize("given", [3, "processes", ThreadPoolExecutor])
def test_what_is_no_executor_is_refused(given):
    with pytest.raises(InvalidValueError, match=r"executor is .* ProcessPoolExecutor\(\)"):
        simulate(executor=given)


def die(*_):
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


@pytest.mark.slow
def test_a_lost_worker_says_what_to_do():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(time.sleep, 0).result() is None
        pool.submit(die)
        with pytest.raises(WorkerError, match="start another executor"):
            simulate(executor=pool)


@pytest.mark.slow
def test_what_cannot_be_sent_says_so():
    class Local(lowbid.UCB1):
        pass

    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool,
        pytest.raises(WorkerError, match="top of a module"),
    ):
        lowbid.simulate(Local(), ARMS, 100, runs=2, executor=pool)
