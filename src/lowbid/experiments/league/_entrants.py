"""Who plays in the league, and who does not."""

from __future__ import annotations

from lowbid.errors import InvalidValueError
from lowbid.experiments._names import policies_of_text
from lowbid.experiments.league._league_settings import LEAGUE
from lowbid.experiments.sweeps import Sweep, SweptPolicy

ENTRANTS = {entrant.name: entrant for entrant in LEAGUE.policies}

_PROPORTIONAL = "its regret is linear in time, like that of UniformPlay, which is in the league"
_CHANGING = "it is for arms that change, and the league's arms do not"
_COUNTS = "it is for Poisson losses, and no setting has them"
# The constructors of policies that play in neither league, each with the reason.
LEFT_OUT = {
    "Greedy": _PROPORTIONAL,
    "EpsilonGreedy": _PROPORTIONAL,
    "DiscountedBetaThompson": _CHANGING,
    "DiscountedGaussianThompson": _CHANGING,
    "DiscountedUCB": _CHANGING,
    "SlidingWindowBetaThompson": _CHANGING,
    "SlidingWindowGaussianThompson": _CHANGING,
    "SlidingWindowLBSDA": _CHANGING,
    "SlidingWindowUCB": _CHANGING,
    "IMED.poisson": _COUNTS,
    "KLMaillard.poisson": _COUNTS,
    "KLUCB.poisson": _COUNTS,
    "KLUCBPlus.poisson": _COUNTS,
    "KLUCBPlusPlus.poisson": _COUNTS,
}


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
