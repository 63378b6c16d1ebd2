"""The simulation loop for feedback that is late, lost, or in batches.

A template as in `_loop`, kept separate so that the plain loop stays fast.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, seek_loss, seek_run, uniform

# The functions of the policy, the environment and the delay that the templates below are bound to.
init: Any = None
select: Any = None
update: Any = None
hold: Any = None
draw: Any = None
begin: Any = None
move: Any = None
show: Any = None
keep: Any = None
recall: Any = None
draw_delay: Any = None


class Post(NamedTuple):
    """Losses in transit: for each step, a list of those that arrive then, oldest first.

    Decisions are numbered by the step at which they were made. 0 ends a list.
    """

    first: Ints  # (step,)
    last: Ints  # (step,)
    following: Ints  # (decision,)
    arms: Ints  # (decision,)
    losses: Floats  # (decision,)
    lost: Ints  # (decision,)
    memories: Floats  # (decision, column): see `Policy.keep`; empty without features


@kernel
def ignore(parameters: Any, state: Any, arm: int, change: int) -> None:
    """A no-op for policies that do not use pending decisions."""


@kernel
def send(post: Post, decision: int, arrival: int) -> None:
    """Append a decision to the list of the step at which its loss arrives."""
    post.following[decision] = 0
    if post.first[arrival] == 0:
        post.first[arrival] = decision
    else:
        post.following[post.last[arrival]] = decision
    post.last[arrival] = decision


@kernel
def arrival_of(step: int, delay: int, batch: int) -> int:
    """The step after which a loss is known: delayed, and not before its batch is over."""
    return max(step + delay, ((step - 1) // batch + 1) * batch)


@kernel
def deliver(parameters: Any, state: Any, post: Post, step: int, stream: Stream) -> None:
    """Hand the policy all losses that arrive after this step."""
    decision = post.first[step]
    while decision > 0:
        arm = post.arms[decision]
        recall(state, post.memories, decision)
        if post.lost[decision] == 0:
            update(parameters, state, arm, post.losses[decision], step, stream)
        hold(parameters, state, arm, -1)
        decision = post.following[decision]


@allocating_kernel
def play_late(
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
    delays: Floats,
    delays_key: np.uint64,
    lost: float,
    batch: int,
    columns: int,
) -> int:
    """Play runs as `_loop.play` does, with losses that arrive late or never."""
    horizon, n_arms = checkpoints[-1], gaps.shape[1]
    run_begin, losses = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    stream, chance = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    room = horizon + 1
    post = Post(
        first=np.zeros(room, np.int64),
        last=np.zeros(room, np.int64),
        following=np.zeros(room, np.int64),
        arms=np.zeros(room, np.int64),
        losses=np.zeros(room),
        lost=np.zeros(room, np.int64),
        memories=np.zeros((room if columns > 0 else 0, columns + 1)),
    )
    for row in range(regret.shape[0]):
        run = first_run + row
        instance = run if table.shape[0] > 1 else 0
        seek_run(run_begin, losses_key, run)
        seek_run(stream, policy_key, run)
        seek_run(chance, delays_key, run)
        begin(table, gaps, world, run)
        state = init(parameters, n_arms, horizon)
        post.first[:] = 0
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
                post.arms[step] = arm
                post.losses[step] = draw(table, instance, arm, losses)
                post.lost[step] = 1 if uniform(chance) < lost else 0
                arrival = arrival_of(step, draw_delay(delays, chance), batch)
                hold(parameters, state, arm, 1)
                keep(state, post.memories, step)
                if arrival <= horizon:
                    send(post, step, arrival)
                deliver(parameters, state, post, step, stream)
                counts[arm] += 1
                total += gaps[instance, arm]
            regret[row, i] = total
            steps_done[0] += step - before
    return 0
