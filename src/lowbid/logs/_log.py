"""Logged choices, their outcomes, and how likely the choices were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lowbid._arrays import Floats, Ints
from lowbid.errors import LogError, Refusal

Kind = Literal["loss", "reward"]
# The message shows this many refused lines; the error has all of them.
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class Log:
    """Decisions with known outcomes, in the order in which they were logged.

    Attributes
    ----------
    arms : tuple of str or int
        Names; arm i of the arrays is ``arms[i]``.
    kind : {"loss", "reward"}
        What was measured.
    choices : array of int
        The arm of each line.
    values : array of float
        The outcome of each line.
    propensities : array of float or None
        The probability with which that arm was chosen; None if not logged.
    lines : array of int
        The position of each decision: the line of a file, or the row of a table, from 1.
    name : str
        Where it came from, for errors.
    unit : str
        What errors call its lines: "line" or "row".
    left_out : int
        The number of decisions of a shared bandit that are left out: those without an outcome, and
        those that the policy did not make.

    Examples
    --------
    >>> import lowbid
    >>> log = lowbid.read_log({"arm": ["a", "b", "a"], "reward": [1, 0, 0]})
    >>> log
    <Log of 3 rewards of 2 arms, without propensities>
    >>> log.shares
    {'a': 0.6666666666666666, 'b': 0.3333333333333333}
    """

    arms: tuple[str | int, ...]
    kind: Kind
    choices: Ints
    values: Floats
    propensities: Floats | None
    lines: Ints
    name: str = "the log"
    unit: str = "row"
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.values)

    @property
    def counts(self) -> dict[str | int, int]:
        """How often each arm was chosen."""
        numbers = np.bincount(self.choices, minlength=len(self.arms)).tolist()
        return dict(zip(self.arms, numbers, strict=True))

    @property
    def shares(self) -> dict[str | int, float]:
        """The share of lines of each arm."""
        return {arm: count / max(len(self), 1) for arm, count in self.counts.items()}

    @property
    def plural(self) -> str:
        """What was measured, in the plural."""
        return "losses" if self.kind == "loss" else "rewards"

    def __repr__(self) -> str:
        with_or = "without" if self.propensities is None else "with"
        arms = f"{len(self.arms)} arm{'s' if len(self.arms) != 1 else ''}"
        left_out = f", {self.left_out} left out" if self.left_out else ""
        return f"<Log of {len(self)} {self.plural} of {arms}, {with_or} propensities{left_out}>"


def refuse(name: str, unit: str, rows: int, refused: list[Refusal]) -> None:
    """Raise an error that lists lines, if there are any."""
    if not refused:
        return
    refused = sorted(refused)
    lines = [f"  {unit} {line}: {reason}." for line, reason in refused[:_SHOWN]]
    if len(refused) > _SHOWN:
        lines.append(f"  and {len(refused) - _SHOWN} more: see the error's `refused`.")
    number = len({line for line, _ in refused})
    head = f"{number} of {rows} {unit}s of {name} cannot be used, so none was:"
    error = LogError("\n".join([head, *lines]))
    error.refused = tuple(refused)
    raise error
