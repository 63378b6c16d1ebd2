"""mabby: agents, and its `Simulation` with regret as the only metric."""

import math

import numpy as np
from mabby import BernoulliArm, Metric, Simulation
from mabby.strategies import BetaTSStrategy, UCB1Strategy

POLICIES = {"UCB1": lambda: UCB1Strategy(alpha=math.sqrt(2)), "Thompson": BetaTSStrategy}


def bandit(policy, n_arms, history):
    strategy, rng = POLICIES[policy](), np.random.default_rng(0)
    strategy.prime(n_arms, 0)
    for arm, reward in history:
        strategy.update(arm, reward, rng)
    return lambda: strategy.choose(rng), lambda arm, reward: strategy.update(arm, reward, rng)


def simulate(policy, means, horizon):
    regrets = []
    for seed, row in enumerate(means):
        arms = BernoulliArm.bandit(seed=seed, p=row)
        simulation = Simulation(arms, strategies=[POLICIES[policy]()], seed=seed + len(means))
        stats = simulation.run(trials=1, steps=horizon, metrics=[Metric.CUM_REGRET])
        (agent,) = simulation.agents
        regrets.append(float(stats[agent][Metric.CUM_REGRET][-1]))
    return regrets
