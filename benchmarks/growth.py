"""How cost grows: time per step with the arms, the batches and the steps; memory; workers.

With K arms, every arm is first played 20 times, in turn; then the policy plays on, and its steps
are timed (a choice, a loss, an update): the first 10 K of them, or those that fit into about two
seconds (many times over if K is small). The arms' means are spread evenly over [0.1, 0.9] and
shuffled, so that good arms are not adjacent in memory. Time is that of one core. A series ends
where a policy's state would take more than 2 GB, or a measurement too long.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import lowbid
from lowbid._random import seek_loss
from lowbid.experiments.paper._cases import HORIZON, policies
from lowbid.experiments.paper._settings import defaults
from lowbid.kernels import allocating_kernel, specialise
from lowbid.policies._base import arrays_of

from .measure import by_turns, clock_seconds, new_process, processor_seconds, ratios, spread

PLAYS_BEFORE, PLAYS_TIMED = 20, 10
MOST_BYTES = 2 << 30
# The allowed time per step with this many arms, relative to that with 10.
MOST_TIMES = {1_000: 3.0, 100_000: 8.0, 1_000_000: 10.0}
SMALL = 1000  # up to this many arms, many short plays are timed instead of one long one
BATCH_ENSEMBLE = lowbid.BatchEnsemble(batches=12)
Points = list[tuple[int, float]]

# The functions of the policy and the environment that the templates below are bound to.
init: Any = None
select: Any = None
update: Any = None
draw: Any = None
in_turn: Any = None
as_chosen: Any = None


@allocating_kernel
def play_in_turn(parameters: Any, table: Any, state: Any, pulls: Any, streams: Any) -> None:
    """Play every arm 20 times."""
    n_arms = table.shape[1]
    for step in range(1, PLAYS_BEFORE * n_arms + 1):
        arm = (step - 1) % n_arms
        seek_loss(streams[0], streams[1], arm, pulls[arm])
        update(parameters, state, arm, draw(table, 0, arm, streams[0]), step, streams[2])
        pulls[arm] += 1


@allocating_kernel
def play_as_chosen(
    parameters: Any, table: Any, state: Any, pulls: Any, streams: Any, first: int, steps: int
) -> float:
    """Play the arms that the policy selects, and add up the losses."""
    total = 0.0
    for step in range(first, first + steps):
        arm = select(parameters, state, step, streams[2])
        seek_loss(streams[0], streams[1], arm, pulls[arm])
        loss = draw(table, 0, arm, streams[0])
        update(parameters, state, arm, loss, step, streams[2])
        pulls[arm] += 1
        total += loss
    return total


@allocating_kernel
def play_often(parameters: Any, table: Any, capacity: int, steps: int, times: int) -> float:
    """Both of these, many times over."""
    n_arms = table.shape[1]
    streams = (np.zeros(1, np.uint64), np.zeros(1, np.uint64), np.ones(1, np.uint64))
    total = 0.0
    for again in range(times):
        streams[1][0] = np.uint64(again)
        state = init(parameters, n_arms, capacity)
        pulls = np.zeros(n_arms, np.int64)
        in_turn(parameters, table, state, pulls, streams)
        first = PLAYS_BEFORE * n_arms + 1
        total += as_chosen(parameters, table, state, pulls, streams, first, steps)
    return total


def with_arms(policy: lowbid.Policy, n_arms: int, repeats: int, seconds: float = 2.0) -> float:
    """Nanoseconds per step with this many arms."""
    means = np.random.default_rng(0).permutation(np.linspace(0.1, 0.9, n_arms))
    arms = lowbid.Bernoulli(means)
    first, choose, learn = policy.kernels[:3]
    turn = specialise(play_in_turn, update=learn, draw=arms.draw)
    chosen = specialise(play_as_chosen, select=choose, update=learn, draw=arms.draw)
    if n_arms > SMALL:
        return _one_long_play(policy, arms, turn, chosen, seconds)
    often = specialise(play_often, init=first, in_turn=turn, as_chosen=chosen)
    return _many_short_plays(policy, arms, often, repeats)


def over_sizes(policy: lowbid.Policy, sizes: Iterable[int], repeats: int) -> Points:
    """Nanoseconds per step for each number of arms: the median of three turns."""
    works = {str(n): functools.partial(with_arms, policy, n, repeats) for n in sizes}
    return [(int(n), spread(found).median) for n, found in by_turns(works, 3).items()]


def _many_short_plays(
    policy: lowbid.Policy, arms: lowbid.Bernoulli, often: Callable[..., float], repeats: int
) -> float:
    """With few arms: the time with those steps, less that without them."""
    steps = PLAYS_TIMED * arms.n_arms
    capacity = PLAYS_BEFORE * arms.n_arms + steps
    parameters, table = policy.parameters(arms.n_arms, capacity, capacity), arms.table()
    times = max(1, 500_000 // capacity)

    def taken(timed: int) -> float:
        return processor_seconds(lambda: often(parameters, table, capacity, timed, times))

    taken(1)
    extra = spread(taken(steps) - taken(0) for _ in range(repeats))
    return extra.median / (steps * times) * 1e9


def _one_long_play(
    policy: lowbid.Policy,
    arms: lowbid.Bernoulli,
    turn: Callable[..., None],
    chosen: Callable[..., float],
    seconds: float,
) -> float:
    """With many arms: those steps, in ever larger portions, or those that fit into the time."""
    before, most = PLAYS_BEFORE * arms.n_arms, PLAYS_TIMED * arms.n_arms
    parameters, state = policy.start(arms.n_arms, before + most, before + most)
    streams = (np.zeros(1, np.uint64), np.zeros(1, np.uint64), np.ones(1, np.uint64))
    common = (parameters, arms.table(), state, np.zeros(arms.n_arms, np.int64), streams)
    chosen(*common, before + 1, 0)  # compiles
    turn(*common)
    done, portion, taken = 0, 50, 0.0
    while taken < seconds and done < most:
        steps = min(portion, most - done)
        taken += processor_seconds(functools.partial(chosen, *common, before + done + 1, steps))
        done, portion = done + steps, 2 * portion
    return taken / done * 1e9


def paper_policies(horizon: int = HORIZON) -> dict[str, lowbid.Policy]:
    """The paper's policies for Bernoulli arms; MARS has a subset for each step of the horizon."""
    fixed = {f"BatchEnsemble, {BATCH_ENSEMBLE.batches} batches": BATCH_ENSEMBLE}
    return {**fixed, **policies("test-3", defaults(), horizon)}


