"""Settings for late and missing feedback, and the loop that they need."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from lowbid._kernel import Kernel, specialise
from lowbid._random import key
from lowbid._require import require_arm
from lowbid.environments import Environment
from lowbid.errors import InvalidValueError
from lowbid.policies._base import Policy
from lowbid.simulation._delays import Delay, FixedDelay, read_delay
from lowbid.simulation._late_loop import deliver, ignore, play_late
from lowbid.simulation._loop import play


class Late(NamedTuple):
    """How late feedback comes, what part of it never does, and in which batches."""

    delay: Delay
    lost: float
    batch: int


def read_late(delay: Any, lost: float, batch: int) -> Late | None:
    """The settings, None if all feedback comes at once, or a clear error."""
    if not (isinstance(lost, int | float) and 0.0 <= lost < 1.0):
        raise InvalidValueError(f"lost is {lost!r}; give a chance from 0 to below 1.")
    late = Late(read_delay(delay), float(lost), batch)
    return None if late == Late(FixedDelay(0), 0.0, 1) else late


@functools.cache
def _within(select: Callable[..., Any], name: str, n_arms: int) -> Callable[..., Any]:
    """A plain Python `select` whose answer is looked at before it is used."""

    def checked(parameters: Any, state: Any, step: int, stream: Any) -> int:
        return require_arm(select(parameters, state, step, stream), name, n_arms)

    return checked


def loop_for(
    policy: Policy, environment: Environment, late: Late | None, seed: int
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The loop for a policy and an environment, and what it takes besides the usual."""
    init, select, update = policy.kernels
    if not isinstance(select, Kernel):
        select = _within(select, policy.name, environment.n_arms)
    draw = environment.draw
    if late is None:
        return specialise(play, init=init, select=select, update=update, draw=draw), ()
    hold = type(policy).hold or ignore
    loop = specialise(
        play_late,
        init=init,
        select=select,
        hold=hold,
        deliver=specialise(deliver, update=update, hold=hold),
        draw=draw,
        draw_delay=type(late.delay).draw,
    )
    return loop, (late.delay.table(), key(seed, "delays"), late.lost, late.batch)
