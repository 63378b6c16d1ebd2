"""How much one client may ask for, so that it does not stop the others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of a service.

    Attributes
    ----------
    body_bytes : int
        The size of a request's body.
    body_seconds : float
        How long a body may take to arrive.
    arms : int
        How many arms an experiment may have.
    decisions : int
        How many decisions one request may make.
    outcomes : int
        How many outcomes one request may report.
    open_decisions : int
        How many decisions of an experiment may wait for their outcomes.
    """

    body_bytes: int = 2_000_000
    body_seconds: float = 20.0
    arms: int = 10_000
    decisions: int = 1_000
    outcomes: int = 10_000
    open_decisions: int = 1_000_000
