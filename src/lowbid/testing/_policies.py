"""Checks that every policy must pass."""

from __future__ import annotations

import copy
import functools
import logging
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lowbid import environments
from lowbid._arrays import Ints
from lowbid._compile import UNCOMPILED_COST, When, checked, interpreted
from lowbid._random import key, stream_of_run
from lowbid._require import invalid
from lowbid.environments import Arms, Empirical
from lowbid.errors import InvalidValueError, LowbidError
from lowbid.online import Bandit
from lowbid.policies import Policy, arrays_of
from lowbid.simulation import loop_for, loss_of, simulate
from lowbid.testing._behaviour import check_learning, check_ties, check_units
from lowbid.testing._promises import (
    SEED,
    expect,
    fitted,
    informed_of,
    inside_arrays,
    same,
    three_ways,
)

_RUNS = 3
_LEAST_HORIZON = 100
_LONG_HORIZON = 1100  # beyond the online object's first capacity


def check_policy(
    policy: Policy, horizon: int = 300, *, learns: bool = True, fair_ties: bool = True
) -> None:
    """Check that a policy keeps the promises common to all policies.

    - Its kernels can be compiled, and their indices are inside their arrays. (A policy in plain
      Python methods passes, and a log message says that it runs uncompiled.)
    - The compiled simulation, the uncompiled one and the online object make the same choices,
      bit for bit, from the same seed.
    - The same seed gives the same result, whatever the number of workers.
    - A state that is saved and restored in the middle of a run continues as the original would.
    - The same holds for one, two and a hundred arms, and online beyond the first capacity of the
      history.
    - Every arm is tried, and on easy arms the best one is played more often than by chance.
    - Arms that show the same losses are played equally often, and equally often first.
    - If it declares itself scale-free or location-free, changing scale or location changes no
      choice. If it needs a range, declaring one makes it scale-free.
    - Invalid input is refused, and leaves the state unchanged.

    Parameters
    ----------
    policy : Policy
        The policy to check.
    horizon : int
        The number of steps to play in most checks, 100 or more.
    learns : bool
        False for a policy that is not meant to learn, such as `UniformPlay`.
    fair_ties : bool
        False for a policy that deliberately prefers some of several equal arms.

    Raises
    ------
    AssertionError
        If a promise is broken; the message says which and on which arms, or in which file and line
        of a kernel.

    Examples
    --------
    >>> import lowbid
    >>> from lowbid.testing import check_policy
    >>> check_policy(lowbid.UCB1())
    """
    if horizon < _LEAST_HORIZON:
        raise invalid("horizon", horizon, f"give {_LEAST_HORIZON} or more.")
    if not policy.compiled:
        text = "%s consists of plain Python methods: it runs uncompiled, %s"
        logging.getLogger("lowbid").warning(text, policy.name, UNCOMPILED_COST)
    for arms in suitable_arms(policy):
        informed = informed_of(policy, arms)
        with inside_arrays(f"{policy.name} on {arms!r}"), interpreted():
            _check_round_trip(informed, arms, horizon)
        _check_same_choices(informed, arms, horizon)
        _check_every_arm_tried(informed, arms, horizon)
        _check_bad_input(informed, arms)
    _check_numbers_of_arms(policy)
    _check_long_online_run(policy)
    check_units(policy, horizon)
    if learns:
        check_learning(policy)
    if fair_ties:
        check_ties(policy)


def suitable_arms(policy: Policy) -> list[Empirical]:
    """Small environments whose losses the policy accepts: two-valued, continuous, unbounded.

    All draw from given data, so that a policy's loop is compiled once for all of them.
    """
    spread = np.linspace(0.01, 0.99, 33)
    candidates: list[list[Any]] = [
        [[0.0] * (10 - ones) + [1.0] * ones for ones in (3, 2, 5, 9, 6)],
        [width * spread for width in (0.6, 0.4, 1.0, 0.9, 0.8)],
        [mean + 0.4 * np.log(spread / (1.0 - spread)) for mean in (0.3, 0.2, 0.5, 0.9, 0.6)],
    ]
    low, high = policy.loss_range
    if math.isfinite(low) and math.isfinite(high):
        return [fitted(policy, rows) for rows in candidates[:2]]
    arms = [environments.Empirical(data) for data in candidates]
    suitable = [each for each in arms if low <= each.support[0] and each.support[1] <= high]
    if not suitable:
        raise InvalidValueError(f"{policy.name} takes losses from {low:g} to {high:g} only.")
    return suitable


def _check_same_choices(policy: Policy, arms: Arms, horizon: int) -> None:
    steps = np.arange(1, horizon + 1)
    plain, careful, result = three_ways(
        f"{policy.name} on {arms!r}",
        lambda: simulate(policy, arms, horizon, _RUNS, SEED, steps, workers=1),
    )
    _check_compiles(policy, arms)
    again = simulate(policy, arms, horizon, _RUNS, SEED, steps, workers=2)
    expect(same(result, again), policy, arms, "two simulations with the same seed differ")
    expect(same(careful, result), policy, arms, "with checked indices, the simulation differs")
    expect(same(result, plain), policy, arms, "the compiled and the uncompiled simulation differ")
    played = [arm for arm, _ in _online(policy, arms, horizon, "never")]
    gaps = arms.means - arms.means.min()
    expect(
        np.allclose(np.cumsum(gaps[played]), result.regret[0, 0])
        and np.array_equal(np.bincount(played, minlength=arms.n_arms), result.pulls[0, 0]),
        policy,
        arms,
        "the online object and the simulation make different choices",
    )


