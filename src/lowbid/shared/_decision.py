"""Decisions of a shared bandit, with the information that the log has about each."""

from __future__ import annotations

from typing import Literal, Self

from lowbid.online import Arm, Decision
from lowbid.shared._events import BY_POLICY, HELD_OUT, STICKY

Way = Literal["policy", "sticky", "holdout"]
_WAYS: dict[str, Way] = {BY_POLICY: "policy", STICKY: "sticky", HELD_OUT: "holdout"}


def way_of(letter: str) -> Way:
    """How an arm was chosen, from the letter in an event."""
    return _WAYS.get(letter, "policy")


class LoggedDecision(Decision):
    """One arm, chosen once, and how it was chosen.

    It is equal to ``lowbid.Decision(arm, id)``, which is enough to report its outcome.

    Attributes
    ----------
    arm : str or int
        The arm that was chosen.
    id : str
        The id to report the outcome with, from any process.
    propensity : float or None
        The probability with which the arm was chosen: 1 if the unit had it already or is held out,
        None if the policy cannot compute it at once.
    version : int
        The state that the decision was made from, as the number of its last event.
    way : {"policy", "sticky", "holdout"}
        How the arm was chosen.
    """

    propensity: float | None
    version: int
    way: Way

    def __new__(
        cls,
        arm: Arm,
        id: str,
        propensity: float | None = None,
        version: int = 0,
        way: str = BY_POLICY,
    ) -> Self:
        decision = tuple.__new__(cls, (arm, id))
        decision.propensity, decision.version = propensity, version
        decision.way = _WAYS.get(way, "policy")
        return decision
