"""Arms by name: those that can be chosen, those that are paused, and those that are gone."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, Self

import numpy as np

from lowbid._require import invalid
from lowbid.errors import InvalidValueError, UnknownNameError
from lowbid.online._decisions import Arm, Rejection
from lowbid.online._engine import ArmState, Engine
from lowbid.online._feedback import Feedback
from lowbid.online._ledger import (
    COUNT,
    Ledger,
    check_ledger,
    empty_ledger,
    merged_ledger,
    row_from,
    row_to,
    table_from,
    table_to,
)
from lowbid.online._newcomers import Newcomers


class PausedArm(NamedTuple):
    """A paused arm: its row of the ledger, and what the policy knows about it."""

    row: Ledger
    known: ArmState


class Roster:
    """The names of the engine's arms, and the measurements of each.

    Attributes
    ----------
    names : list
        The names of the engine's arms, in its order.
    number : dict
        The engine's arm of each name.
    ledger : array
        One row per arm of the engine.
    paused : dict
        The paused arms, by name.
    removed : set
        The names of arms that are gone.
    newcomers : Newcomers
        The arms that were added and have no outcome yet, if the policy ignores pending decisions.
    """

    def __init__(self, names: list[Arm], engine: Engine) -> None:
        self.engine, self.ledger = engine, empty_ledger(len(names))
        self.paused: dict[Arm, PausedArm] = {}
        self.removed: set[Arm] = set()
        self.newcomers = Newcomers()
        self._rename(names)

    def to_data(self) -> dict[str, Any]:
        """Everything but the engine, as plain data."""
        return {
            "arms": table_to(self.names, self.ledger),
            "paused": [
                {**row_to(name, arm.row), **self.engine.arm_to_data(arm.known)}
                for name, arm in self.paused.items()
            ],
            "removed": sorted(self.removed, key=repr),
            **self.newcomers.to_data(),
        }

    @classmethod
    def from_data(cls, engine: Engine, saved: dict[str, Any]) -> Self:
        """Restore what `to_data` returned, for this engine."""
        names, ledger = table_from(saved["arms"])
        paused = [arm["name"] for arm in saved["paused"]]
        read_arms([*names, *paused])
        roster = cls(names, engine)
        roster.ledger = ledger
        roster.paused = {
            arm["name"]: PausedArm(row_from(arm), engine.arm_from_data(arm))
            for arm in saved["paused"]
        }
        check_ledger(np.array(list(roster.rows.values())))
        engine.check_paused([arm.known for arm in roster.paused.values()])
        removed = list(saved["removed"])
        roster.removed = set(read_arms(removed)) if removed else set()
        for name in roster.removed & roster.rows.keys():
            raise InvalidValueError(f"arm {name!r} is among those that were removed.")
        roster.newcomers = Newcomers.from_data(saved, roster.rows)
        return roster

    @property
    def rows(self) -> dict[Arm, Ledger]:
        """Every arm's row of the ledger, paused arms last."""
        paused = {name: arm.row for name, arm in self.paused.items()}
        return {**dict(zip(self.names, self.ledger, strict=True)), **paused}

    def _rename(self, names: list[Arm]) -> None:
        self.names = names
        self.number = {name: number for number, name in enumerate(names)}

    def update(self, arm: int, value: float, feedback: Feedback, step: int, answered: int) -> None:
        """Record a value of an arm, which answers this many of its decisions."""
        self.engine.update(arm, value, step, self.ledger, feedback.scale)
        self.engine.hold(arm, -answered)

    def status(self, name: Arm) -> Rejection | None:
        """None if there is such an arm, "removed" if there was; otherwise an error."""
        try:
            known = is_name(name)
            if known and (name in self.number or name in self.paused):
                return None
            if known and name in self.removed:
                return "removed"
        except TypeError:  # not hashable
            pass
        raise UnknownNameError(self._unknown(name))

    def add(self, name: Arm) -> None:
        """Add an arm about which nothing is known yet."""
        if not is_name(name):
            raise InvalidValueError(f"the arm is {name!r}; give a name (str) or a number (int).")
        if name in self.number or name in self.paused:
            raise InvalidValueError(f"there is already an arm {name!r}; choose another name.")
        self.engine.add()
        self.removed.discard(name)
        self.ledger = np.concatenate([self.ledger, empty_ledger(1)])
        self._rename([*self.names, plain_name(name)])
        if self.engine.policy.holding is None:
            self.newcomers.welcome(self.names[-1])

    def remove(self, name: Arm) -> None:
        """Remove an arm for good."""
        self.require(name)
        if name in self.paused:
            del self.paused[name]
        else:
            self._require_another(name)
            arm = self.number[name]
            self.engine.remove(arm)
            self._drop(arm)
        self.removed.add(plain_name(name))
        self.newcomers.pop(name, None)

    def pause(self, name: Arm) -> None:
        """Stop choosing an arm for now."""
        self.require(name)
        if name in self.paused:
            return
        self._require_another(name)
        arm = self.number[name]
        row = self.ledger[arm].copy()
        self.paused[self.names[arm]] = PausedArm(row, self.engine.put_aside(arm))
        self._drop(arm)

    def resume(self, name: Arm) -> None:
        """Let a paused arm be chosen again."""
        self.require(name)
        if name not in self.paused:
            return
        self.engine.take_back(self.paused[name].known)
        arm = self.paused.pop(name)
        self.ledger = np.concatenate([self.ledger, arm.row[np.newaxis]])
        self._rename([*self.names, plain_name(name)])

    def reorder(self, names: list[Arm]) -> None:
        """Put the arms that can be chosen into another order."""
        order = [self.number[name] for name in names]
        self.engine.reorder(order)
        self.ledger = self.ledger[order]
        self._rename(names)

    def restart(self, rows: dict[Arm, Ledger]) -> None:
        """Continue with other measurements of the arms; the policy keeps what it knows."""
        for name, row in rows.items():
            if name in self.number:
                self.ledger[self.number[name]] = row
            else:
                self.paused[name] = self.paused[name]._replace(row=row.copy())

    def merge(self, other: Roster) -> None:
        """Add what another roster knows about the same arms; its order may change."""
        if self.paused or other.paused:
            raise InvalidValueError("a bandit has paused arms; resume or remove them, then merge.")
        order = [other.number[name] for name in self.names]
        other.engine.reorder(order)
        self.engine.merge(other.engine)
        self.ledger = merged_ledger(self.ledger, other.ledger[order])
        self.removed |= other.removed
        unseen = [arm for arm, row in self.rows.items() if row[COUNT] == 0.0]
        self.newcomers.merge(other.newcomers, unseen)

    def awake(self, name: Arm) -> AbstractContextManager[int]:
        """The engine's arm with this name; a paused one is resumed temporarily."""
        number = self.number.get(name)
        return self._resumed(name) if number is None else nullcontext(number)

    def fairly(self) -> AbstractContextManager[None]:
        """The engine's arms are those of the next decision: newcomers with too many are put aside.

        Numbers of arms are other ones meanwhile; so look names up within.
        """
        out = self.newcomers.left_out(self.number) if self.newcomers else ()
        return self._without(out) if out else nullcontext()

    @contextmanager
    def _without(self, arms: list[Arm]) -> Iterator[None]:
        names = self.names
        for arm in arms:
            self.pause(arm)
        try:
            yield
        finally:
            for arm in arms:
                self.resume(arm)
            if self.names != names:
                self.reorder(names)

    @contextmanager
    def _resumed(self, name: Arm) -> Iterator[int]:
        self.resume(name)
        try:
            yield self.number[name]
        finally:
            self.pause(name)

    def _drop(self, arm: int) -> None:
        self.ledger = np.delete(self.ledger, arm, axis=0)
        self._rename([name for number, name in enumerate(self.names) if number != arm])

    def require(self, name: Any) -> None:
        """Refuse an arm that is not there, or no longer."""
        if self.status(name) == "removed":
            raise UnknownNameError(f"arm {name!r} was removed; add it again with add_arm.")

    def _require_another(self, name: Arm) -> None:
        if len(self.names) == 1:
            raise InvalidValueError(
                f"{name!r} is the only arm that can be chosen; add or resume another one first."
            )

    def _unknown(self, name: Any) -> str:
        known = [*self.names, *self.paused]
        if known == list(range(len(known))):
            return f"unknown arm {name!r}; the arms are 0 to {len(known) - 1}."
        spelled = {str(arm): arm for arm in known}
        near = difflib.get_close_matches(str(name), spelled, n=1)
        if near:
            return f"unknown arm {name!r}; did you mean {spelled[near[0]]!r}?"
        listed = ", ".join(repr(arm) for arm in known[:10]) + (", ..." if len(known) > 10 else "")
        return f"unknown arm {name!r}; the arms are {listed}."


