"""Checks of the arguments of the theory's functions."""

from __future__ import annotations

import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid._require import LARGEST, require_numbers

# Exact sums have at most this many losses, and simulations at most this many runs.
MOST_LOSSES = 100_000
MOST_RUNS = 100_000_000


def require_steps(t: npt.ArrayLike) -> Floats:
    """Steps as an array of numbers, 1 or larger."""
    return require_numbers("t", t, f"steps, from 1 to {LARGEST:g}", low=1.0)


def require_losses(n: npt.ArrayLike) -> Floats:
    """Numbers of losses as an array, 1 or larger."""
    allowed = f"a number of losses, from 1 to {LARGEST:g}"
    return require_numbers("n", n, allowed, low=1.0)
