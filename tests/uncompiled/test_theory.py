import numpy as np

import lowbid
from lowbid import theory
from lowbid._compile import interpreted
from lowbid.theory._sampling import sums
from lowbid.theory.concentration import index_falls_below
from lowbid.theory.conjecture import search


def results():
    arm = lowbid.Bernoulli([0.3])
    return [
        *(theory.bernoulli_floor(n) for n in (1, 7, 40)),
        *(theory.lemma2_floor(n) for n in (2, 7, 40)),
        theory.optimism(theory.FiniteLaw([0, 1], [0.4, 0.6]), 100).value,
        theory.concentration.bernoulli_shortfall(1000, 0.5, 0.01),
        search(3, restarts=1, generations=5).lowest,
        *sums(arm, 5, runs=4, seed=1),
        index_falls_below(arm, 2, np.full(20, 0.2), runs=20).value,
    ]


def test_theory_is_the_same_compiled_and_not():
    with interpreted():
        plain = results()
    with np.errstate(over="ignore"):  # streams wrap around if nothing is compiled
        assert plain == results()  # bit for bit
