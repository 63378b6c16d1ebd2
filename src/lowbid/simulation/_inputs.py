"""The inputs of a simulation: policies, arms and numbers, each checked."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Ints
from lowbid._require import LARGEST_LOSS, invalid, require_whole
from lowbid.environments import Environment
from lowbid.errors import InvalidValueError, LossesWarning
from lowbid.policies import SAME, Policy

LONGEST_HORIZON = 10**15
LARGEST_RESULT = 2**40  # bytes


R = TypeVar("R")


class Wanted(NamedTuple):
    """The kind of rules a simulation plays, as named in its errors."""

    singular: str
    plural: str
    example: str
    functions: str


_POLICIES = Wanted("policy", "policies", "BatchEnsemble()", "init, select and update")


def named_policies(policies: Policy | Iterable[Policy] | Mapping[str, Policy]) -> dict[str, Policy]:
    """Policies by name, or a clear error."""
    return named_rules(policies, Policy, _POLICIES)


def named_rules(
    rules: R | Iterable[R] | Mapping[str, R], kind: type[R], wanted: Wanted
) -> dict[str, R]:
    """Rules by name, or a clear error."""
    singular, plural, example, functions = wanted
    if isinstance(rules, kind):
        rules = [rules]
    if not isinstance(rules, Iterable) or isinstance(rules, str):
        raise invalid(
            plural,
            rules,
            f"give a {singular} such as {example}, several in a list, or a mapping from names to "
            f"{plural}.",
        )
    pairs = list(_pairs(rules))
    if not pairs:
        raise invalid(plural, rules, f"give at least one, such as {example}.")
    for _, rule in pairs:
        if not isinstance(rule, kind):
            hint = f"{rule.__name__}()" if isinstance(rule, type) else example
            raise InvalidValueError(f"a {singular} is {rule!r}; give an object such as {hint}.")
        if not hasattr(rule, "kernels"):
            raise InvalidValueError(
                f"{type(rule).__name__} has no rule; define its methods {functions}, or its "
                "kernels."
            )
    named = dict(pairs)
    if len(named) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidValueError(
            f"two {plural} are named {twice!r}; give a mapping from names to {plural}."
        )
    return named


def _pairs(rules: Iterable[R] | Mapping[str, R]) -> Iterator[tuple[str, R]]:
    if isinstance(rules, Mapping):
        yield from ((str(name), rule) for name, rule in rules.items())
    else:
        for rule in rules:
            yield getattr(rule, "name", repr(rule)), rule


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


def warn_of(misfit: str) -> None:
    """Say on the terminal what `misfit_of` found, if anything."""
    if misfit:
        warnings.warn(misfit, LossesWarning, stacklevel=3)


def misfit_of(name: str, policy: Policy, environment: Environment) -> str:
    """Why a policy that takes these losses is not made for them, and what to do; or nothing."""
    means = np.unique(environment.means_of(environment.table(0, 1)))
    low, high = float(means[0]), float(means[-1])
    if low < high < math.inf and high - low <= SAME * max(abs(low), abs(high)):
        return (
            f"{name} may take the mean losses {low!r} and {high!r} of {environment!r} "
            f"for equal: they differ by less than {SAME:g} of their size, where "
            "floating point of 64 bits ends. Subtract a constant from all losses."
        )
    if policy.location_free or low >= policy.best_loss:
        return ""
    return (
        f"{name} assumes that no mean loss is below {policy.best_loss:g}, but {environment!r} has "
        f"one of {low:g}: it may settle on a suboptimal arm for good. If that is not what you "
        f"want to see, {policy.below_best}."
    )


def read_checkpoints(checkpoints: npt.ArrayLike | None, horizon: int) -> Ints:
    """The steps to record, including the horizon, or a clear error."""
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
    """Steps that give a smooth curve on both linear and logarithmic axes."""
    even = np.linspace(horizon / 200, horizon, 200)
    log = np.geomspace(1, horizon, 60)
    return np.unique(np.ceil(np.concatenate([even, log, [1, horizon]]))).astype(np.int64)


def check_environment(environment: Environment) -> None:
    """Refuse what is not an environment."""
    if not isinstance(environment, Environment):
        raise invalid("environment", environment, "give one such as Bernoulli(...).")


def read_horizon(horizon: int) -> int:
    """A number of steps that a simulation can finish."""
    horizon = require_whole("horizon", horizon)
    if horizon > LONGEST_HORIZON:
        raise invalid("horizon", horizon, f"give at most {LONGEST_HORIZON:.0e}, which takes years.")
    return horizon


def check_size(runs: int, policies: int, checkpoints: int, n_arms: int) -> None:
    """Refuse simulations whose result would never fit into memory."""
    size = 8 * policies * runs * (checkpoints + n_arms)
    if size > LARGEST_RESULT:
        raise invalid(
            "runs",
            runs,
            f"the result would take {size // 10**9} GB. Give fewer runs or fewer checkpoints.",
        )


def check_progress(progress: bool | str | None) -> None:
    """Refuse what is neither a flag nor a label for the progress bar."""
    if not (progress is None or isinstance(progress, bool | str)):
        raise invalid(
            "progress", progress, "give True, False, a string, or None for terminals only."
        )


def check_executor(executor: object) -> None:
    """Refuse what cannot run tasks."""
    if executor is not None and (
        isinstance(executor, type) or not callable(getattr(executor, "submit", None))
    ):
        raise invalid(
            "executor",
            executor,
            "give an object with the interface of concurrent.futures.Executor, such as "
            "ProcessPoolExecutor() or Dask's client.get_executor().",
        )