def is_name(name: object) -> bool:
    """Whether this is a valid name for an arm."""
    return isinstance(name, str | int | np.integer) and not isinstance(name, bool)


def plain_name(name: Arm) -> Arm:
    """The name of an arm as plain text or as a plain number."""
    # The str() of an enumeration member may differ from the string that it is.
    return str.__str__(name) if isinstance(name, str) else int(name)


def read_arms(arms: int | Iterable[Arm]) -> list[Arm]:
    """The arms' names, or a clear error."""
    if isinstance(arms, bool | str | bytes) or arms is None:
        raise invalid("arms", arms, "give a list of names, or the number of arms.")
    if isinstance(arms, int | np.integer):
        if arms < 1:
            raise invalid("arms", arms, "give a whole number, 1 or larger.")
        return list(range(int(arms)))
    try:
        names = list(arms)
    except TypeError as error:
        raise invalid("arms", arms, "give a list of names, or the number of arms.") from error
    for name in names:
        if not is_name(name):
            raise InvalidValueError(f"an arm is {name!r}; give names (str) or numbers (int).")
    if not names:
        raise invalid("arms", arms, "give at least one name.")
    if len(set(names)) < len(names):
        twice = next(name for n, name in enumerate(names) if name in names[:n])
        raise InvalidValueError(
            f"arm {twice!r} is listed twice; arm names must be unique.", field="arms", value=arms
        )
    return [plain_name(name) for name in names]
