"""Running times and memory, for the claims in the paper's discussion."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from lowbid.experiments._experiment import Case
from lowbid.experiments.paper._cases import (
    ADAPTIVE,
    EFFICIENT,
    MARS_,
    UCB,
    UCB_KL,
    case,
    policies,
)
from lowbid.experiments.paper._settings import Chosen
from lowbid.policies import Policy, arrays_of
from lowbid.simulation import simulate

TIMED = (ADAPTIVE, EFFICIENT, UCB, UCB_KL, MARS_)
_STEPS = 100_000
_REPEATS = 6
# Horizons by name; MARS has one subset per step and is measured at shorter horizons only.
_TIMES = {"T": 1, "2T": 2, "10T": 10}
_SIZES = {"T": 1, "2T": 2, "10T": 10, "100T": 100}


def measure_costs(
    chosen: Chosen, horizon: int, seed: int, names: Sequence[str] = TIMED
) -> dict[str, Any]:
    """Processor seconds per step and bytes of state, by policy and horizon, on test 1's arms."""
    chosen = {**chosen, "mars": "1/T"}
    timed = [policy for policy in TIMED if policy in names]
    cases = {name: case("test-1", chosen, k * horizon, 1, seed) for name, k in _TIMES.items()}
    wanted = [
        (policy, name) for policy in timed for name in _TIMES if (policy, name) != (MARS_, "10T")
    ]
    seconds: dict[str, dict[str, list[float]]] = {policy: {} for policy in timed}
    for repeat in range(_REPEATS + 1):
        for policy, name in wanted:
            took = _seconds_per_step(cases[name], policy, seed + repeat)
            if repeat:  # the first repeat is a warm-up
                seconds[policy].setdefault(name, []).append(took)
    return {
        "arms": "test-1",
        "horizon": horizon,
        "seconds_per_step": seconds,
        "bytes": _bytes(chosen, horizon, timed),
    }


def _seconds_per_step(case: Case, policy: str, seed: int) -> float:
    runs = max(1, _STEPS // case.horizon)
    began = time.process_time()
    simulate(
        {policy: case.policies[policy]},
        case.environment,
        case.horizon,
        runs,
        seed,
        checkpoints=[case.horizon],
        workers=1,
        progress=False,
    )
    return (time.process_time() - began) / (runs * case.horizon)


def _bytes(chosen: Chosen, horizon: int, timed: Sequence[str]) -> dict[str, dict[str, int]]:
    sizes: dict[str, dict[str, int]] = {policy: {} for policy in timed}
    for name, factor in _SIZES.items():
        made: Mapping[str, Policy] = policies("test-1", chosen, factor * horizon)
        for policy in timed:
            if policy == MARS_ and factor > 2:
                continue
            _, state = made[policy].start(n_arms=5, horizon=factor * horizon)
            sizes[policy][name] = sum(array.nbytes for array in arrays_of(state))
    return sizes
