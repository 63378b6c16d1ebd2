"""Tables given by a caller, converted to arrays of one shape, or refused with a clear error."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats, Ints
from lowbid._require import invalid, require_value
from lowbid.errors import InvalidValueError

_ROUNDING = 1e-9


class Successors(NamedTuple):
    """Transitions as lists: for large MDPs in which few states can follow each action.

    Attributes
    ----------
    probabilities
        The probability of each successor, (state, action, successor) or (stage, state, action,
        successor); rows that are shorter than others end in zeros.
    next_states
        The state of each successor, in the same shape. A state may be listed several times.
    """

    probabilities: Floats
    next_states: Ints

    @classmethod
    def of_matrix(cls, transitions: npt.ArrayLike) -> Successors:
        """The successors in a full table, (..., state, action, next state)."""
        table = _square(transitions)
        return compact(table, np.broadcast_to(np.arange(table.shape[-1]), table.shape))


def compact(chances: Floats, next_states: Ints) -> Successors:
    """The same lists without successors of probability 0, as far as all rows allow."""
    positive = chances != 0.0  # negative ones are kept, and refused later
    most = max(1, int(positive.sum(axis=-1).max(initial=0)))
    order = np.argsort(~positive, axis=-1, kind="stable")[..., :most]
    listed = np.take_along_axis(next_states, order, axis=-1)
    return Successors(np.take_along_axis(chances, order, axis=-1), listed.astype(np.int64))


def numbers(name: str, values: npt.ArrayLike) -> Floats:
    """Finite numbers as an array, or a clear error."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers have no order")
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidValueError(f"{name} is not a table of numbers: {error}.") from error
    for place in np.argwhere(~np.isfinite(array)):
        raise invalid(
            f"{name}{_brackets(place)}", float(array[tuple(place)]), "give finite numbers."
        )
    return array


def plain_array(name: str, values: Any) -> npt.NDArray[Any]:
    """Values as an array of whatever they are, or an error if rows differ in length."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InvalidValueError(f"{name} is not a table: {error}.") from error


def read_transitions(transitions: Any) -> Successors:
    """Successors with a stage axis."""
    given = isinstance(transitions, Successors)
    table = transitions if given else Successors.of_matrix(transitions)
    probabilities = numbers("probabilities" if given else "transitions", table.probabilities)
    next_states = plain_array("next_states", table.next_states)
    fitting = next_states.shape == probabilities.shape and probabilities.ndim in (3, 4)
    if not fitting or not probabilities.size:
        raise InvalidValueError(
            f"probabilities and next_states have the shapes {probabilities.shape} and "
            f"{next_states.shape}; give both as (state, action, successor) or (stage, state, "
            "action, successor)."
        )
    if not np.issubdtype(next_states.dtype, np.integer):
        raise InvalidValueError("next_states are not whole numbers; give the numbers of states.")
    states = probabilities.shape[-3]
    if not (next_states.min() >= 0 and next_states.max() < states):
        raise InvalidValueError(f"next_states must contain state numbers 0 to {states - 1}.")
    if probabilities.ndim == 3:
        probabilities, next_states = probabilities[np.newaxis], next_states[np.newaxis]
    return Successors(probabilities, next_states.astype(np.int64))


def _square(transitions: Any) -> Floats:
    table = numbers("transitions", transitions)
    if table.ndim not in (3, 4) or table.shape[-1] != table.shape[-3] or 0 in table.shape:
        raise InvalidValueError(
            f"transitions has the shape {table.shape}; give (state, action, next state) or (stage, "
            "state, action, next state), or Successors."
        )
    return table


def check_rows(successors: Successors, actions: Ints) -> None:
    """Refuse rows of transitions that are not probabilities."""
    table = successors.probabilities
    used = np.arange(table.shape[2]) < actions[:, np.newaxis]
    for place in np.argwhere((table < 0.0) & used[np.newaxis, :, :, np.newaxis]):
        raise InvalidValueError(
            f"transitions{_brackets(place[:-1])} (stage, state, action) has the probability "
            f"{table[tuple(place)]:g}; give numbers from 0 to 1."
        )
    sums = table.sum(axis=-1)
    for place in np.argwhere((np.abs(sums - 1.0) > _ROUNDING) & used):
        raise InvalidValueError(
            f"transitions{_brackets(place)} (stage, state, action) sums to {sums[tuple(place)]:g}; "
            "the probabilities of all next states must sum to 1."
        )


def read_values(
    name: str, values: npt.ArrayLike, successors: Successors, full: bool, horizon: int | None
) -> Floats:
    """Losses or rewards as (stage, state, action, successor).

    Tables by next state have one entry per state if the transitions are a `full` table, otherwise
    one per successor in the list.
    """
    table = numbers(name, values)
    stages, *pair, most = successors.probabilities.shape
    last = pair[0] if full else most
    staged = (stages, *pair) if stages > 1 else (horizon, *pair)
    shapes = {
        "(state, action)": tuple(pair),
        "(stage, state, action)": staged,
        "(state, action, next state)": (*pair, last),
        "(stage, state, action, next state)": (*staged, last),
    }
    fitting = [form for form, shape in shapes.items() if table.shape == shape]
    if len(fitting) != 1:
        problem = "could be any of" if fitting else "must be one of"
        known = ", ".join(f"{form} {shapes[form]}" for form in fitting or shapes)
        raise InvalidValueError(f"{name} has the shape {table.shape}, which {problem} {known}.")
    if "stage" not in fitting[0]:
        table = table[np.newaxis]
    if "next" not in fitting[0]:
        table = np.broadcast_to(table[..., np.newaxis], (*table.shape, most))
    elif full:
        places = np.broadcast_to(successors.next_states, (*table.shape[:-1], most))
        table = np.take_along_axis(table, places, axis=-1)
    return table


def read_first(first: int | npt.ArrayLike, n_states: int) -> Floats:
    """The distribution of the first state."""
    if isinstance(first, int | np.integer) and not isinstance(first, bool):
        require_value(
            "first", first, first in range(n_states), f"give a state from 0 to {n_states - 1}."
        )
        return (np.arange(n_states) == first).astype(np.float64)
    chances = numbers("first", first)
    if chances.shape != (n_states,) or (chances < 0).any() or abs(chances.sum() - 1) > _ROUNDING:
        raise invalid(
            "first",
            first,
            f"give a state, or a probability for each of the {n_states} states, summing to 1.",
        )
    return chances


def read_actions(
    actions: npt.ArrayLike | None, shape: tuple[int, ...], name: str = "actions"
) -> Ints:
    """How many actions each state has."""
    states, most = shape
    if actions is None:
        return np.full(states, most, np.int64)
    counts = plain_array(name, actions)
    good = counts.shape == (states,) and np.issubdtype(counts.dtype, np.integer)
    if not good or counts.min() < 1 or counts.max() > most:
        raise invalid(
            name,
            actions,
            f"give for each of the {states} states how many actions it has, from 1 to {most}.",
        )
    return counts.astype(np.int64)


def _brackets(place: npt.NDArray[np.intp]) -> str:
    return f"[{', '.join(map(str, place.tolist()))}]" if len(place) else ""
