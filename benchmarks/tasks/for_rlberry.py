"""rlberry: its agents, on RiverSwim as its own FiniteMDP, and on DeepSea by a class of 20 lines.

Its tables are the same at all stages, so DeepSea as a FiniteMDP would have 400 states; a class of
its own with 20 columns, and agents that tell stages apart, are many times as fast.
"""

import numpy as np
import rlberry
import rlberry.spaces as spaces
from rlberry.agents.optql import OptQLAgent
from rlberry.agents.psrl import PSRLAgent
from rlberry.agents.rlsvi import RLSVIAgent
from rlberry.agents.ucbvi import UCBVIAgent
from rlberry.envs.finite import FiniteMDP
from rlberry.envs.interface import Model

rlberry.logger.setLevel("ERROR")

POLICIES = {}
HORIZON = 20
RULES = {
    "UCBVI": UCBVIAgent,
    "PSRL": PSRLAgent,
    "RLSVI": RLSVIAgent,
    "UCB-Q": OptQLAgent,
}


def river():
    chances, rewards = np.zeros((6, 2, 6)), np.zeros((6, 2))
    for state in range(6):
        chances[state, 0, max(state - 1, 0)] = 1.0
    for state in range(1, 5):
        chances[state, 1, state - 1 : state + 2] = 0.05, 0.6, 0.35
    chances[0, 1, :2] = 0.4, 0.6
    chances[5, 1, 4:] = 0.4, 0.6
    rewards[0, 0], rewards[5, 1] = 0.005, 1.0
    return FiniteMDP(rewards, chances)


class DeepSea(Model):
    """bsuite's mapping; moves cost nothing, since PSRL there flips coins on rewards in [0, 1]."""

    def __init__(self, size=HORIZON):
        Model.__init__(self)
        self.size = size
        random = np.random.RandomState(42)
        self.right = random.binomial(1, 0.5, [size, size]).tolist()
        self.observation_space, self.action_space = spaces.Discrete(size), spaces.Discrete(2)
        self.reward_range = (0.0, 1.0)

    def reset(self, seed=None, options=None):
        self.row = self.column = 0
        return 0, {}

    def step(self, action):
        reward = 0.0
        if action == self.right[self.row][self.column]:
            reward = float(self.column == self.size - 1)
            self.column = min(self.column + 1, self.size - 1)
        else:
            self.column = max(self.column - 1, 0)
        self.row += 1
        return self.column, reward, self.row == self.size, False, {}


ENVIRONMENTS = {"RiverSwim": river, "DeepSea 20": DeepSea}


def learn(rule, environment, episodes):
    """Play this many episodes of 20 steps."""
    options = {"stage_dependent": environment != "RiverSwim"} if rule != "UCB-Q" else {}
    RULES[rule](ENVIRONMENTS[environment](), horizon=HORIZON, **options).fit(episodes)
