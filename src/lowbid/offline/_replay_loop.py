"""The loop of `replay`: a policy plays on the lines of a log that agree with its choices."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid._compile import allocating_kernel, kernel
from lowbid._random import Stream, seek_run, uniform

# The functions of the policy that the template below is bound to.
init: Any = None
select: Any = None
update: Any = None


@allocating_kernel
def play_log(
    parameters: Any,
    n_arms: int,
    arms: Ints,
    values: Floats,
    losses: Floats,
    policy_key: np.uint64,
    checkpoints: Ints,
    totals: Floats,
    plays: Ints,
) -> tuple[int, int, int]:
    """Play runs on consecutive parts of a log until it ends, and record them.

    At each step the policy chooses once; then lines are skipped until one has that arm. `totals` is
    (run, checkpoint) and `plays` (run, arm). Returns the number of runs that were played to their
    end, the number of lines that they took, and a choice that is not an arm, or 0.
    """
    stream = np.zeros(1, np.uint64)
    line = 0
    taken = 0
    for run in range(totals.shape[0]):
        seek_run(stream, policy_key, run)
        state = init(parameters, n_arms, checkpoints[-1])
        total = 0.0
        step = 0
        for i in range(len(checkpoints)):
            while step < checkpoints[i]:
                step += 1
                arm = select(parameters, state, step, stream)
                if arm < 0 or arm >= n_arms:
                    return run, taken, int(np.int64(arm))
                while line < len(arms) and arms[line] != arm:
                    line += 1
                if line == len(arms):
                    return run, taken, 0
                update(parameters, state, arm, losses[line], step, stream)
                plays[run, arm] += 1
                total += values[line]
                line += 1
            totals[run, i] = total
        taken = line
    return totals.shape[0], taken, 0


@kernel
def fill_uniform(stream: Stream, numbers: Floats) -> None:
    """Fill an array with numbers uniform on [0, 1)."""
    for i in range(len(numbers)):
        numbers[i] = uniform(stream)
