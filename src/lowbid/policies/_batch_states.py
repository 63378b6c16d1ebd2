"""States of Batch Ensemble, taken apart and put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from lowbid.policies._base import Floats, Ints
    from lowbid.policies.batch_ensemble import State


def keep_history(state: State, arms: Sequence[int]) -> None:
    """Drop the losses of all arms but these from a history, and call the arms 0, 1, 2, ..."""
    length = state.history_length[0]
    if length == 0:
        return
    number = np.full(1 + max(*arms, *state.history_arms[:length]), -1)
    for new, old in enumerate(arms):
        if old >= 0:
            number[old] = new
    renamed = number[state.history_arms[:length]]
    kept = renamed >= 0
    write_history(state, renamed[kept], state.history_losses[:length][kept])


def append_history(state: State, other: State, shift: int) -> None:
    """Add the losses of another history; its arms are called `shift`, `shift` + 1, ..."""
    mine, theirs = state.history_length[0], other.history_length[0]
    arms = np.append(state.history_arms[:mine], other.history_arms[:theirs] + shift)
    losses = np.append(state.history_losses[:mine], other.history_losses[:theirs])
    write_history(state, arms, losses)


def write_history(state: State, arms: Ints, losses: Floats) -> None:
    """Make these losses the whole history."""
    state.history_arms[:] = 0
    state.history_losses[:] = 0.0
    state.history_arms[: len(arms)] = arms
    state.history_losses[: len(losses)] = losses
    state.history_length[0] = len(losses)


def sums_above(state: State, baseline: float, batches: int) -> Floats:
    """The sums of a state above another baseline, with room for more batches."""
    drop = state.baseline[0] - baseline if np.isfinite(state.baseline[0]) else 0.0
    return widened(state.sums + drop * state.counts, batches)


def widened(table: Any, batches: int) -> Any:
    """A table (arm, batch) with empty batches added."""
    return np.pad(table, ((0, 0), (0, batches - table.shape[1])))


def behind(state: State, batches: int) -> Ints:
    """The arms' next batches in a state that is to have more batches: the smallest ones."""
    fewer = state.batches[0] < batches
    return np.where(fewer & (state.counts[:, 0] > 0), -1, state.next_batch)
