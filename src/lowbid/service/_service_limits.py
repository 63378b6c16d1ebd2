"""Limits on the requests of one client, so that it does not starve the others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of a service.

    Attributes
    ----------
    header_bytes : int
        The largest size of a request's address and headers.
    header_seconds : float
        How long they may take to arrive.
    connections : int
        The largest number of connections; also, at most half of the files that the process may
        open. One more is made room for by closing the one that has not sent a request for longest.
    write_seconds : float
        How long an answer may wait for its reader to read on.
    streams : int
        The largest number of logs and lists of pending decisions that are sent at once.
    body_bytes : int
        The largest size of a request's body.
    body_seconds : float
        How long a body may take to arrive.
    arms : int
        The largest number of arms in an experiment.
    decisions : int
        The largest number of decisions per request.
    outcomes : int
        The largest number of outcomes per request.
    open_decisions : int
        The largest number of decisions per experiment whose outcomes are pending.
    """

    header_bytes: int = 32_768
    header_seconds: float = 10.0
    connections: int = 1_000
    write_seconds: float = 30.0
    streams: int = 20
    body_bytes: int = 2_000_000
    body_seconds: float = 20.0
    arms: int = 10_000
    decisions: int = 1_000
    outcomes: int = 10_000
    open_decisions: int = 1_000_000
