"""Who plays in the league: the policies that need to know nothing of the losses."""

from __future__ import annotations

from typing import Literal, NamedTuple

from lowbid import policies
from lowbid.errors import InvalidValueError
from lowbid.experiments._names import policies_of_text
from lowbid.policies import BatchEnsemble, Policy
from lowbid.schedules import Logarithmic


class Entrant(NamedTuple):
    """A policy in the league.

    Attributes
    ----------
    policy : Policy
        The rule.
    longest : int
        The longest horizon that it plays: a rule that looks at all its past losses in every step
        would take days for a million steps.
    share : float
        The part of the usual number of runs that it plays.
    """

    policy: Policy
    longest: int = 1_000_000
    share: float = 1.0


def _ensemble(
    c: float, least: int, baseline: Literal["minimum", "robust"] = "minimum"
) -> BatchEnsemble:
    return BatchEnsemble(batches=Logarithmic(c, least=least), baseline=baseline)


def _slow(policy: Policy) -> Entrant:
    return Entrant(policy, longest=10_000, share=0.2)


ENTRANTS = {
    "MomentIMED": Entrant(policies.MomentIMED()),
    "BatchLikelihood": Entrant(policies.BatchLikelihood()),
    "RBSDA": Entrant(policies.RBSDA()),
    "RBSDA, forced": Entrant(policies.RBSDA(forced_exploration=True)),
    "LBSDA": Entrant(policies.LBSDA()),
    "WRSDA": _slow(policies.WRSDA()),
    "SSMC": _slow(policies.SSMC()),
    "BESA": _slow(policies.BESA()),
    "RDS": _slow(policies.RDS()),
    "MARS": _slow(policies.MARS()),
    "Gaussian IMED": Entrant(policies.IMED.gaussian_unknown_variance()),
    "Gaussian KL-UCB": Entrant(policies.KLUCB.gaussian_unknown_variance()),
    "BatchEnsemble, 0.4 log t": Entrant(_ensemble(0.4, 1)),
    "BatchEnsemble, 2 and 0.4 log t": Entrant(_ensemble(0.4, 2)),
    "BatchEnsemble, 2 and 0.6 log t": Entrant(_ensemble(0.6, 2)),
    "BatchEnsemble, 2 and 0.8 log t": Entrant(_ensemble(0.8, 2)),
    "BatchEnsemble, robust": Entrant(_ensemble(0.6, 2, "robust")),
    "QuantileOfMeans": Entrant(
        policies.BatchEnsemble(
            batches=Logarithmic(1.6, least=4), padding=1.0, baseline="robust", quantile=0.25
        )
    ),
    "UniformPlay": Entrant(policies.UniformPlay(), 100_000),
}


def entrants(more: str | None = None, *, alone: bool = False) -> dict[str, Entrant]:
    """Who plays: the entrants above, and more policies, by name as on the command line."""
    if alone and not more:
        raise InvalidValueError("nobody would play: give --policies with --alone.")
    named = {
        policy.name: ENTRANTS.get(policy.name, Entrant(policy))
        for policy in policies_of_text(more or "")
    }
    return named if alone else {**ENTRANTS, **named}
