"""The verdict that an arm is the best: once it is given, it is kept.

Evidence rises and falls, but its promise is about ever being wrong: so the first verdict may be
kept. It is looked for when the number of outcomes has grown by 1% and one more, never by a view.

After a verdict, outcomes also go to a second ledger, the watch. If the watch alone is sure of
another arm, the verdict is overturned, and the watch takes the ledger's place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, get_args

from lowbid._compile import compiling
from lowbid._require import (
    require,
    require_choice,
    require_confidence,
    require_finite,
    require_whole,
    shown,
)
from lowbid.online._decisions import Arm
from lowbid.online._feedback import Feedback
from lowbid.online._gains import Gains
from lowbid.online._ledger import (
    COUNT,
    Ledger,
    check_ledger,
    empty_ledger,
    record,
    row_from,
    row_to,
)

if TYPE_CHECKING:
    from lowbid.online._core import Core

OnSure = Literal["keep", "stop"]
_GROWTH = 0.01


class Verdict(NamedTuple):
    """The arm that was found to be the best.

    Attributes
    ----------
    arm : str or int
        The arm.
    arms : list
        All arms that it was compared with, and itself.
    since : int
        The step at which it was found.
    evidence : float
        Against the arm that came closest to it.
    """

    arm: Arm
    arms: list[Arm]
    since: int
    evidence: float


class Watch:
    """The outcomes since a verdict: a ledger of their own."""

    def __init__(self, arms: list[Arm]) -> None:
        self.place = {arm: place for place, arm in enumerate(arms)}
        self.ledger = empty_ledger(len(arms))
        self._note: Callable[..., Any] | None = None

    def rows(self) -> dict[Arm, Ledger]:
        """Every arm's row."""
        return {arm: self.ledger[place] for arm, place in self.place.items()}

    def note(self, core: Core, arm: Arm, value: float) -> None:
        """Record an outcome."""
        place, feedback = self.place.get(arm), core.feedback
        if place is None or feedback is None:
            return
        low, width = (feedback.low, feedback.width) if feedback.width > 0.0 else (0.0, 0.0)
        rule = self._note
        if rule is None:
            with compiling(core.engine.compiled):
                rule, is_final = record.bind(self.ledger, 0, 0.0, 0.0, 0.0)
            self._note = rule if is_final else None
        rule(place, value, low, width)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_note": None}