def _check_compiles(policy: Policy, arms: Arms) -> None:
    """Compiled simulations were played: check that they were compiled."""
    loop, _ = loop_for(policy, arms, None, 0)
    reason = getattr(loop, "reason", "")
    expect(not reason, policy, arms, f"it cannot be compiled: {reason}")
    for name, each in {"select": policy.kernels.select, "update": policy.kernels.update}.items():
        expect(
            not getattr(each, "allocates", False),
            policy,
            arms,
            f"{name} is marked with @allocating_kernel, so no bandit can compile it; create its "
            "arrays in init, keep them in the state, and mark it with @kernel",
        )


def _online(
    policy: Policy, arms: Arms, horizon: int, compiled: When
) -> Iterator[tuple[int, Bandit]]:
    """The arms that a bandit plays on the losses of run 0."""
    bandit = Bandit(arms.n_arms, policy, seed=SEED, horizon=horizon, compiled=compiled)
    counts, losses = [0] * arms.n_arms, _losses(arms)
    for _ in range(horizon):
        arm = bandit.select()
        yield arm, bandit
        bandit.update(arm, loss=losses(arm, counts[arm]))
        counts[arm] += 1


def _check_round_trip(policy: Policy, arms: Arms, horizon: int) -> None:
    parameters, state = policy.start(arms.n_arms, horizon)
    stream = stream_of_run(key(SEED, policy.stream_name), 0)
    counts = np.zeros(arms.n_arms, np.int64)
    _play(policy, parameters, state, stream, counts, arms, range(1, horizon // 2))
    rest = range(horizon // 2, horizon)
    _, restored = policy.start(arms.n_arms, horizon)
    for saved, place in zip(arrays_of(state), arrays_of(restored), strict=True):
        place[...] = saved
    then, so_far = stream.copy(), counts.copy()
    ours = _play(policy, parameters, state, stream, counts, arms, rest)
    again = _play(policy, parameters, restored, then, so_far, arms, rest)
    expect(ours == again, policy, arms, "a restored state makes other choices than the original")


def _play(
    policy: Policy, parameters: Any, state: Any, stream: Any, counts: Ints, arms: Arms, steps: range
) -> list[int]:
    losses, chosen = _losses(arms), []
    for step in steps:
        arm = int(policy.kernels.select(parameters, state, step, stream))
        exists = 0 <= arm < arms.n_arms
        expect(exists, policy, arms, f"select chose arm {arm} at step {step}")
        loss = losses(arm, int(counts[arm]))
        policy.kernels.update(parameters, state, arm, loss, step, stream)
        counts[arm] += 1
        chosen.append(arm)
    return chosen


@functools.lru_cache(maxsize=4)
def _losses(arms: Arms) -> Callable[[int, int], float]:
    """The n-th loss of each arm in run 0, drawn once: several checks need the same ones."""
    return functools.cache(functools.partial(loss_of, arms, arms.table(), SEED, 0))


def _check_numbers_of_arms(policy: Policy) -> None:
    first = suitable_arms(policy)[0]
    policy, rows = informed_of(policy, first), first.data
    for n_arms in (1, 2, 100):
        arms = environments.Empirical([rows[arm % len(rows)] for arm in range(n_arms)])
        plain, careful, result = three_ways(
            f"{policy.name} on {n_arms} arms",
            functools.partial(simulate, policy, arms, _LEAST_HORIZON, 1, SEED, workers=1),
        )
        expect(
            same(plain, careful) and same(result, plain),
            policy,
            arms,
            f"with {n_arms} arms compiled and uncompiled choices differ",
        )


def _check_long_online_run(policy: Policy) -> None:
    arms = suitable_arms(policy)[0]
    policy = informed_of(policy, arms)
    with inside_arrays(f"{policy.name} on {arms!r}"), checked():
        careful = [arm for arm, _ in _online(policy, arms, _LONG_HORIZON, "now")]
    result = simulate(policy, arms, _LONG_HORIZON, 1, SEED, workers=1)
    played = [arm for arm, _ in _online(policy, arms, _LONG_HORIZON, "now")]
    expect(
        played == careful
        and np.array_equal(np.bincount(played, minlength=arms.n_arms), result.pulls[0, 0]),
        policy,
        arms,
        f"the online object and the simulation differ within {_LONG_HORIZON} steps",
    )


def _check_every_arm_tried(policy: Policy, arms: Arms, horizon: int) -> None:
    pulls = simulate(policy, arms, horizon, _RUNS, SEED).pulls[0]
    expect(bool((pulls > 0).all()), policy, arms, f"an arm was never played in {horizon} steps")


def _check_bad_input(policy: Policy, arms: Arms) -> None:
    *_, (_, bandit) = _online(policy, arms, 20, "never")
    before = copy.deepcopy(list(arrays_of(bandit.state)))
    low, high = policy.loss_range
    bad: list[tuple[Any, Any]] = [(0, math.nan), (0, math.inf), (0, -math.inf), (0, "much")]
    bad += [(-1, 0.5), (arms.n_arms, 0.5), ("nobody", 0.5)]
    bad += [(0, low - 1.0)] * math.isfinite(low) + [(0, high + 1.0)] * math.isfinite(high)
    for arm, loss in bad:
        try:
            bandit.update(arm, loss=loss)
        except LowbidError:
            pass
        else:
            expect(False, policy, arms, f"update({arm!r}, loss={loss!r}) was not refused")
    unchanged = zip(before, arrays_of(bandit.state), strict=True)
    expect(
        all(np.array_equal(old, new, equal_nan=True) for old, new in unchanged),
        policy,
        arms,
        "bad input was refused, but changed the state",
    )
