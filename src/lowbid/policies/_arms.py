"""Move arms between states, whatever the states are made of.

The axes that run over the arms are found by creating states for several numbers of arms and
comparing their shapes. Indices that are ranked in a tree are taken out and ranked again. A state,
or a part of one, that holds numbers of arms has a method ``renumber(before, arms)``: arm i is now
what arm ``arms[i]`` was `before`, and -1 stands for a new arm, or one that was added again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lowbid.errors import InvalidValueError
from lowbid.policies._ranking import Ranking, rebuild

if TYPE_CHECKING:
    from lowbid.policies._base import Policy

Start = Callable[[int], Any]  # an empty state for a number of arms
Pairs = Sequence[tuple[int, int]]  # (arm in the new state, arm in the old one)
Array = npt.NDArray[Any]


def take(policy: Policy, state: Any, n_arms: int, arms: Sequence[int], start: Start) -> Any:
    """A state in which arm i is what arm ``arms[i]`` was, or a new one if that is -1."""
    target = start(len(arms))
    copy_rest(policy, state, target, n_arms, start)
    kept = [(new, old) for new, old in enumerate(arms) if old >= 0]
    copy_arms(policy, state, target, kept, n_arms, start)
    _renumber(state, target, arms)
    return target


def join(policy: Policy, first: Any, second: Any, sizes: tuple[int, int], start: Start) -> Any:
    """A state with the arms of one state, followed by those of another."""
    target = start(sum(sizes))
    copy_rest(policy, first, target, sizes[0], start)
    for state, size, shift in zip((first, second), sizes, (0, sizes[0]), strict=True):
        pairs = [(arm + shift, arm) for arm in range(size)]
        copy_arms(policy, state, target, pairs, size, start)
    _renumber(first, target, [*range(sizes[0]), *([-1] * sizes[1])])
    return target


def copy_arms(
    policy: Policy, state: Any, target: Any, pairs: Pairs, n_arms: int, start: Start
) -> None:
    """Copy arms of one state to given places of another."""
    if not pairs:
        return
    new, old = (list(arms) for arms in zip(*pairs, strict=True))
    axes = arm_axes(policy, n_arms, start)
    for source, place, arm_axis in zip(_parts(state), _parts(target), axes, strict=True):
        if isinstance(source, Ranking):
            place.indices[new] = source.indices[old]
            rebuild(place)
        elif arm_axis:
            place[_grid(source, arm_axis, new)] = source[_grid(source, arm_axis, old)]


def copy_rest(policy: Policy, state: Any, target: Any, n_arms: int, start: Start) -> None:
    """Copy everything that does not belong to a single arm to another state."""
    axes = arm_axes(policy, n_arms, start)
    for source, place, arm_axis in zip(_parts(state), _parts(target), axes, strict=True):
        if not isinstance(source, Ranking) and not arm_axis:
            place[...] = source


def arm_axes(policy: Policy, n_arms: int, start: Start) -> list[tuple[int, ...]]:
    """For each part of a state, the axes that run over the arms; an error if they are unclear."""
    if policy.fixed_arms:
        raise InvalidValueError(
            f"the arms of {policy.name} cannot change: {policy.fixed_arms}. Make a new bandit, "
            "or choose a policy whose arms can change, such as BatchEnsemble."
        )
    sizes = (n_arms, n_arms + 1, 2 * n_arms + 1)
    found: list[tuple[int, ...]] = []
    for parts in zip(*(_parts(start(size)) for size in sizes), strict=True):
        if isinstance(parts[0], Ranking):
            found.append(())
            continue
        lengths = list(zip(*(part.shape for part in parts), strict=True))
        moving = tuple(axis for axis, seen in enumerate(lengths) if len(set(seen)) > 1)
        if any(lengths[axis] != sizes for axis in moving):
            raise InvalidValueError(
                f"the arms of {policy.name} cannot change: its state is not laid out by arms. "
                "Make a new bandit, or choose another policy, such as BatchEnsemble."
            )
        found.append(moving)
    return found


def _renumber(state: Any, target: Any, arms: Sequence[int]) -> None:
    """Renumber the arms in parts that hold numbers of arms."""
    if hasattr(target, "renumber"):
        target.renumber(state, arms)
    for before, part in zip(state, target, strict=True):
        if isinstance(part, tuple):
            _renumber(before, part, arms)


def _parts(state: Any) -> Iterator[Any]:
    """All arrays and rankings of a state."""
    for value in state:
        if isinstance(value, tuple) and not isinstance(value, Ranking):
            yield from _parts(value)
        else:
            yield value


def _grid(array: Array, arm_axis: tuple[int, ...], arms: list[int]) -> Any:
    """Selects these arms along every axis that runs over arms."""
    return np.ix_(
        *(arms if axis in arm_axis else range(array.shape[axis]) for axis in range(array.ndim))
    )
