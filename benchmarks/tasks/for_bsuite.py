"""bsuite: its DeepSea, stepped through without any agent."""

import random

from bsuite.environments.deep_sea import DeepSea

POLICIES = {}
RULES = {"no rule": None}


def learn(rule, environment, episodes):
    """Play this many episodes of 20 steps, with actions drawn beforehand."""
    sea = DeepSea(20, mapping_seed=42)
    actions = [random.randrange(2) for _ in range(20)]
    for _ in range(episodes):
        sea.reset()
        for action in actions:
            sea.step(action)
