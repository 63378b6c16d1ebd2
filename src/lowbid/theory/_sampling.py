"""Simulations with the environments' own draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._arrays import Floats
from lowbid._compile import kernel, specialise
from lowbid._random import Stream, key, seek_loss, seek_run
from lowbid.environments import Arms

# The draw of an environment that the templates below are bound to.
draw: Any = None


@kernel
def _sums(
    table: Floats, n: int, losses_key: np.uint64, begin: Stream, stream: Stream, out: Floats
) -> None:
    """The sum of n losses of the only arm, once per entry of `out`."""
    for run in range(len(out)):
        seek_run(begin, losses_key, run)
        out[run] = 0.0
        for i in range(n):
            seek_loss(stream, begin, 0, i)
            out[run] += draw(table, 0, 0, stream)


@kernel
def _shortfalls(
    table: Floats,
    mean: float,
    widths: Floats,
    losses_key: np.uint64,
    begin: Stream,
    stream: Stream,
    batch_sums: Floats,
    batch_counts: Floats,
    out: Floats,
) -> None:
    """The largest of (mean - index - width) over n = 1, 2, ..., once per entry of `out`."""
    batches = len(batch_sums)
    for run in range(len(out)):
        seek_run(begin, losses_key, run)
        batch_sums[:] = 0.0
        batch_counts[:] = 0.0
        out[run] = -np.inf
        for i in range(len(widths)):
            seek_loss(stream, begin, 0, i)
            batch_sums[i % batches] += draw(table, 0, 0, stream)
            batch_counts[i % batches] += 1.0
            lowest = np.inf
            for j in range(batches):
                lowest = min(lowest, batch_sums[j] / (batch_counts[j] + 2.0))
            out[run] = max(out[run], mean - lowest - widths[i])


def sums(arm: Arms, n: int, runs: int, seed: int) -> Floats:
    """Independent sums of n losses of an environment's only arm."""
    out = np.zeros(runs)
    fill = specialise(_sums, draw=arm.draw)
    begin, stream = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    fill(arm.table(), n, key(seed, f"sums of {n}"), begin, stream, out)
    return out


def worst_shortfalls(arm: Arms, batches: int, widths: Floats, runs: int, seed: int) -> Floats:
    """For each run, the largest of (mean - index of n losses - widths[n - 1]) over n.

    The index is that of Batch Ensemble, for losses of an environment's only arm. The result is
    above 0 if at some n the index is further below the mean than its width.
    """
    out = np.zeros(runs)
    fill = specialise(_shortfalls, draw=arm.draw)
    room = np.zeros(batches), np.zeros(batches)
    begin, stream = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    mean = float(arm.means[0])
    fill(arm.table(), mean, widths, key(seed, "shortfalls"), begin, stream, *room, out)
    return out
