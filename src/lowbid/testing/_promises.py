"""Helpers shared by the checks."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from lowbid._compile import checked, interpreted
from lowbid.environments import Arms, Empirical
from lowbid.errors import KernelIndexError
from lowbid.policies import Policy

R = TypeVar("R")

SEED = 7


def expect(condition: bool, policy: Policy, arms: Arms, complaint: str) -> None:
    """Raise an AssertionError if a promise is broken."""
    if not condition:
        raise AssertionError(f"{policy.name} on {arms!r}: {complaint}")


@contextmanager
def inside_arrays(what: str) -> Iterator[None]:
    """Raise an AssertionError that names the place if an index is outside its array."""
    try:
        yield
    except IndexError as error:
        *_, last = traceback.extract_tb(error.__traceback__)
        place = (
            "" if isinstance(error, KernelIndexError) else f"{last.filename}, line {last.lineno}: "
        )
        raise AssertionError(f"{what}: {place}{error}") from error


def three_ways(what: str, play: Callable[[], R]) -> tuple[R, R, R]:
    """A result uncompiled, compiled with checked indices, and compiled.

    In this order, an index outside its array is found before it does harm.
    """
    with inside_arrays(what):
        with interpreted():
            plain = play()
        with checked():
            careful = play()
    return plain, careful, play()


def same(first: Any, second: Any) -> bool:
    """Whether two simulations have the same result, bit for bit."""
    return np.array_equal(first.regret, second.regret) and np.array_equal(first.pulls, second.pulls)


def fitted(policy: Policy, rows: Sequence[npt.ArrayLike]) -> Empirical:
    """Arms with these losses, given from 0 to 1, rescaled to the range that the policy accepts."""
    low, high = policy.loss_range
    start = low if math.isfinite(low) else 0.0
    width = high - start if math.isfinite(high) else 1.0
    return Empirical([start + width * np.asarray(row, np.float64) for row in rows])


def informed_of(policy: Policy, arms: Arms) -> Policy:
    """The policy, with the range of the losses declared if it needs one."""
    if not policy.needs_range:
        return policy
    informed = policy.for_range(*arms.support)
    expect(not informed.needs_range, policy, arms, "it needs a range, but does not take one")
    return informed
