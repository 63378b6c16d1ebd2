"""A bandit that several processes share: a log of events in a store, and the state it implies."""

from lowbid.shared._bandit import SharedBandit
from lowbid.shared._decision import LoggedDecision
from lowbid.shared._events import LoggedEvent as LoggedEvent
from lowbid.shared._export import LogEntry
from lowbid.shared._lift import Lift
from lowbid.shared._log import Compaction
from lowbid.shared._open import delete_bandit as delete_bandit
from lowbid.shared._open import list_bandits as list_bandits
from lowbid.shared._open import open
from lowbid.shared._open import rename_bandit as rename_bandit
from lowbid.shared._summary import BanditSummary
from lowbid.shared._timeline import ArmShares

__all__ = [
    "ArmShares",
    "BanditSummary",
    "Compaction",
    "Lift",
    "LogEntry",
    "LoggedDecision",
    "SharedBandit",
    "open",
]
