"""What would have happened: policies evaluated on a log."""

from lowbid.offline._evaluate import Evaluation, OffPolicyEstimate, evaluate
from lowbid.offline._replay import Replay, ReplayRow, ReplaySummary, replay

__all__ = [
    "Evaluation",
    "OffPolicyEstimate",
    "Replay",
    "ReplayRow",
    "ReplaySummary",
    "evaluate",
    "replay",
]
