"""What every policy, environment and rule for MDPs does, as digests that two machines can compare.

`python tests/digests.py` prints a line for each, compiled and uncompiled. Equal lines mean equal
choices, losses and states, bit for bit. `make test-arm` compares those of two processors.
"""

import hashlib
import random

import numpy as np

import lowbid
from environments.test_registry import EXAMPLES
from lowbid import Bandit, mdp, simulate
from lowbid._compile import interpreted
from lowbid.policies._base import arrays_of
from lowbid.testing._agents import small_models
from lowbid.testing._promises import fitted, informed_of
from variants import VARIANTS

STEPS = 300
EPISODES = 12


def digest(*arrays):
    """Of the kinds, shapes and bytes of arrays."""
    found = hashlib.sha256()
    for array in map(np.asarray, arrays):
        found.update(f"{array.dtype} {array.shape} ".encode() + array.tobytes())
    return found.hexdigest()[:16]


def online(policy, compiled):
    """The choices of a bandit and what it has learned, from losses that no library computes."""
    # Fractions of whole numbers: NumPy's functions may round differently on another machine.
    arms = fitted(policy, [[width * k / 320.0 for k in range(33)] for width in (6, 4, 10, 9, 8)])
    bandit = Bandit(5, informed_of(policy, arms), seed=7, horizon=STEPS, compiled=compiled)
    draw, chosen = random.Random(7), []
    for _ in range(STEPS):
        chosen.append(bandit.select())
        bandit.update(chosen[-1], loss=draw.choice(arms.data[chosen[-1]]))
    return digest(chosen, *arrays_of(bandit.state), bandit.stream)


def simulated(environment):
    """The losses of an environment, by what a policy that adds them up makes of them."""
    every = range(1, STEPS + 1)
    found = simulate(lowbid.GaussianThompson(), environment, STEPS, 3, 7, every, workers=1)
    return digest(found.regret, found.pulls)


def episodes(rule):
    """The regret of a rule for MDPs in small models."""
    every = range(1, EPISODES + 1)
    found = [mdp.simulate(rule, each, EPISODES, 2, 7, every, workers=1) for each in small_models()]
    return digest(*(each.regret for each in found))


def main():
    for policy in VARIANTS:
        for compiled in ("never", "now"):
            print(online(policy, compiled), compiled, "policy", policy.name, flush=True)
    rules = [rule for name in mdp.agents.__all__ for rule in getattr(mdp, name).variants()]
    for kind, play, some in (("environment", simulated, EXAMPLES), ("rule", episodes, rules)):
        for each in some:
            name = getattr(each, "name", repr(each))
            with interpreted():
                print(play(each), "never", kind, name, flush=True)
            print(play(each), "now", kind, name, flush=True)


if __name__ == "__main__":
    main()
