"""What a simulation is given: policies, arms and numbers, each read or refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from lowbid._require import LARGEST_LOSS, require_whole
from lowbid.environments import Environment
from lowbid.errors import InvalidValueError
from lowbid.policies._base import Ints, Policy

LONGEST_HORIZON = 10**15
LARGEST_RESULT = 2**40  # bytes


def named_policies(policies: Policy | Iterable[Policy] | Mapping[str, Policy]) -> dict[str, Policy]:
    """Policies by name, or a clear error."""
    if isinstance(policies, Policy):
        policies = [policies]
    if not isinstance(policies, Iterable):
        raise InvalidValueError(
            f"policies is {policies!r}; give a policy such as BatchEnsemble(), several in a list, "
            "or a mapping from names to policies."
        )
    pairs = list(_pairs(policies))
    if not pairs:
        raise InvalidValueError("policies is empty; give at least one, such as BatchEnsemble().")
    for _, policy in pairs:
        if not isinstance(policy, Policy):
            hint = f"{policy.__name__}()" if isinstance(policy, type) else "BatchEnsemble()"
            raise InvalidValueError(f"a policy is {policy!r}; give an object such as {hint}.")
        if not hasattr(policy, "kernels"):
            raise InvalidValueError(
                f"{type(policy).__name__} has no rule; define its methods init, select and update, "
                "or its kernels."
            )
    named = dict(pairs)
    if len(named) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidValueError(
            f"two policies are named {twice!r}; give a mapping from names to policies."
        )
    return named


def _pairs(policies: Iterable[Policy] | Mapping[str, Policy]) -> Iterator[tuple[str, Policy]]:
    if isinstance(policies, Mapping):
        yield from ((str(name), policy) for name, policy in policies.items())
    else:
        for policy in policies:
            yield getattr(policy, "name", repr(policy)), policy


def check_losses(name: str, policy: Policy, environment: Environment) -> None:
    """Refuse arms whose losses a policy cannot take."""
    low, high = policy.loss_range
    lowest, highest = environment.support
    for end in (lowest, highest):
        if math.isfinite(end) and abs(end) > LARGEST_LOSS:
            raise InvalidValueError(
                f"{environment!r} has losses as large as {end:g}, whose sums would overflow; "
                f"scale the arms to below {LARGEST_LOSS:g}."
            )
    if lowest < low or highest > high:
        raise InvalidValueError(
            f"{name} takes losses from {low:g} to {high:g}, but {environment!r} gives losses from "
            f"{lowest:g} to {highest:g}; scale the arms, or leave the policy out."
        )


def read_checkpoints(checkpoints: npt.ArrayLike | None, horizon: int) -> Ints:
    """The steps to record, the horizon among them, or a clear error."""
    if checkpoints is None:
        return default_checkpoints(horizon)
    try:
        steps = np.asarray(checkpoints)
    except ValueError:  # lists of different lengths
        steps = np.zeros(0)
    good = steps.ndim == 1 and steps.size > 0 and np.issubdtype(steps.dtype, np.integer)
    steps = steps.astype(np.int64) if good else steps
    if not good or steps[0] < 1 or steps[-1] > horizon or (np.diff(steps) <= 0).any():
        raise InvalidValueError(
            f"checkpoints are {checkpoints!r}; give increasing whole numbers from 1 to the "
            f"horizon, {horizon}."
        )
    return np.unique(np.append(steps, horizon)).astype(np.int64)


def default_checkpoints(horizon: int) -> Ints:
    """Steps that draw a smooth curve on a linear and on a logarithmic axis."""
    even = np.linspace(horizon / 200, horizon, 200)
    log = np.geomspace(1, horizon, 60)
    return np.unique(np.ceil(np.concatenate([even, log, [1, horizon]]))).astype(np.int64)


def check_environment(environment: Environment) -> None:
    """Refuse what is no environment."""
    if not isinstance(environment, Environment):
        raise InvalidValueError(f"environment is {environment!r}; give one such as Bernoulli(...).")


def read_horizon(horizon: int) -> int:
    """A number of steps that a simulation can play in the end."""
    horizon = require_whole("horizon", horizon)
    if horizon > LONGEST_HORIZON:
        raise InvalidValueError(
            f"horizon is {horizon}; give at most {LONGEST_HORIZON:.0e}, which takes years."
        )
    return horizon


def check_size(runs: int, policies: int, checkpoints: int, n_arms: int) -> None:
    """Refuse simulations whose result would never fit into memory."""
    size = 8 * policies * runs * (checkpoints + n_arms)
    if size > LARGEST_RESULT:
        raise InvalidValueError(
            f"runs is {runs}; the result would take {size // 10**9} GB. Give fewer runs or fewer "
            "checkpoints."
        )


def check_progress(progress: bool | str | None) -> None:
    """Refuse what says neither whether to show progress nor how to call it."""
    if not (progress is None or isinstance(progress, bool | str)):
        raise InvalidValueError(
            f"progress is {progress!r}; give True, False, a text, or None to show it on terminals."
        )
