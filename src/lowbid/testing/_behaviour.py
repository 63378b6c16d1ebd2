"""Behavioural checks: a policy learns, breaks ties fairly, and does not depend on units."""

from __future__ import annotations

import math

import numpy as np

from lowbid._compile import interpreted
from lowbid._random import key, stream_of_run
from lowbid.environments import Empirical
from lowbid.policies import Policy
from lowbid.simulation import simulate
from lowbid.testing._promises import SEED, expect, fitted

# Losses of four arms, in 64ths: products with powers of 2 are exact.
_LOSSES = [
    np.array(row) / 64.0
    for row in ([5, 9, 30, 1, 22], [3, 40, 18, 7], [50, 2, 33, 60, 47, 14], [64, 41, 58])
]
_UNITS = (2.0**-10, 2.0**6)
_SHIFT = 5.0
# A fair policy exceeds this many standard errors about once in a million times.
_ERRORS = 5.0
_LEARNING_STEPS, _LEARNING_RUNS = 2000, 5
_TIED_STEPS, _TIED_RUNS = 40, 400


def check_learning(policy: Policy) -> None:
    """The best of four easily distinguished arms is played more often than by chance."""
    rows = [[0.0] * (20 - ones) + [1.0] * ones for ones in (19, 18, 1, 19)]
    arms = fitted(policy, rows)
    result = simulate(_for_unit_range(policy), arms, _LEARNING_STEPS, _LEARNING_RUNS, SEED)
    share = result.pulls[0, :, 2].mean() / _LEARNING_STEPS
    uniform = 1.0 / len(rows)
    error = math.sqrt(uniform * (1.0 - uniform) / (_LEARNING_STEPS * _LEARNING_RUNS))
    expect(
        bool(share > uniform + _ERRORS * error),
        policy,
        arms,
        f"it does not learn: the best arm, by far, has {share:.0%} of {_LEARNING_STEPS} plays, "
        f"and uniform play would give it {uniform:.0%}",
    )


def check_ties(policy: Policy) -> None:
    """Arms that always have the same loss are played equally often: first, and in total."""
    arms = fitted(policy, [[0.5]] * 4)
    for steps in (1, _TIED_STEPS):
        pulls = simulate(_for_unit_range(policy), arms, steps, _TIED_RUNS, SEED).pulls[0]
        means, errors = pulls.mean(axis=0), pulls.std(axis=0) / math.sqrt(_TIED_RUNS)
        shares = ", ".join(f"{mean / steps:.0%}" for mean in means)
        expect(
            bool((np.abs(means - steps / arms.n_arms) <= _ERRORS * errors).all()),
            policy,
            arms,
            f"ties are not fair: arms that are all the same have {shares} of the plays at "
            + ("the first step" if steps == 1 else f"steps 1 to {steps}"),
        )


def check_units(policy: Policy, horizon: int) -> None:
    """Choices are the same in another unit, or from another origin, where that is promised."""
    changes = [(unit, 0.0) for unit in _UNITS if policy.scale_free or policy.needs_range]
    changes += [(1.0, _SHIFT)] * policy.location_free
    usual = _choices(policy, horizon, 1.0, 0.0) if changes else []
    for unit, shift in changes:
        expect(
            _choices(policy, horizon, unit, shift) == usual,
            policy,
            Empirical(_LOSSES),
            f"it declares otherwise, but x -> {unit:g} x + {shift:g} changes its choices",
        )


def _choices(policy: Policy, horizon: int, unit: float, shift: float) -> list[int]:
    """The policy's choices when each arm's losses, transformed this way, occur in turn."""
    informed = policy.for_range(shift, shift + unit) if policy.needs_range else policy
    parameters, state = informed.start(len(_LOSSES), horizon)
    stream = stream_of_run(key(SEED, policy.stream_name), 0)
    counts, played = [0] * len(_LOSSES), []
    with interpreted():  # compiling takes longer
        for step in range(1, horizon + 1):
            arm = int(informed.kernels.select(parameters, state, step, stream))
            row = _LOSSES[arm]
            loss = unit * row[counts[arm] % len(row)] + shift
            informed.kernels.update(parameters, state, arm, loss, step, stream)
            counts[arm] += 1
            played.append(arm)
    return played


def _for_unit_range(policy: Policy) -> Policy:
    return policy.for_range(0.0, 1.0) if policy.needs_range else policy
