"""Facts that a policy can be told about an environment, each only where it is true."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from lowbid._require import require
from lowbid.environments import (
    Arms,
    Contaminated,
    Environment,
    ExponentialByMean,
    ExponentialByRate,
    Gaussian,
    RandomArms,
    Restated,
)
from lowbid.policies import Policy

# A policy that has been told something, and the arms as it sees them.
Told = tuple[Policy, Environment]


def told_about(what: str, policy: Policy, environment: Environment) -> Told | None:
    """A policy that knows a fact about an environment; None where there is no such fact.

    Where reports can be wrong, no fact is true of all of them.
    """
    if isinstance(environment, Contaminated):
        return None
    return FACTS[what](policy, environment)


def _range(policy: Policy, environment: Environment) -> Told | None:
    """The smallest and the largest loss; a policy for losses in [0, 1] sees them in that range."""
    low, high = map(float, environment.support)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return None
    floor, ceiling = policy.loss_range
    if not (math.isfinite(floor) and math.isfinite(ceiling)):
        return policy.for_range(low, high), environment
    unit = (high - low) / (ceiling - floor)
    return _restated(policy, environment, low - unit * floor, unit)


def _lowest(policy: Policy, environment: Environment) -> Told | None:
    """The smallest loss; the policy sees all losses relative to it."""
    low = float(environment.support[0])
    if not math.isfinite(low):
        return None
    return _restated(policy, environment, low - policy.best_loss, 1.0)


def _gaussian(policy: Policy, environment: Environment) -> Told | None:
    """That losses are Gaussian, and the largest standard deviation of an arm.

    The policy is given a range, half of whose width is that standard deviation.
    """
    if _family(environment) is not Gaussian:
        return None
    sd = math.sqrt(environment.variances_of(environment.table(0, 1)).max())
    return (policy.for_range(-sd, sd), environment) if sd > 0.0 else None


def _exponential(policy: Policy, environment: Environment) -> Told | None:
    """That losses are exponentially distributed."""
    family = _family(environment)
    return (policy, environment) if family in (ExponentialByMean, ExponentialByRate) else None


def _gap(policy: Policy, environment: Environment) -> Told | None:
    """The smallest gap, in units of the range of the losses; it differs between drawn arms."""
    low, high = map(float, environment.support)
    if not isinstance(environment, Arms) or environment.n_arms < 2 or math.isinf(high - low):
        return None
    require(
        hasattr(policy, "gap"),
        f"{policy.name} cannot be told the gap: it has no parameter of that name.",
    )
    best, second = np.sort(environment.means)[:2].tolist()
    if best == second:
        return None
    gap = (second - best) / (high - low)
    return cast(Policy, dataclasses.replace(cast(Any, policy), gap=gap)), environment


def _horizon(policy: Policy, environment: Environment) -> Told | None:
    """The number of steps, which every policy knows in simulations."""
    return policy, environment


FACTS: dict[str, Callable[[Policy, Environment], Told | None]] = {
    "range": _range,
    "lowest": _lowest,
    "gaussian": _gaussian,
    "exponential": _exponential,
    "gap": _gap,
    "horizon": _horizon,
}


def _family(environment: Environment) -> type:
    return environment.family if isinstance(environment, RandomArms) else type(environment)


def _restated(policy: Policy, environment: Environment, zero: float, unit: float) -> Told | None:
    """The arms, unchanged if they are reported on this scale, otherwise rescaled."""
    if (zero, unit) == (0.0, 1.0):
        return policy, environment
    if not isinstance(environment, Arms):
        return None
    return policy, Restated(environment, zero, unit)