class Verdicts:
    """Whether an arm is known to be the best, and what that takes.

    Attributes
    ----------
    confidence, tolerance, on_sure
        See `Bandit`.
    kept : Verdict or None
        The verdict.
    withdrawn : str
        Why the last verdict does not stand; empty if there was none, or it stands.
    """

    def __init__(
        self, confidence: float = 0.95, tolerance: float = 0.0, on_sure: OnSure = "keep"
    ) -> None:
        self.confidence, self.tolerance, self.on_sure = confidence, tolerance, on_sure
        self.kept: Verdict | None = None
        self.withdrawn = ""
        self.left = 1  # outcomes until the next look
        self._watch: Watch | None = None

    def to_data(self) -> dict[str, Any]:
        """Everything, as plain data."""
        watch = None if self._watch is None else self._watch.rows().items()
        return {
            "confidence": self.confidence,
            "tolerance": self.tolerance,
            "on_sure": self.on_sure,
            "kept": None if self.kept is None else self.kept._asdict(),
            "withdrawn": self.withdrawn,
            "left": self.left,
            "watch": None if watch is None else [row_to(arm, row) for arm, row in watch],
        }

    @classmethod
    def from_data(cls, saved: dict[str, Any], feedback: Feedback | None) -> Self:
        """Restore what `to_data` returned, or raise an error if it cannot have been so."""
        verdicts = cls()
        verdicts.set(saved["confidence"], saved["tolerance"], saved["on_sure"], feedback)
        verdicts.withdrawn = str(saved["withdrawn"])
        verdicts.left = require_whole("left", saved["left"], at_least=0)
        if saved["kept"] is not None:
            kept = Verdict(**saved["kept"])
            require(
                kept.arm in kept.arms, f"the verdict is for {shown(kept.arm)}, which is no arm."
            )
            require_whole("since", kept.since)
            verdicts.kept = kept
        if saved["watch"] is not None:
            verdicts._watch = Watch([row["name"] for row in saved["watch"]])
            verdicts._watch.ledger[:] = [row_from(row) for row in saved["watch"]]
            check_ledger(verdicts._watch.ledger)
        return verdicts

    def set(
        self, confidence: Any, tolerance: Any, on_sure: Any, feedback: Feedback | None = None
    ) -> bool:
        """Set what is not None; whether that asks for another verdict. All or nothing."""
        now = self.confidence, self.tolerance
        confidence = now[0] if confidence is None else confidence
        tolerance = now[1] if tolerance is None else tolerance
        on_sure = self.on_sure if on_sure is None else on_sure
        require_confidence(confidence)
        require_tolerance(tolerance, feedback)
        if not isinstance(on_sure, str) or on_sure not in get_args(OnSure):
            require(
                not isinstance(on_sure, int | float),
                f'on_sure is {on_sure!r}; give "keep" or "stop". Confidence is a setting of its '
                "own.",
            )
            require_choice("on_sure", on_sure, get_args(OnSure))
        self.confidence, self.tolerance = float(confidence), float(tolerance)
        self.on_sure = on_sure
        return now != (self.confidence, self.tolerance)

    def stands_for(self, confidence: float, tolerance: float) -> bool:
        """Whether a verdict is kept that says what is asked, or more."""
        strict = self.confidence >= confidence and self.tolerance <= tolerance
        return self.kept is not None and strict

    def winner(self, core: Core) -> int | None:
        """The engine's arm that all decisions go to, if decisions are to stop with the verdict."""
        if self.kept is None or self.on_sure != "stop":
            return None
        return core.roster.number.get(self.kept.arm)

    def withdraw(self, why: str) -> None:
        """Start anew, with a new promise of the error; the outcomes so far count."""
        if self.kept is not None:
            self.withdrawn = why
        self.kept = self._watch = None
        self.left = 1

    def without(self, arm: Arm, why: str) -> None:
        """Continue without an arm: a verdict for it does not stand."""
        if self.kept is not None and self.kept.arm == arm:
            self.withdraw(f"{arm!r} was the best arm, and {why}.")

    def count(self, core: Core, arm: Arm, value: float) -> None:
        """Take note of an outcome that the ledger has; look if it is time."""
        if self._watch is not None:
            self._watch.note(core, arm, value)
        if self.left <= 0:
            self.look(core)

    def look(self, core: Core) -> None:
        """Look whether an arm is now known to be the best, or the verdict is overturned."""
        rows = core.roster.rows
        if self._watch is not None:
            rows = {arm: row for arm, row in self._watch.rows().items() if arm in rows}
        self.left = int(_GROWTH * sum(row[COUNT] for row in rows.values())) + 1
        if core.engine.policy.forgets:
            return
        gains = Gains(rows, core.feedback, core.engine.compiled)
        best, limit = gains.leader(), limit_of(len(rows), self.confidence)
        kept = None if self.kept is None else self.kept.arm
        if best == kept or best not in core.roster.number:
            return
        if best is None or not gains.is_best(best, self.tolerance, limit):
            return
        if self.kept is not None:
            self._overturn(core, rows, best)
            return
        others = (arm for arm in rows if arm != best)
        least = min(gains.evidence(best, arm, -self.tolerance) for arm in others)
        self.kept = Verdict(best, list(rows), core.engine.step, least)
        self._watch = Watch(list(rows))

    def _overturn(self, core: Core, rows: dict[Arm, Ledger], best: Arm) -> None:
        """Continue with what was seen since the verdict."""
        kept = self.kept
        core.roster.restart(rows)
        self.withdraw(
            f"{kept.arm!r} was the best arm, since step {kept.since}. Since then {best!r} has "  # type: ignore[union-attr]
            "proved better: the world has changed, or this was the rare error."
        )


def limit_of(n_arms: int, confidence: float) -> float:
    """The evidence against every other arm that makes sure of the best.

    A wrong verdict rejects a pair of the arm named and a best one wrongly, and of these pairs there
    are n_arms - 1 at most: so the error is divided among that many.
    """
    return math.log(max(n_arms - 1, 1) / (1.0 - confidence))


def require_tolerance(tolerance: Any, feedback: Feedback | None) -> None:
    """Refuse what is negative or not a number, or makes every arm the best."""
    require_finite("tolerance", tolerance, above=0.0, or_equal=True)
    width = math.inf if feedback is None or feedback.width == 0.0 else feedback.width
    require(
        tolerance < width,
        f"tolerance is {tolerance!r}, and outcomes are at most {width:g} apart: every arm is "
        "within this tolerance; give a smaller one.",
    )
