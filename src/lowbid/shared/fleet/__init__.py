"""A bandit of many processes that decide on their own and exchange totals occasionally.

A decision: `FleetBandit.decide` -> `Member.decide` -> the policy's `select`, in memory. An
exchange: `Exchange.run` writes this process's row (`row_of`: a saved bandit with its own outcomes
only), reads the rows that changed (`read_row`), adds up all of them (`added`), and lets
`Member.absorb` decide by the sum. Rows are replaced and never added to, so nothing counts twice, in
whatever order they are written and read.
"""

from lowbid.shared.fleet._bandit import FleetBandit, FleetStatus
from lowbid.shared.fleet._open import open_fleet
from lowbid.shared.fleet._settings import FLEET_FORMAT as FLEET_FORMAT

__all__ = ["FleetBandit", "FleetStatus", "open_fleet"]
