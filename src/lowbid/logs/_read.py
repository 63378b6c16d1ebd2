"""Read a log: which columns, which arms, and every line that cannot be used."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lowbid._require import LARGEST_LOSS, SMALLEST, invalid, real_number
from lowbid.errors import InvalidValueError, Refusal, UnknownNameError
from lowbid.logs._exported import answered, is_export, require_no_events
from lowbid.logs._log import Kind, Log, refuse
from lowbid.logs._sources import MISSING, Table, read_table

Arm = str | int
PROPENSITY = "propensity"
# The reason why a value of this kind cannot be used; empty if it can.
Objection = Callable[[Kind, float], str | None]


class Names(NamedTuple):
    """The names of the columns; None for those not given or not wanted."""

    arm: str = "arm"
    reward: str | None = None
    loss: str | None = None
    propensity: str | None = PROPENSITY


def read_log(
    source: Any,
    *,
    arm: str = "arm",
    reward: str | None = None,
    loss: str | None = None,
    propensity: str | None = PROPENSITY,
    arms: Sequence[Arm] | None = None,
) -> Log:
    """Read a log: arms, rewards or losses, and propensities if there are any.

    Parameters
    ----------
    source : path, frame, mapping or list
        A file (``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson``, each also ``.gz``; ``.parquet``), a
        pandas or polars frame, a pyarrow table, a mapping from names to columns, a list of
        records, or a `Log`. Its lines are in the order in which the decisions were made. In files
        written by `SharedBandit.export_decisions`, decisions without an outcome are left out, and
        so are those that the policy did not make.
    arm : str
        The column of the arms.
    reward, loss : str, optional
        The column of outcomes; by default ``"reward"`` or ``"loss"``, whichever exists.
    propensity : str, optional
        The column of the probability with which each arm was chosen; by default ``"propensity"``,
        if there is such a column. None to ignore it.
    arms : sequence, optional
        All arms that could be chosen, in the desired order; by default those that were logged.

    Returns
    -------
    Log

    Raises
    ------
    LogError
        If lines cannot be used: its `refused` lists all of them.

    Examples
    --------
    >>> import lowbid
    >>> lowbid.read_log([{"page": "blue", "dollars": 3.5}, {"page": "green", "dollars": 0.0}],
    ...                 arm="page", reward="dollars")
    <Log of 2 rewards of 2 arms, without propensities>
    """
    return read_lines(source, Names(arm, reward, loss, propensity), arms)


def read_lines(
    source: Any,
    names: Names,
    arms: Sequence[Arm] | None = None,
    objection: Objection = lambda kind, value: None,
) -> Log:
    """Read a log, and refuse values to which there is an objection."""
    if isinstance(source, Log):
        return _again(source, arms, objection)
    table = read_table(source)
    if not table.columns:  # errors in the lines are more helpful than a missing column
        refuse(table.name, table.unit, len(table.broken), table.broken)
    require_no_events(table)
    kind, column = _column_of_values(table, names)
    if not is_export(table):
        return _log_of(table, kind, column, names, arms, objection)
    # A unit that keeps its arm is worth learning from, but its arm was not chosen at random.
    ways = ("policy", "sticky") if names.propensity is None else ("policy",)
    rows = answered(table, column, ways)
    log = _log_of(rows, kind, column, names, arms, objection)
    return dataclasses.replace(log, left_out=len(table.lines) - len(rows.lines))


def _log_of(
    table: Table,
    kind: Kind,
    column: str,
    names: Names,
    arms: Sequence[Arm] | None,
    objection: Objection,
) -> Log:
    lines = _Lines(table)
    known, numbers = lines.arms(_column(table, names.arm), arms)
    values = lines.values(column, functools.partial(objection, kind))
    chances = None
    if names.propensity in table.columns or names.propensity not in (None, PROPENSITY):
        chances = lines.chances(str(names.propensity))
    refuse(table.name, table.unit, len(table.lines) + len(table.broken), lines.refused)
    return Log(
        arms=tuple(known),
        kind=kind,
        choices=np.array(numbers, np.int64),
        values=np.array(values, np.float64),
        propensities=None if chances is None else np.array(chances, np.float64),
        lines=np.array(table.lines, np.int64),
        name=table.name,
        unit=table.unit,
    )


def _again(log: Log, arms: Sequence[Arm] | None, objection: Objection) -> Log:
    """A log that was read before, with the arms in another order or with other objections."""
    chances = {} if log.propensities is None else {"propensity": log.propensities.tolist()}
    columns = {
        "arm": [log.arms[number] for number in log.choices.tolist()],
        log.kind: log.values.tolist(),
        **chances,
    }
    table = Table(log.name, log.unit, columns, log.lines.tolist(), [])
    known = log.arms if arms is None else arms
    again = _log_of(table, log.kind, log.kind, Names(), known, objection)
    return dataclasses.replace(again, left_out=log.left_out)


def _column(table: Table, name: str) -> list[Any]:
    try:
        return table.columns[name]
    except KeyError:
        there = ", ".join(repr(column) for column in table.columns) or "none"
        raise UnknownNameError(
            f"{table.name} has no column {name!r}; its columns are {there}. Say which one to use: "
            "arm=..., reward=... or loss=..., propensity=..."
        ) from None


def _column_of_values(table: Table, names: Names) -> tuple[Kind, str]:
    """Whether rewards or losses were logged, and in which column."""
    if names.reward is not None and names.loss is not None:
        raise InvalidValueError("give reward or loss, not both: a log is of one kind.")
    if names.reward is not None:
        _column(table, names.reward)
        return "reward", names.reward
    if names.loss is not None:
        _column(table, names.loss)
        return "loss", names.loss
    kinds: tuple[Kind, ...] = ("reward", "loss")
    there = [kind for kind in kinds if kind in table.columns]
    if len(there) == 1:
        return there[0], there[0]
    columns = ", ".join(repr(column) for column in table.columns) or "none"
    found = "both 'reward' and 'loss'" if there else "neither 'reward' nor 'loss'"
    raise UnknownNameError(
        f"{table.name} has {found} among its columns ({columns}); say which one holds the "
        'outcomes: reward="..." or loss="...".'
    )


def _is_missing(value: Any) -> bool:
    return value is None or value is MISSING or (isinstance(value, str) and not value)


class _Lines:
    """The columns of a table, read line by line; unusable lines are listed in `refused`."""

    def __init__(self, table: Table) -> None:
        self.table, self.refused = table, list(table.broken)

    def arms(self, column: list[Any], arms: Sequence[Arm] | None) -> tuple[list[Arm], list[int]]:
        """The names of all arms, and the index of each line's arm."""
        as_text = self.table.as_text
        if arms is None:
            column = _whole_texts(column) if as_text else column
            named = (_plain_arm(value) for value in column)
            known = sorted({arm for arm in named if arm is not None}, key=_in_order)
        else:
            known = _read_names(arms)
        numbers: dict[Any, int] = {arm: number for number, arm in enumerate(known)}
        if as_text:  # a string may be a number, unless an arm has that name
            numbers = {str(arm): number for arm, number in numbers.items()} | numbers
        return known, [
            self._arm(line, value, numbers, known)
            for line, value in zip(self.table.lines, column, strict=True)
        ]

    def values(self, name: str, objection: Callable[[float], str | None]) -> list[float]:
        """The outcome of each line's arm."""
        numbers = self._numbers(name, "give a finite number", -LARGEST_LOSS, LARGEST_LOSS)
        for line, number in zip(self.table.lines, numbers, strict=True):
            objected = None if math.isnan(number) else objection(number)
            if objected is not None:
                self.refused.append(Refusal(line, objected.rstrip(".")))
        return numbers

    def chances(self, name: str) -> list[float]:
        """The probability with which each line's arm was chosen."""
        allowed = "the probability of a chosen arm is above 0 and at most 1"
        return self._numbers(name, allowed, SMALLEST, 1.0)

    def _arm(self, line: int, value: Any, numbers: dict[Any, int], known: list[Any]) -> int:
        arm = _plain_arm(value)
        number = None if arm is None else numbers.get(arm)
        if number is None:
            self.refused.append(Refusal(line, _no_arm(value, arm, known)))
            return -1
        return number

    def _numbers(self, name: str, allowed: str, low: float, high: float) -> list[float]:
        """A column of numbers from `low` to `high`; refused values become NaN."""
        read = _number_in_text if self.table.as_text else real_number
        numbers = []
        for line, value in zip(self.table.lines, _column(self.table, name), strict=True):
            number = read(value)
            if number is None or not low <= number <= high:
                shown = "missing" if _is_missing(value) else repr(value)
                self.refused.append(Refusal(line, f"{name} is {shown}; {allowed}"))
                number = math.nan
            numbers.append(number)
        return numbers


