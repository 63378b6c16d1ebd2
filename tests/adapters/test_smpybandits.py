"""SMPyBandits: the protocol here, the real library in the slow test, in its own environment."""

import json
import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest

import lowbid
from benchmarks.peers import NotInstalledError, python_of
from lowbid.adapters.smpybandits import FromSMPyBandits
from lowbid.errors import InvalidValueError

ARMS = lowbid.Bernoulli([0.7, 0.2, 0.6])


class Greedy:
    """Written as SMPyBandits' policies are: global randomness, `nbArms`, three methods."""

    def __init__(self, nbArms, epsilon=0.1):  # noqa: N803
        self.nbArms, self.epsilon = nbArms, epsilon

    def startGame(self):  # noqa: N802
        self.pulls, self.rewards = np.zeros(self.nbArms), np.zeros(self.nbArms)

    def choice(self):
        if random.random() < self.epsilon or (self.pulls == 0).any():
            return np.random.randint(self.nbArms)  # noqa: NPY002
        means = self.rewards / self.pulls
        return np.random.choice(np.flatnonzero(means == means.max()))  # noqa: NPY002

    def getReward(self, arm, reward):  # noqa: N802
        self.pulls[arm] += 1
        self.rewards[arm] += reward


@pytest.mark.parametrize(
    "policy", [Greedy, Greedy(3), lambda n: Greedy(n, 0.05)], ids=["class", "object", "function"]
)
def test_their_policies_learn_in_our_simulation(policy):
    result = lowbid.simulate(
        [FromSMPyBandits(policy), lowbid.UniformPlay()], ARMS, horizon=300, runs=8
    )
    theirs, uniform = result.regret[:, :, -1].mean(axis=1)
    assert theirs < 0.6 * uniform


def test_their_randomness_is_ours_and_nothing_is_left_behind():
    np.random.seed(5)  # noqa: NPY002
    random.seed(5)
    before = np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002
    one, again, other = (
        lowbid.simulate(FromSMPyBandits(Greedy), ARMS, 80, runs=6, seed=seed, workers=workers).pulls
        for seed, workers in ((1, 1), (1, 4), (2, 1))
    )
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert np.array_equal(np.random.get_state()[1], before[0])  # noqa: NPY002
    assert random.getstate() == before[1]


def test_an_object_stays_as_it_was():
    policy = Greedy(3)
    lowbid.simulate(FromSMPyBandits(policy), ARMS, 10, runs=2)
    assert not hasattr(policy, "pulls")


def test_what_is_no_policy_of_theirs_is_refused():
    with pytest.raises(InvalidValueError, match="startGame, choice, getReward"):
        FromSMPyBandits(3)
    with pytest.raises(InvalidValueError, match="made for 2 arms, but there are 3"):
        lowbid.simulate(FromSMPyBandits(Greedy(2)), ARMS, 10, runs=1)
    with pytest.raises(InvalidValueError, match="has no startGame"):
        lowbid.simulate(FromSMPyBandits(lambda n: n), ARMS, 10, runs=1)


REAL = """
import inspect, json, warnings
warnings.simplefilter("ignore")
inspect.getargspec = inspect.getfullargspec  # gone since Python 3.11
from SMPyBandits.Policies import UCB, Thompson, klUCB
import lowbid
from lowbid.adapters.smpybandits import FromSMPyBandits
policies = {p.__name__: FromSMPyBandits(p) for p in (UCB, Thompson, klUCB)}
policies |= {"object": FromSMPyBandits(UCB(3)), "UCB1": lowbid.UCB1()}
arms = lowbid.Bernoulli([0.7, 0.2, 0.6])
runs = [lowbid.simulate(policies, arms, 300, runs=20, seed=1, workers=w) for w in (1, 2)]
print("FOUND " + json.dumps({
    "regret": {p: float(runs[0][p].regret[0, :, -1].mean()) for p in policies},
    "se": {p: float(runs[0][p].regret[0, :, -1].std() / 20**0.5) for p in policies},
    "same": bool((runs[0].pulls == runs[1].pulls).all()),
}))
"""


@pytest.mark.slow
def test_the_real_library():
    try:
        python = python_of("SMPyBandits in lowbid")
    except NotInstalledError as reason:
        pytest.skip(f"SMPyBandits cannot be installed here: {reason}")
    source = Path(lowbid.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [python, "-c", REAL], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.partition("FOUND ")[2])
    assert found["same"]
    assert set(found["regret"]) == {"UCB", "Thompson", "klUCB", "object", "UCB1"}
    # Their UCB is UCB1: the same regret within the error of 20 runs, on the same losses.
    apart = found["regret"]["UCB"] - found["regret"]["UCB1"]
    assert abs(apart) < 4.5 * (found["se"]["UCB"] + found["se"]["UCB1"])
    assert found["regret"]["klUCB"] < found["regret"]["UCB"]
