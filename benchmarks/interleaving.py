"""Runs stepped side by side in one loop, compared with the library's loop, one run after another.

    python -m benchmarks.interleaving [--repeats 9] [--seconds 0.05]

A step depends on the one before it, so a processor might have nothing to do until that is done, and
the steps of other runs might fill the gap. `play_together` is the library's loop
(`simulation/_loop`) for 2, 4, ... runs: each step is made for the first of them, then for the
second, and so on, by the policy's own kernels and with the same results, bit for bit. The first row
checks the method: a rule whose step is one chain of divisions does leave the processor idle.

Code is compiled in two ways: with a copy of the whole step for each run ("copied"), or with long
functions left to LLVM, as the compiler does it ("shared").
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import lowbid
from lowbid._compile import Kernel, _module, _native, allocating_kernel, kernel, specialise
from lowbid._random import key, seek_loss, seek_run
from lowbid.policies._base import Kernels
from lowbid.simulation._features import show_nothing
from lowbid.simulation._loop import play
from lowbid.simulation._share import arms_of

from .first_second import empty_cache
from .measure import by_turns, processor_seconds, ratios, spread
from .policies import arms
from .table import number, table, within

TOGETHER = (2, 4)
Loop = Callable[..., Any]

# What the templates below are bound to.
init: Any = None
select: Any = None
update: Any = None
draw: Any = None
one: Any = None  # the kernel for a run, or for half of the runs
half: Any = None  # how many that is
runs: Any = None  # how many there are in all
start: Any = None
make_step: Any = None
record: Any = None


class Run(NamedTuple):
    """Everything that belongs to one run."""

    state: Any
    losses_begin: Any
    losses: Any
    stream: Any
    counts: Any
    total: Any
    regret: Any


@allocating_kernel
def start_run(
    parameters: Any,
    losses_key: Any,
    policy_key: Any,
    run: int,
    horizon: int,
    regret: Any,
    pulls: Any,
) -> Run:
    state = init(parameters, pulls.shape[1], horizon)
    losses_begin, stream = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    seek_run(losses_begin, losses_key, run)
    seek_run(stream, policy_key, run)
    losses, total = np.zeros(1, np.uint64), np.zeros(1)
    return Run(state, losses_begin, losses, stream, pulls[run], total, regret[run])


@allocating_kernel
def start_both(
    parameters: Any,
    losses_key: Any,
    policy_key: Any,
    run: int,
    horizon: int,
    regret: Any,
    pulls: Any,
) -> Any:
    return (
        one(parameters, losses_key, policy_key, run, horizon, regret, pulls),
        one(parameters, losses_key, policy_key, run + half, horizon, regret, pulls),
    )


@kernel
def step_of_run(parameters: Any, table: Any, gaps: Any, run: Any, step: int) -> int:
    """Make a step; return an arm that does not exist, or 0."""
    arm = select(parameters, run.state, step, run.stream)
    if arm < 0 or arm >= gaps.shape[1]:
        return int(np.int64(arm))
    seek_loss(run.losses, run.losses_begin, arm, run.counts[arm])
    loss = draw(table, 0, arm, run.losses)
    update(parameters, run.state, arm, loss, step, run.stream)
    run.counts[arm] += 1
    run.total[0] += gaps[0, arm]
    return 0


@kernel
def step_of_both(parameters: Any, table: Any, gaps: Any, both: Any, step: int) -> int:
    wrong = one(parameters, table, gaps, both[0], step)
    return wrong if wrong != 0 else one(parameters, table, gaps, both[1], step)


@kernel
def record_run(run: Run, i: int) -> None:
    run.regret[i] = run.total[0]


@kernel
def record_both(both: Any, i: int) -> None:
    one(both[0], i)
    one(both[1], i)


@allocating_kernel
def play_together(
    parameters: Any,
    table: Any,
    gaps: Any,
    losses_key: Any,
    policy_key: Any,
    first_run: int,
    checkpoints: Any,
    regret: Any,
    pulls: Any,
    steps_done: Any,
    stop: Any,
    world: Any,
) -> int:
    """As `play`, for runs 0, 1, ..., whose number is a multiple of `runs`, of arms that stay."""
    for run in range(0, regret.shape[0], runs):
        states = start(parameters, losses_key, policy_key, run, checkpoints[-1], regret, pulls)
        step = 0
        for i in range(len(checkpoints)):
            if stop[0] != 0:
                return 0
            before = step
            while step < checkpoints[i]:
                step += 1
                wrong = make_step(parameters, table, gaps, states, step)
                if wrong != 0:
                    return int(np.int64(wrong))
            record(states, i)
            steps_done[0] += (step - before) * runs
    return 0


def together(kernels: Kernels, environment: lowbid.Environment, count: int) -> Loop:
    """The loop that plays so many runs side by side, a power of 2: halves, and halves of these."""
    init, select, update = kernels
    start: Loop = specialise(start_run, init=init)
    step: Loop = specialise(step_of_run, select=select, update=update, draw=environment.draw)
    record: Loop = record_run
    width = 1
    while width < count:
        start = specialise(start_both, one=start, half=width)
        step, record = specialise(step_of_both, one=step), specialise(record_both, one=record)
        width *= 2
    return specialise(play_together, start=start, make_step=step, record=record, runs=width)


# A rule that plays the first arm, and waits for one division after another.


@allocating_kernel
def init_chain(parameters: Any, n_arms: int, capacity: int) -> Any:
    return np.ones(1)


@kernel
def select_chain(parameters: Any, state: Any, step: int, stream: Any) -> int:
    return 0


@kernel
def update_chain(
    parameters: Any, state: Any, arm: int, loss: float, step: int, stream: Any
) -> None:
    for _ in range(8):
        state[0] = (loss + 1.0) / (state[0] + 1.0)


class Rule(NamedTuple):
    """What is played: a name, kernels, their parameters for K arms and T steps, and where."""

    name: str
    kernels: Kernels
    parameters: Callable[[int, int], Any]
    places: dict[str, lowbid.Environment]


def rules() -> list[Rule]:
    places = {f"K = {n_arms:,}": arms("coins", n_arms) for n_arms in (10, 2, 100, 1000)}
    # Here a processor guesses nearly every branch of a step correctly.
    places["K = 10, arms of mean 0 and 1"] = lowbid.Bernoulli([0.0] + [1.0] * 9)
    few = {"K = 10": places["K = 10"]}
    chain = Kernels(init_chain, select_chain, update_chain)
    policies = (lowbid.UCB1(), lowbid.BatchEnsemble(), lowbid.BatchLikelihood())
    return [Rule("eight divisions in a chain", chain, lambda n_arms, horizon: (), few)] + [
        Rule(each.name, each.kernels, lambda k, t, each=each: each.parameters(k, t, t), places)
        for each in policies
    ]


def arguments(rule: Rule, environment: lowbid.Environment, horizon: int, count: int) -> Any:
    """The arguments of a loop for so many runs, fresh for each call."""
    n_arms, (losses_table, gaps, _) = environment.n_arms, arms_of(environment, 0, 1)
    results = np.zeros((count, 1)), np.zeros((count, n_arms), np.int64)
    counters = np.zeros(1, np.int64), np.zeros(1, np.int64)
    keys = key(0, "losses"), key(0, rule.name)
    given = rule.parameters(n_arms, horizon), losses_table, gaps, *keys, 0, np.array([horizon])
    return (*given, *results, *counters, ())


def compiled(rule: Rule) -> tuple[dict[str, Loop], dict[str, float]]:
    """The loops for a rule, and the processor seconds that compiling each took."""
    environment = arms("coins", 10)
    kinds = _native.kinds_of(arguments(rule, environment, 100, 0))
    bound = dict(zip(("init", "select", "update"), rule.kernels, strict=True))
    stays = {"begin": environment.begin, "move": environment.move, "draw": environment.draw}
    stays["show"] = show_nothing
    templates = {"1": (specialise(play, **bound, **stays), _module._LONG)}
    for count in TOGETHER:
        loop = together(rule.kernels, environment, count)
        templates |= {
            f"{count} copied": (loop, sys.maxsize),
            f"{count} shared": (loop, _module._LONG),
        }
    loops: dict[str, Loop] = {}
    seconds = {}

    def compile_one(name: str, template: Kernel[..., Any]) -> None:
        loops[name] = _native.Call(template, kinds, False)

    for name, (template, long) in templates.items():
        with empty_cache(), mock.patch.object(_module, "_LONG", long):
            seconds[name] = processor_seconds(lambda n=name, t=template: compile_one(n, t))
    return loops, seconds


def measure(
    rule: Rule, place: str, loops: dict[str, Loop], repeats: int, seconds: float
) -> dict[str, list[float]]:
    """Nanoseconds per step of each loop, by turns; all must give the same results."""
    environment = rule.places[place]
    horizon = max(2000, 20 * environment.n_arms)

    def play_by(loop: Loop, count: int) -> tuple[float, Any, Any]:
        given = arguments(rule, environment, horizon, count)
        taken = processor_seconds(lambda: loop(*given))
        return taken / (count * horizon) * 1e9, given[7], given[8]

    most = max(TOGETHER)
    rough, _, _ = play_by(loops["1"], most)
    count = max(1, int(seconds * 1e9 / (rough * horizon * most))) * most
    _, regret, pulls = play_by(loops["1"], count)

    def once(name: str) -> float:
        taken, regret_now, pulls_now = play_by(loops[name], count)
        assert np.array_equal(regret, regret_now), name
        assert np.array_equal(pulls, pulls_now), name
        return taken

    return by_turns({name: lambda name=name: once(name) for name in loops}, repeats)  # type: ignore[misc]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=9, help="turns of each comparison")
    parser.add_argument("--seconds", type=float, default=0.05, help="to play, in each turn")
    given = parser.parse_args(arguments)
    speeds, compiling = [], []
    for rule in rules():
        loops, seconds = compiled(rule)
        compiling.append([rule.name, *(f"{each:.2f}" for each in seconds.values())])
        for place in rule.places:
            taken = measure(rule, place, loops, given.repeats, given.seconds)
            others = [within(ratios(taken["1"], ns)) for name, ns in taken.items() if name != "1"]
            first = number(spread(taken["1"]).median)
            speeds.append([f"{rule.name}, {place}", first, *others])
    names = [f"{name.replace(' ', ' runs, ')}" for name in loops if name != "1"]
    print(table(["speed relative to one run at a time", "one run, ns per step", *names], speeds))
    print()
    print(table(["processor seconds to compile", "one run", *names], compiling))
    return 0


if __name__ == "__main__":
    sys.exit(main())
