"""A bandit for use in a product."""

from lowbid.online._assign import assign
from lowbid.online._bandit import Bandit
from lowbid.online._compare import Comparison
from lowbid.online._core import Core as Core
from lowbid.online._decisions import Arm as Arm
from lowbid.online._decisions import Decision
from lowbid.online._decisions import Decisions as Decisions
from lowbid.online._decisions import Rejection as Rejection
from lowbid.online._explain import ExplainedArm as ExplainedArm
from lowbid.online._explain import Explanation
from lowbid.online._explain import explained as explained
from lowbid.online._feedback import LOW as LOW
from lowbid.online._feedback import WIDTH as WIDTH
from lowbid.online._feedback import Feedback as Feedback
from lowbid.online._feedback import Kind as Kind
from lowbid.online._feedback import Range as Range
from lowbid.online._feedback import feedback_for as feedback_for
from lowbid.online._feedback import policy_for as policy_for
from lowbid.online._gains import Difference
from lowbid.online._given import MANY as MANY
from lowbid.online._given import ONE as ONE
from lowbid.online._given import read_feedback as read_feedback
from lowbid.online._given import read_kind as read_kind
from lowbid.online._given import read_list as read_list
from lowbid.online._given import read_number_of_decisions as read_number_of_decisions
from lowbid.online._given import read_value as read_value
from lowbid.online._learn import read_for as read_for
from lowbid.online._ledger import COUNT as COUNT
from lowbid.online._ledger import MEAN as MEAN
from lowbid.online._ledger import Ledger as Ledger
from lowbid.online._ledger import check_ledger as check_ledger
from lowbid.online._ledger import empty_ledger as empty_ledger
from lowbid.online._ledger import merged_ledger as merged_ledger
from lowbid.online._ledger import record as record
from lowbid.online._ledger import row_from as row_from
from lowbid.online._ledger import row_to as row_to
from lowbid.online._recommend import ArmInterval as ArmInterval
from lowbid.online._recommend import Recommendation
from lowbid.online._recommend import arm_intervals as arm_intervals
from lowbid.online._recommend import recommended as recommended
from lowbid.online._roster import is_name as is_name
from lowbid.online._roster import plain_name as plain_name
from lowbid.online._roster import read_arms as read_arms
from lowbid.online._saved import decoded as decoded
from lowbid.online._saved import encoded as encoded
from lowbid.online._saved_policy import policy_from as policy_from
from lowbid.online._saved_policy import policy_to as policy_to
from lowbid.online._sequences import asymptotic_sequence as asymptotic_sequence
from lowbid.online._sequences import widened as widened
from lowbid.online._views import BanditViews as BanditViews
from lowbid.online._views import Seen as Seen
from lowbid.online._views import described as described

__all__ = [
    "Bandit",
    "Comparison",
    "Decision",
    "Difference",
    "Explanation",
    "Recommendation",
    "assign",
]
