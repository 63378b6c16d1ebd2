"""Plays simulations of whatever lowbid is on the path, as `benchmarks.loops` asks line by line.

A line has the name of a class, of a policy or an MDP agent, the number of its variant, the horizon
and the number of runs. The answer has the processor seconds, and the sum of the regret, by which
two versions can be compared.
"""

import json
import sys
import time
from typing import Any

import numpy as np

import lowbid
from lowbid import mdp, policies

ARMS = lowbid.Bernoulli(np.linspace(0.1, 0.9, 10))
RIVER = mdp.RiverSwim()
NO_MORE = {"workers": 1, "progress": False}


def main() -> None:
    for line in sys.stdin:
        name, variant, horizon, runs = line.split()
        play = play_agent if hasattr(mdp.agents, name) else play_policy
        began = time.process_time()
        regret = play(name, int(variant), int(horizon), int(runs))
        taken = time.process_time() - began
        print(json.dumps({"seconds": taken, "regret": float(regret.sum())}), flush=True)


def play_policy(name: str, variant: int, horizon: int, runs: int) -> Any:
    policy = getattr(policies, name).variants()[variant]
    if policy.needs_range:
        policy = policy.for_range(0.0, 1.0)
    return lowbid.simulate(policy, ARMS, horizon, runs, checkpoints=[horizon], **NO_MORE).regret


def play_agent(name: str, variant: int, horizon: int, runs: int) -> Any:
    agent = getattr(mdp.agents, name).variants()[variant]
    episodes = max(1, horizon // RIVER.horizon)
    return mdp.simulate(agent, RIVER, episodes, runs, checkpoints=[episodes], **NO_MORE).regret


if __name__ == "__main__":
    main()
