"""The arguments of a shared bandit's methods, read and checked: names, ids, outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lowbid.errors import InvalidValueError
from lowbid.online import Kind, read_kind, read_list, read_number_of_decisions
from lowbid.shared._calls import Decide, GivenOutcome, Report

ANSWER = ("answer(ids, losses={})", "answer(ids, rewards={})")
_LONGEST_KEY = 512  # characters of a unit or of the id of a request


def deciding(n: int | None, unit: str | None, request_id: str | None) -> Decide:
    """The call behind `SharedBandit.decide`."""
    many = read_number_of_decisions(n)
    return Decide(many, read_key("unit", unit), read_key("request_id", request_id))


def answering(
    ids: Iterable[str],
    *bare: Any,
    losses: Sequence[float] | None = None,
    rewards: Sequence[float] | None = None,
) -> Report:
    """The call behind `SharedBandit.answer`."""
    kind = read_kind(ANSWER, bare, losses, rewards)
    return Report(kind, given_outcomes(kind, ids, losses, rewards, by_id=True), None)


def given_outcomes(
    kind: Kind, what: Iterable[Any], losses: Any, rewards: Any, by_id: bool
) -> list[GivenOutcome]:
    """A value for each arm or decision, or a clear error."""
    values = read_list("the list of values", losses if kind == "loss" else rewards)
    items = read_list("the list of arms or decisions", what)
    if len(items) != len(values):
        plural = "losses" if kind == "loss" else "rewards"
        raise InvalidValueError(
            f"there are {len(items)} arms or decisions, but {len(values)} {plural}; give one for "
            "each."
        )
    return [GivenOutcome(*pair, by_id) for pair in zip(items, values, strict=True)]


def read_name(name: Any, what: str = "name") -> str:
    """The name of a bandit or a person, or a clear error."""
    given = read_key(what, name)
    if given is None:
        raise InvalidValueError(f"{what} is None; give a name.")
    return given


def read_key(name: str, value: Any) -> str | None:
    """A name chosen by the caller, as text, or a clear error."""
    if value is None:
        return None
    good = isinstance(value, str) and 0 < len(value) <= _LONGEST_KEY and "\0" not in value
    if not good:
        raise InvalidValueError(
            f"{name} is {value!r}; give text of 1 to {_LONGEST_KEY} characters."
        )
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidValueError(f"{name} is {value!r}, which is not Unicode text.") from error
    return value
