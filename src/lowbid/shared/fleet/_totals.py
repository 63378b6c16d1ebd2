"""What processes have learned, as totals that add up in any grouping."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from lowbid._random import Stream
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.online import Arm, Core, Decisions, Ledger, decoded, encoded, merged_ledger
from lowbid.policies import Policy, arrays_of, copy_of
from lowbid.shared._holdout import Holdout
from lowbid.shared.fleet._settings import FleetSettings


class Totals(NamedTuple):
    """What one or more processes have learned about the same arms in the same order.

    Attributes
    ----------
    state
        The policy's state, in which decisions of these processes are pending.
    ledger : array
        The measurements of each arm.
    step : int
        One more than the number of steps.
    holdout : Holdout
        The outcomes of units that are held out, and of the others.
    """

    state: Any
    ledger: Ledger
    step: int
    holdout: Holdout


def totals_of(learned: Learned) -> Totals:
    """What a process has learned; shares its arrays."""
    core, holdout = learned
    return Totals(core.engine.state, core.roster.ledger, core.engine.step, holdout)


def added(policy: Policy, parts: Iterable[Totals]) -> Totals | None:
    """The totals of several, which are not changed; None if there are none."""
    total: Totals | None = None
    for part in parts:
        if total is None:
            total = Totals(copy_of(part.state), part.ledger.copy(), part.step, Holdout(""))
        else:
            state = policy.merge(total.state, part.state)
            ledger = merged_ledger(total.ledger, part.ledger)
            total = Totals(state, ledger, total.step + part.step - 1, total.holdout)
        total.holdout.add(part.holdout)
    return total


def require_totals(policy: Policy, n_arms: int, horizon: int | None) -> None:
    """Refuse a policy whose states do not add up, or grow with every loss."""
    small, large = (policy.start(n_arms, horizon, steps)[1] for steps in (1 << 10, 1 << 16))
    try:
        policy.merge(small, small)
    except InvalidValueError as error:
        raise InvalidValueError(
            f"{policy.name} cannot be played by a fleet: what its processes learn does not add up "
            f"to totals ({error})"
        ) from error
    if _size(large) > 8 * _size(small):
        raise InvalidValueError(
            f"{policy.identity} cannot be played by a fleet: it keeps every single loss, and "
            "processes exchange totals only. Choose a policy that does not, such as the default "
            'or BatchEnsemble(growth="append").'
        )


def _size(state: Any) -> int:
    return sum(array.size for array in arrays_of(state))


# Rows: what a process has learned, as it is stored


class Learned(NamedTuple):
    """What a process has learned.

    Attributes
    ----------
    core : Core
        What its policy knows.
    holdout : Holdout
        The outcomes of units that are held out, and of the others.
    """

    core: Core
    holdout: Holdout


def row_of(learned: Learned) -> bytes:
    """The body of a row: a saved bandit; only the numbers of its pending decisions matter."""
    core, holdout = learned
    decisions = Decisions.under(core.decisions.word)
    bare = Core(core.policy, core.engine, core.roster, decisions, core.feedback, core.expiry)
    pending = [[arm, n] for arm, n in core.decisions.count_by_arm().items()]
    head = json.dumps({"pending": pending, "groups": holdout.groups_to_data()})
    return zlib.compress(f"{head}\n{encoded(bare)}".encode(), 1)


def read_row(body: bytes, settings: FleetSettings, policy: Policy, where: str) -> Learned:
    """Restore a row, fitted to the arms that there are now, or raise a clear error."""
    try:
        head, _, text = zlib.decompress(body).decode().partition("\n")
        holdout = Holdout("")
        holdout.groups_from_data(json.loads(head)["groups"])
    except (zlib.error, LookupError, TypeError, ValueError) as error:
        raise FileFormatError(f"{where} is damaged; restore the store from a copy.") from error
    core = decoded(text, policy, where, "never")
    fit(core, settings.arms)
    return Learned(core, holdout)


def read_pending(body: bytes) -> dict[Arm, int]:
    """How many decisions of each arm are pending in a row that was read before."""
    head, _, _ = zlib.decompress(body).decode().partition("\n")
    return {arm: int(n) for arm, n in json.loads(head)["pending"]}


def fit(core: Core, arms: tuple[Arm, ...]) -> None:
    """Add the arms that a core does not know, drop those that are gone, and order them."""
    roster = core.roster
    for arm in arms:
        if arm not in roster.number:
            roster.add(arm)
    for arm in set(roster.names).difference(arms):
        roster.remove(arm)
    if roster.names != list(arms):
        roster.reorder(list(arms))


def release(core: Core, pending: dict[Arm, int]) -> None:
    """Forget pending decisions, whose process is gone."""
    for arm, n in pending.items():
        if arm in core.roster.number:
            core.engine.hold(core.roster.number[arm], -n)


def leading(core: Core, totals: Totals, stream: Stream) -> Core:
    """A core that decides by totals, draws from a stream, and shares decisions with another one."""
    engine = core.engine
    capacity = engine.capacity
    while capacity < totals.step:
        capacity *= 2
    names, feedback = list(core.roster.names), core.feedback
    lead = Core.new(names, core.policy, 0, engine.horizon, feedback, core.expiry, engine.compiled)
    lead.engine.adopt(totals.state, totals.step, capacity, stream)
    lead.roster.ledger = totals.ledger
    lead.decisions = core.decisions
    return lead
