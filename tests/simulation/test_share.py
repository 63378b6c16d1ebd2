import itertools
import pickle

import numpy as np
import pytest

import lowbid
from lowbid._compile import kernel
from lowbid.simulation import _share
from lowbid.simulation._share import Share, play_share

WRAPPED = lowbid.Contaminated(lowbid.Rewards(lowbid.Pareto([1.2, 1.0])), value=5.0, chance=0.1)
ENVIRONMENTS = [
    lowbid.Bernoulli([0.1, 0.5]),
    lowbid.RandomArms(lowbid.Gaussian, n_arms=3, sd=0.5),
    WRAPPED,
    lowbid.Mixed([lowbid.Bernoulli([0.2]), lowbid.Gaussian([0.1, 0.5])]),
    lowbid.Empirical([[0.0, 1.0], [0.5]]),
]


def share(environment, first, last, policy=None):
    return Share(policy or lowbid.UCB1(), environment, 60, 3, np.array([20, 60]), first, last)


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda each: type(each).__name__)
def test_every_split_gives_the_runs_of_the_whole(environment):
    policy = lowbid.LBSDA()
    whole = lowbid.simulate(policy, environment, 60, runs=7, seed=3, checkpoints=[20, 60])
    for ends in ([0, 7], [0, 1, 7], [0, 3, 4, 7]):
        parts = [play_share(share(environment, *part, policy)) for part in itertools.pairwise(ends)]
        assert np.array_equal(np.concatenate([p.regret for p in parts]), whole.regret[0])
        assert np.array_equal(np.concatenate([p.pulls for p in parts]), whole.pulls[0])


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda each: type(each).__name__)
def test_what_was_pickled_plays_the_same_with_the_same_compiled_code(environment):
    sent = share(environment, 2, 5)
    received = pickle.loads(pickle.dumps(sent))
    assert received.environment.draw is sent.environment.draw
    assert np.array_equal(play_share(received).regret, play_share(sent).regret)


def test_a_share_that_is_stopped_ends_early():
    assert (play_share(share(ENVIRONMENTS[0], 0, 2), np.ones(1, np.int64)).regret == 0).all()


def test_a_kernel_that_the_other_side_does_not_have_is_named():
    @kernel
    def local(x):
        return x

    with pytest.raises(pickle.UnpicklingError, match=r"no kernel .*local.*top of a module"):
        pickle.loads(pickle.dumps(local))


def test_compiling_is_not_counted_as_playing(monkeypatch):
    """The first call, which compiles, plays no run, and has a time of its own."""
    now, played = [0.0], []

    def loop(*arguments):
        played.append(len(arguments[7]))
        now[0] += 1.0 if played[-1] else 20.0
        return 0

    monkeypatch.setattr(_share, "loop_for", lambda *_: (loop, ()))
    monkeypatch.setattr(_share.time, "perf_counter", lambda: now[0])
    found = play_share(share(ENVIRONMENTS[0], 2, 5))
    assert played == [0, 3]
    assert (found.seconds, found.compiling) == (1.0, 20.0)