def time_with_arms(name: str, sizes: Iterable[int], repeats: int, patience: float) -> Points:
    policy = paper_policies()[name]
    return series(lambda n: with_arms(policy, n, repeats), that_fit(policy, sizes), patience)


def that_fit(policy: lowbid.Policy, sizes: Iterable[int]) -> list[int]:
    """Those numbers of arms at which the policy's state takes no more than 2 GB."""
    steps = (PLAYS_BEFORE + PLAYS_TIMED) * 100
    _, state = policy.start(100, steps, steps)
    for_one_arm = sum(array.nbytes for array in arrays_of(state)) / 100
    return [n for n in sizes if n * for_one_arm <= MOST_BYTES]


def time_with_steps(name: str, sizes: Iterable[int], repeats: int, patience: float) -> Points:
    """Nanoseconds per step in runs of this many steps, with 10 arms."""
    arms = lowbid.Bernoulli(np.linspace(0.1, 0.9, 10))

    def measure(horizon: int) -> float:
        return simulated_ns(paper_policies(horizon)[name], arms, horizon, repeats)

    return series(measure, sizes, patience)


def time_with_batches(sizes: Iterable[int], repeats: int, patience: float) -> Points:
    """Nanoseconds per step with this many batches, with 10 arms and 20,000 steps."""
    arms = lowbid.Bernoulli(np.linspace(0.1, 0.9, 10))
    return series(
        lambda n: simulated_ns(lowbid.BatchEnsemble(batches=n), arms, 20_000, repeats),
        sizes,
        patience,
    )


def simulated_ns(
    policy: lowbid.Policy, arms: lowbid.Environment, horizon: int, repeats: int
) -> float:
    runs = max(1, 200_000 // horizon)

    def simulate() -> object:
        return lowbid.simulate(policy, arms, horizon, runs, checkpoints=[horizon], workers=1)

    if horizon < 1_000_000:
        simulate()
    taken = (processor_seconds(simulate) for _ in range(repeats))
    return spread(taken).median / (horizon * runs) * 1e9


def speed_with_workers(repeats: int) -> dict[str, Any]:
    """Steps per second of wall time with 1, 2, 4, ... workers, relative to one."""
    arms = lowbid.Bernoulli(np.linspace(0.1, 0.9, 10))
    counts = [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= (os.cpu_count() or 1)]

    def wait(workers: int) -> float:
        return clock_seconds(
            lambda: lowbid.simulate(BATCH_ENSEMBLE, arms, HORIZON, 20_000, workers=workers)
        )

    wait(1)
    taken = by_turns({str(n): lambda n=n: wait(n) for n in counts}, repeats)
    return {str(n): ratios(taken["1"], taken[str(n)]) for n in counts}


def peak_memory(name: str, n_arms: int, horizon: int) -> float:
    """Peak memory of a new process that plays one run, in MB."""
    code = f"from benchmarks import growth; growth.one_run({name!r}, {n_arms}, {horizon})"
    return new_process([sys.executable, "-c", code]).peak


def one_run(name: str, n_arms: int, horizon: int) -> None:
    arms = lowbid.Bernoulli(np.linspace(0.1, 0.9, n_arms))
    lowbid.simulate(paper_policies(horizon)[name], arms, horizon, runs=1, checkpoints=[horizon])


def memory_with_arms(name: str, sizes: Iterable[int], patience: float) -> Points:
    """MB more than with 10 arms, in 1,000 steps."""
    least = peak_memory(name, 10, 1000)
    fitting = that_fit(paper_policies(1000)[name], sizes)
    return series(lambda n: peak_memory(name, n, 1000) - least, fitting, patience)


def memory_with_steps(name: str, sizes: Iterable[int], patience: float) -> Points:
    """MB more than with 100 steps, with 10 arms."""
    least = peak_memory(name, 10, 100)
    return series(lambda horizon: peak_memory(name, 10, horizon) - least, sizes, patience)


def series(measure: Callable[[int], float], sizes: Iterable[int], patience: float) -> Points:
    """A figure for each size; ends after one that took longer than the patience, in seconds."""
    points: Points = []
    for size in sizes:
        began = time.perf_counter()
        points.append((size, measure(size)))
        print(f"    {size:>12,}  {points[-1][1]:14,.1f}", file=sys.stderr, flush=True)
        if time.perf_counter() - began > patience:
            break
    return points


def slope(points: Points) -> float:
    """The power of growth over the last two thirds of a series: 1 is linear."""
    kept = [(size, figure) for size, figure in points[len(points) // 3 :] if figure > 0]
    if len(kept) < 2:
        return float("nan")
    sizes, figures = np.log(np.array(kept, float)).T
    return float(np.polyfit(sizes, figures, 1)[0])
