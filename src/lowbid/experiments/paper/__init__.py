"""The experiments of the Batch Ensemble paper: its tests, its claims, and verdicts on them."""

from lowbid.experiments.paper._cases import HORIZON, POLICIES, RUNS, TITLES
from lowbid.experiments.paper._claims import CLAIMS, Claim
from lowbid.experiments.paper._evidence import difference as difference
from lowbid.experiments.paper._judge import Judged, judge, tally
from lowbid.experiments.paper._recorded import differences, recorded
from lowbid.experiments.paper._report import KIND as KIND
from lowbid.experiments.paper._report import write_up as write_up
from lowbid.experiments.paper._reproduce import Plan, reproduce
from lowbid.experiments.paper._settings import SETTINGS, choose

__all__ = [
    "CLAIMS",
    "HORIZON",
    "POLICIES",
    "RUNS",
    "SETTINGS",
    "TITLES",
    "Claim",
    "Judged",
    "Plan",
    "choose",
    "differences",
    "judge",
    "recorded",
    "reproduce",
    "tally",
]
