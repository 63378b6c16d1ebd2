"""Who plays in the league, and who does not."""

from __future__ import annotations

from lowbid import policies
from lowbid.errors import InvalidValueError
from lowbid.experiments.league._league_settings import LEAGUE, TOLD
from lowbid.experiments.names import policies_of_text
from lowbid.experiments.sweeps import Sweep, SweptPolicy

ENTRANTS = {entrant.name: entrant for entrant in LEAGUE.policies}

_PROPORTIONAL = "its regret is linear in time, like that of UniformPlay, which is in the league"
_CHANGING = "it is for arms that change, and the league's arms do not"
_COUNTS = "it is for Poisson losses, and no setting has them"
_WRAPPER = "it changes losses for another policy"
_NEW = "it has not been entered yet"


def left_out() -> dict[str, str]:
    """The constructors of policies that play in neither league, each with the reason."""
    playing = {name for entrant in (*LEAGUE.policies, *TOLD.policies) for name in _made_by(entrant)}
    return {
        name: _reason(name, cls.variants()[0].about.family)
        for cls in (getattr(policies, each) for each in policies.__all__)
        for name in cls.constructors()
        if name not in playing
    }


def _made_by(entrant: SweptPolicy) -> list[str]:
    """How an entrant's policy is made, without its parameters; with the one within a wrapper."""
    within = [entrant.policy]
    while hasattr(within[-1], "policy"):
        within.append(within[-1].policy)
    return [policy.name.partition("(")[0] for policy in within]


def _reason(name: str, family: str) -> str:
    if name in ("Greedy", "EpsilonGreedy"):
        return _PROPORTIONAL
    if name.endswith(".poisson"):
        return _COUNTS
    return {"forgetting": _CHANGING, "wrapper": _WRAPPER}.get(family, _NEW)


def entrants(
    more: str | None = None, *, alone: bool = False, league: Sweep = LEAGUE
) -> list[SweptPolicy]:
    """The entrants of a league and any further policies, by command-line name."""
    if alone and not more:
        raise InvalidValueError("there are no entrants: give --policies with --alone.")
    own = {entrant.name: entrant for entrant in league.policies}
    guests = {
        policy.name: own.get(policy.name, SweptPolicy(policy.name, policy.name, policy))
        for policy in policies_of_text(more or "")
    }
    return list((guests if alone else {**own, **guests}).values())
