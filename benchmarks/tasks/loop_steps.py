"""Plays simulations of whatever lowbid is on the path, as `benchmarks.loops` asks line by line.

A line has the name of a policy's class, the number of its variant, the horizon and the number of
runs. The answer has the processor seconds, and the sum of the regret, by which two versions can be
compared.
"""

import json
import sys
import time

import numpy as np

import lowbid
from lowbid import policies

ARMS = lowbid.Bernoulli(np.linspace(0.1, 0.9, 10))


def main() -> None:
    for line in sys.stdin:
        name, variant, horizon, runs = line.split()
        policy = getattr(policies, name).variants()[int(variant)]
        if policy.needs_range:
            policy = policy.for_range(0.0, 1.0)
        given = policy, ARMS, int(horizon), int(runs)
        began = time.process_time()
        result = lowbid.simulate(*given, checkpoints=[int(horizon)], workers=1, progress=False)
        taken = time.process_time() - began
        print(json.dumps({"seconds": taken, "regret": float(result.regret.sum())}), flush=True)


if __name__ == "__main__":
    main()
