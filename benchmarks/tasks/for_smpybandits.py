"""SMPyBandits: policies, and its `Evaluator` with one job (on Python 3.11 it fails with more)."""

import inspect

import numpy as np

if not hasattr(inspect, "getargspec"):  # gone since Python 3.11
    inspect.getargspec = inspect.getfullargspec

from SMPyBandits.Arms import Bernoulli
from SMPyBandits.Environment import Evaluator
from SMPyBandits.Policies import UCB, UCBV, Thompson, klUCB

POLICIES = {"UCB1": UCB, "Thompson": Thompson, "KL-UCB": klUCB, "UCB-V": UCBV}


def bandit(policy, n_arms, history):
    made = POLICIES[policy](n_arms)
    made.startGame()
    for arm, reward in history:
        made.getReward(arm, reward)
    return made.choice, made.getReward


def simulate(policy, means, horizon):
    np.random.seed(0)  # noqa: NPY002, it draws from there
    configuration = {
        "horizon": horizon,
        "repetitions": 1,
        "n_jobs": 1,
        "verbosity": 0,
        "random_shuffle": False,
        "random_invert": False,
        "nb_break_points": 0,
        "environment": [{"arm_type": Bernoulli, "params": row} for row in means],
        "policies": [{"archtype": POLICIES[policy], "params": {}}],
    }
    evaluator = Evaluator(configuration, finalRanksOnAverage=False)
    evaluator.startAllEnv()
    regrets = []
    for number, row in enumerate(means):
        gaps = max(row) - np.array(row)
        regrets.append(float(evaluator.lastPulls[number][0, :, 0] @ gaps))
    return regrets
