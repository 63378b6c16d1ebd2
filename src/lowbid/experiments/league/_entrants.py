"""Who plays in the league: the policies that need to know nothing about the losses."""

from __future__ import annotations

from lowbid.errors import InvalidValueError
from lowbid.experiments._names import policies_of_text
from lowbid.experiments.league._league_settings import LEAGUE
from lowbid.experiments.sweeps import SweptPolicy

ENTRANTS = {entrant.name: entrant for entrant in LEAGUE.policies}


def entrants(more: str | None = None, *, alone: bool = False) -> list[SweptPolicy]:
    """The entrants above and any further policies, by command-line name."""
    if alone and not more:
        raise InvalidValueError("nobody would play: give --policies with --alone.")
    guests = {
        policy.name: ENTRANTS.get(policy.name, SweptPolicy(policy.name, policy.name, policy))
        for policy in policies_of_text(more or "")
    }
    return list((guests if alone else {**ENTRANTS, **guests}).values())
