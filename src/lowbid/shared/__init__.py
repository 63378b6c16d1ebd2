"""A bandit that several processes share: a log of events in a store, and the state it implies.

The way of a call
-----------------
`SharedBandit.decide` makes a call, a `Decide`, and puts it into the queue (`GroupCommit`): `submit`
for a thread, which waits, or `submit_async` for an event loop, which gets a future. Whoever leads
takes all that is waiting and has it carried out in one transaction (`SharedLog.carry_out`):

1. follow: take the bandit's lock, read the events that others have written since, and apply them to
   the replica of its state (`Replica.apply`);
2. look up what the calls ask for, such as earlier answers to their request ids (`KeyedMemory`);
3. for each call: `plan` says what is to be done, an answer that is already known included; the
   replica decides (`Replica.decide`) or applies an event; `conclude` makes the answer;
4. append the events, write the memory, occasionally a snapshot, and commit;
5. give the answers to the threads and event loops that wait.

A call is a command. What it did is an event, a fact: other processes apply it and decide nothing.
If anything fails on the way, nothing has happened, and the replica is rebuilt from the log.

Where things are
----------------
Calls: `_deciding`, `_reporting`, `_correcting`, `_calls` (the small ones). Facts: `_events`.
State: `_replica`, with `_windows` (outcomes that are waited for), `_holdout`, `_timeline`,
`_corrections` (known before they are due) and the core of `lowbid.online`. Idempotent requests:
`_idempotency` and `_memory`. Sticky units: `_sticky`. Propensities that a policy cannot compute:
`_propensities`. Views as JSON: `as_data`. Where events are kept: `stores`. Processes that decide in
memory and exchange totals: `fleet`.
"""

from lowbid.shared._bandit_summary import BanditSummary
from lowbid.shared._calls import Call as Call
from lowbid.shared._calls import Forget as Forget
from lowbid.shared._correcting import AMEND as AMEND
from lowbid.shared._correcting import AMEND_MANY as AMEND_MANY
from lowbid.shared._correcting import Amend as Amend
from lowbid.shared._correcting import Void as Void
from lowbid.shared._deciding import Decide as Decide
from lowbid.shared._deciding import TooManyPendingError as TooManyPendingError
from lowbid.shared._decision import LoggedDecision
from lowbid.shared._events import LoggedEvent as LoggedEvent
from lowbid.shared._export import LogEntry
from lowbid.shared._lift import Lift
from lowbid.shared._open import delete_bandit as delete_bandit
from lowbid.shared._open import list_bandits as list_bandits
from lowbid.shared._open import open
from lowbid.shared._open import rename_bandit as rename_bandit
from lowbid.shared._reporting import ANSWER as ANSWER
from lowbid.shared._reporting import Answer as Answer
from lowbid.shared._reporting import InvalidOutcomeError as InvalidOutcomeError
from lowbid.shared._reporting import Report as Report
from lowbid.shared._reporting import answering as answering
from lowbid.shared._shared_bandit import SharedBandit
from lowbid.shared._shared_log import Compaction
from lowbid.shared._timeline import ArmShares
from lowbid.shared.fleet import FleetBandit, FleetStatus

__all__ = [
    "ArmShares",
    "BanditSummary",
    "Compaction",
    "FleetBandit",
    "FleetStatus",
    "Lift",
    "LogEntry",
    "LoggedDecision",
    "SharedBandit",
    "open",
]