def _read_names(arms: Sequence[Arm]) -> list[Arm]:
    """The arms given by the caller."""
    names = [] if isinstance(arms, str) else list(arms)
    plain = [arm for name in names if (arm := _plain_arm(name)) is not None]
    if len(set(plain)) < max(len(names), 1):
        raise invalid("arms", arms, "give a list of names, none of them twice.")
    return plain


def _whole_texts(column: list[str]) -> list[Any]:
    """Arms as integers, if each is written as Python writes an integer."""
    try:
        numbers = [int(text) for text in column]
    except ValueError:
        return column
    return numbers if list(map(str, numbers)) == column else column


def _plain_arm(value: Any) -> Arm | None:
    """An arm's name, or None if it is not a valid one."""
    if isinstance(value, str):
        return str.__str__(value) or None
    number = None if isinstance(value, bool | np.bool_) else real_number(value)
    if number is None or not math.isfinite(number) or number != int(number):
        return None
    return int(value)  # tables with gaps hold whole numbers as floats


def _in_order(arm: Arm) -> tuple[bool, Arm]:
    return isinstance(arm, str), arm


def _no_arm(value: Any, arm: Arm | None, known: list[Arm]) -> str:
    if arm is None:
        shown = "missing" if _is_missing(value) else repr(value)
        return f"the arm is {shown}; give a name or a whole number"
    listed = ", ".join(repr(each) for each in known[:10]) + (", ..." if len(known) > 10 else "")
    return f"unknown arm {value!r}; the arms are {listed}"


def _number_in_text(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
