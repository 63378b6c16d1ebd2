"""Which reading of the paper's suggestion works: batches that bid policies, and their rivals."""

from lowbid.experiments.mdp._contenders import CONTENDERS, Contender, quick_contenders
from lowbid.experiments.mdp._mdp_page import print_summary, write_up
from lowbid.experiments.mdp._places import PLACES, Place, places_named
from lowbid.experiments.mdp._reading_claims import Study, claims
from lowbid.experiments.mdp._trials import Trial, Trials, play, trials

__all__ = [
    "CONTENDERS",
    "PLACES",
    "Contender",
    "Place",
    "Study",
    "Trial",
    "Trials",
    "claims",
    "places_named",
    "play",
    "print_summary",
    "quick_contenders",
    "trials",
    "write_up",
]
