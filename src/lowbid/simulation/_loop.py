"""The simulation loop: a policy plays in an environment."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import Kernel, allocating_kernel, specialise
from lowbid._random import key, seek_loss, seek_run
from lowbid._require import require_arm
from lowbid.environments import Environment, stay
from lowbid.policies import Policy
from lowbid.simulation._delays import Late
from lowbid.simulation._features import memory_for, show_for
from lowbid.simulation._late_loop import deliver, ignore, play_late

# The functions of the policy and the environment that the template below is bound to.
init: Any = None
select: Any = None
update: Any = None
draw: Any = None
begin: Any = None
move: Any = None
show: Any = None


@allocating_kernel
def play(
    parameters: Any,
    table: Floats,
    gaps: Floats,
    losses_key: np.uint64,
    policy_key: np.uint64,
    first_run: int,
    checkpoints: Ints,
    regret: Floats,
    pulls: Ints,
    steps_done: Ints,
    stop: Ints,
    world: Any,
) -> int:
    """Play the runs `first_run`, ..., one per row of `regret`, and record them.

    `regret` is (run, checkpoint) and `pulls` (run, arm). The number of steps played so far is kept
    in `steps_done`; the loop ends early when `stop` is set, and when the policy chooses an arm that
    does not exist, which it then returns; otherwise it returns 0.
    """
    n_arms = gaps.shape[1]
    run_begin = np.zeros(1, np.uint64)
    losses = np.zeros(1, np.uint64)
    stream = np.zeros(1, np.uint64)
    for row in range(regret.shape[0]):
        run = first_run + row
        instance = run if table.shape[0] > 1 else 0
        seek_run(run_begin, losses_key, run)
        seek_run(stream, policy_key, run)
        begin(table, gaps, world, run)
        state = init(parameters, n_arms, checkpoints[-1])
        counts = pulls[row]
        total = 0.0
        step = 0
        for i in range(len(checkpoints)):
            if stop[0] != 0:
                return 0
            before = step
            while step < checkpoints[i]:
                step += 1
                move(table, gaps, world, step)
                show(state, world)
                arm = select(parameters, state, step, stream)
                if arm < 0 or arm >= n_arms:
                    return int(np.int64(arm))
                seek_loss(losses, run_begin, arm, counts[arm])
                loss = draw(table, instance, arm, losses)
                update(parameters, state, arm, loss, step, stream)
                counts[arm] += 1
                total += gaps[instance, arm]
            regret[row, i] = total
            steps_done[0] += step - before
    return 0


def loop_for(
    policy: Policy, environment: Environment, late: Late | None, seed: int
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The loop for a policy and an environment, and its additional arguments."""
    init, select, update = policy.kernels
    if not isinstance(select, Kernel):
        select = within(select, policy.name, environment.n_arms)
    arms = {"draw": environment.draw, "begin": environment.begin, "move": environment.move}
    arms["show"] = show_for(policy, environment)
    if not policy.compiled and environment.move is stay:
        arms |= {"begin": stay.function, "move": stay.function}  # a compiled call is slower
    if late is None:
        return specialise(play, init=init, select=select, update=update, **arms), ()
    hold = policy.holding or ignore
    if isinstance(hold, Kernel) and not policy.compiled:
        hold = hold.function  # a plain policy passes itself, which no kernel accepts
    keep, recall, columns = memory_for(policy, environment)
    loop = specialise(
        play_late,
        init=init,
        select=select,
        hold=hold,
        deliver=specialise(deliver, update=update, hold=hold, recall=recall),
        keep=keep,
        **arms,
        draw_delay=type(late.delay).draw,
    )
    return loop, (late.delay.table(), key(seed, "delays"), late.lost, late.batch, columns)


@functools.cache
def within(select: Callable[..., Any], name: str, n_arms: int) -> Callable[..., Any]:
    """A plain Python `select` whose answer is checked before it is used."""

    def checked(parameters: Any, state: Any, step: int, stream: Any) -> int:
        return require_arm(select(parameters, state, step, stream), name, n_arms)

    return checked
