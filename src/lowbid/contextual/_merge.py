"""Add up what two models saw; the prior is estimated from all of it before the next choice."""

from __future__ import annotations

import numpy as np

from lowbid._arrays import Floats
from lowbid.contextual._columns import merged_columns
from lowbid.contextual._model import Model
from lowbid.policies import copy_of, merged_yardstick, translation


def merged_model(first: Model, second: Model) -> Model:
    """The model of all losses of two, measured as the first one measures them."""
    columns = merged_columns(first.columns, second.columns)
    yardstick = merged_yardstick(first.yardstick, second.yardstick)
    both: Model = copy_of(first)._replace(columns=columns, yardstick=yardstick)
    for values in (both.counts, both.pending, both.squares, both.moments, both.targets):
        values[...] = 0.0
    both.held[...] = both.held_targets[...] = 0.0
    both.built[:] = both.due[:] = 0
    for part in (first, second):
        moved = part.columns.origin - columns.origin
        shift, factor = translation(yardstick, part.yardstick)
        if part.columns.seen[0] == 0.0:
            continue
        both.counts[:] += part.counts
        both.pending[:] += part.pending
        sums = part.targets[:, 0]
        squares = shift**2 * part.counts + 2.0 * shift * factor * sums + factor**2 * part.squares
        both.squares[:] += squares
        for into, targets, moments, plays in (
            (both.moments, both.targets, part.moments, part.targets),
            (both.held, both.held_targets, part.held, part.held_targets),
        ):
            _add_moved(into, targets, moments, plays, moved, (shift, factor))
    both.prior[:] = (first if first.counts.sum() >= second.counts.sum() else second).prior
    return both


def _add_moved(
    moments: Floats,
    targets: Floats,
    more: Floats,
    more_targets: Floats,
    moved: Floats,
    mapping: tuple[float, float],
) -> None:
    """Add moments of features that were measured from another origin, and their losses."""
    d = len(moved) + 1
    upper = np.triu_indices(d)
    change = np.eye(d)
    change[1:, 0] = moved
    shift, factor = mapping
    for arm in range(len(moments)):
        matrix = np.zeros((d, d))
        matrix[upper] = more[arm]
        matrix = matrix + np.triu(matrix, 1).T
        loss = shift * matrix[0] + factor * more_targets[arm]
        moments[arm] += (change @ matrix @ change.T)[upper]
        targets[arm] += change @ loss
