"""MABWiser style; the real library is compared in the slow test, in an environment of its own."""

import inspect
import json
import subprocess

import numpy as np
import pandas
import pytest

import lowbid
from benchmarks.peers import NotInstalledError, python_of
from lowbid.adapters.mabwiser import MAB
from lowbid.errors import InvalidValueError, UnknownNameError

ARMS = ["a", "b"]
DECISIONS, REWARDS = ["a", "a", "b", "a"], [20, 17, 25, 9]


def test_fit_begins_again_and_partial_fit_goes_on():
    mab = MAB(ARMS)
    mab.fit(DECISIONS, REWARDS)
    mab.fit(DECISIONS, REWARDS)
    assert mab.bandit.counts() == {"a": 3, "b": 1}
    mab.partial_fit(["b"], [5])
    assert mab.predict_expectations() == {"a": pytest.approx(46 / 3), "b": 15.0}


def test_it_makes_the_choices_of_a_bandit():
    mab = MAB(ARMS, lowbid.UCB1(), seed=3, reward_range=(0, 30))
    bandit = lowbid.Bandit(ARMS, lowbid.UCB1(), seed=3, reward_range=(0, 30))
    mab.fit(DECISIONS, REWARDS)
    bandit.update_many(DECISIONS, rewards=REWARDS)
    assert [mab.predict() for _ in range(10)] == [bandit.select() for _ in range(10)]


@pytest.mark.parametrize("kind", [list, np.array, pandas.Series])
def test_lists_arrays_and_series(kind):
    mab = MAB([0, 1])
    mab.fit(kind([0, 1, 0]), kind([1.0, 2.0, 3.0]))
    assert mab.predict_expectations() == {0: 2.0, 1: 2.0}


def test_arms_come_and_go():
    mab = MAB(ARMS)
    mab.add_arm("c")
    assert (mab.arms, mab.cold_arms) == (["a", "b", "c"], ["a", "b", "c"])
    mab.partial_fit(["c"], [1])
    mab.remove_arm("a")
    assert (mab.arms, mab.cold_arms) == (["b", "c"], ["b"])
    mab.fit(["b"], [1])
    assert mab.arms == ["b", "c"]


def test_a_fit_that_fails_changes_nothing():
    mab = MAB(ARMS)
    mab.fit(DECISIONS, REWARDS)
    with pytest.raises(UnknownNameError):
        mab.fit(["a", "x"], [1, 2])
    with pytest.raises(InvalidValueError):
        mab.partial_fit(["a", "b"], [1, float("nan")])
    assert mab.bandit.counts() == {"a": 3, "b": 1}


def test_contexts_and_binarizers_are_refused():
    mab = MAB(ARMS)
    with pytest.raises(InvalidValueError, match="no contexts"):
        mab.fit(DECISIONS, REWARDS, contexts=[[1]] * 4)
    with pytest.raises(InvalidValueError, match="no contexts"):
        mab.predict([[1]])
    with pytest.raises(InvalidValueError, match="binarizer"):
        mab.add_arm("c", binarizer=bool)


THEIRS = """
import inspect, json
from mabwiser.mab import MAB, LearningPolicy
methods = ("fit", "partial_fit", "predict", "predict_expectations", "add_arm", "remove_arm")
mab = MAB(["a", "b"], LearningPolicy.EpsilonGreedy(epsilon=0.0), seed=1)
mab.fit(["a", "a", "b", "a"], [20, 17, 25, 9])
mab.partial_fit(["b"], [5])
print(json.dumps({
    "parameters": {name: list(inspect.signature(getattr(MAB, name)).parameters)
                   for name in methods},
    "expectations": mab.predict_expectations(),
    "predicted": mab.predict(),
}))
"""


@pytest.mark.slow
def test_calls_are_those_of_the_real_library():
    try:
        python = python_of("mabwiser")
    except NotInstalledError as reason:
        pytest.skip(f"MABWiser cannot be installed here: {reason}")
    done = subprocess.run([python, "-c", THEIRS], capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout)
    for name, parameters in theirs["parameters"].items():
        assert list(inspect.signature(getattr(MAB, name)).parameters) == parameters
    mab = MAB(ARMS, lowbid.Greedy(), seed=1, reward_range=(0, 30))
    mab.fit(DECISIONS, REWARDS)
    mab.partial_fit(["b"], [5])
    assert mab.predict_expectations() == pytest.approx(theirs["expectations"])
    assert mab.predict() == theirs["predicted"]
