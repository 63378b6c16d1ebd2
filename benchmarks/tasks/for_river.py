"""river: policies, and its `evaluate` on an environment with as little around it as it allows."""

import functools
import random

from river import bandit as river
from river import proba

POLICIES = {
    "UCB1": lambda: river.UCB(delta=1, seed=0),
    "Thompson": lambda: river.ThompsonSampling(reward_obj=proba.Beta(), seed=0),
}


def bandit(policy, n_arms, history):
    made = POLICIES[policy]()
    for arm, reward in history:
        made.update(arm, reward)
    return functools.partial(made.pull, range(n_arms)), made.update


class Actions:
    """The arms' numbers, as `evaluate` asks for them."""

    def __init__(self, n):
        self.n = n

    def seed(self, seed):
        pass


class Arms:
    """What `evaluate` asks of an environment, and no more; each episode has the next row."""

    def __init__(self, rows, horizon, regrets):
        self.rows, self.horizon, self.regrets = rows, horizon, regrets
        self.action_space = Actions(len(rows[0]))

    def __deepcopy__(self, memo):
        copied = Arms(self.rows, self.horizon, self.regrets)
        vars(copied).update(vars(self))
        return copied

    def reset(self, seed):
        self.means = self.rows[len(self.regrets)]
        self.best = max(self.means)
        self.random = random.Random(seed).random
        self.regrets.append(0.0)
        self.steps = 0

    def step(self, arm):
        mean = self.means[arm]
        self.regrets[-1] += self.best - mean
        self.steps += 1
        reward = 1.0 if self.random() < mean else 0.0
        return None, reward, False, self.steps == self.horizon, None


def simulate(policy, means, horizon):
    regrets = []
    arms = Arms(means, horizon, regrets)
    for _ in river.evaluate([POLICIES[policy]()], arms, n_episodes=len(means), seed=0):
        pass
    return regrets
