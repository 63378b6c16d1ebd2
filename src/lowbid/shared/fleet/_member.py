"""One process of a fleet: what it learned itself, and what it decides by. No store, no thread."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Iterable
from typing import Any, NamedTuple

from lowbid._compile import When
from lowbid._random import key, stream_of_run
from lowbid.online import COUNT, Arm, Core, Decision, Decisions, Rejection
from lowbid.policies import Policy
from lowbid.shared._holdout import Holdout, is_held_out
from lowbid.shared._lift import DECIDED, HELD_OUT
from lowbid.shared.fleet._settings import FleetSettings
from lowbid.shared.fleet._totals import (
    Learned,
    Totals,
    added,
    fit,
    leading,
    read_pending,
    release,
    totals_of,
)

# A decision stands for at most this many unseen ones of other processes.
_MOST_UNSEEN = 1_000_000


class Outcome(NamedTuple):
    """An outcome that this process was told.

    Attributes
    ----------
    arm : str or int
        Its arm.
    value : float
        What was measured.
    group : int
        Whether its unit was held out (`HELD_OUT`) or not (`DECIDED`).
    """

    arm: Arm
    value: float
    group: int


class Member:
    """The state of one process.

    Attributes
    ----------
    process : str
        Its id, which is the key of its row.
    own : Core
        What it learned itself since its row began, and its open decisions.
    lead : Core
        What it decides by: the totals of all processes as of the last exchange, and what it has
        learned since.
    holdout, groups : Holdout
        Units that are held out, and the others: this process's, and the whole fleet's.
    since : list of Outcome
        The outcomes that are not known to be in the store.
    weight : int
        How many decisions the fleet makes while this process makes one. Each counts as that many
        pending ones until the next exchange, so that many processes do not all try the same arm.
    """

    def __init__(
        self, settings: FleetSettings, policy: Policy, process: str, compiled: When | None
    ) -> None:
        self.settings, self.policy, self.process = settings, policy, process
        self._compiled = compiled
        self.feedback = settings.feedback(policy)
        self.own, self.since, self.weight = self._new_core(), list[Outcome](), 1
        self.holdout = Holdout(self.own.decisions.word)
        self._others: Totals | None = None
        self._steps_of_others = self._steps_before = 0
        stream = stream_of_run(
            key(settings.settings.seed, policy.stream_name), int(process[:8], 16)
        )
        self.lead = self._new_core()
        self.lead.engine.stream = stream
        self._lead_again()

    def _new_core(self) -> Core:
        settings = self.settings
        core = Core.new(
            list(settings.arms),
            self.policy,
            settings.settings.seed,
            settings.settings.horizon,
            self.feedback,
            settings.settings.expiry,
            self._compiled,
        )
        core.roster.removed.update(settings.removed)
        return core

    # Decide, and learn

    def decide(self, unit: str | None) -> Decision:
        """Choose an arm; its outcome is pending here, and stands for unseen ones elsewhere."""
        settings = self.settings.settings
        if unit is not None and is_held_out(unit, settings.seed, settings.holdout):
            return self.holdout.decide(settings.control)  # type: ignore[arg-type]
        self._expire()
        engine, roster = self.lead.engine, self.lead.roster
        with roster.fairly():
            arm = roster.names[engine.select()]
        engine.hold(roster.number[arm], self.weight)
        engine.step += 1
        return self.own.await_outcome(self.own.roster.number[arm])

    def status(self, what: Arm | Decision) -> Rejection | None:
        """None if feedback for this can be recorded, otherwise the reason why not."""
        if isinstance(what, Decision) and self._is_held_out(what):
            return self.holdout.decisions.status(what)
        return self.own.status(what)

    def take_in(self, what: Arm | Decision, value: float) -> None:
        """Record a value that has been checked, of what has no status that speaks against it."""
        if not isinstance(what, Decision):
            self._learn(Outcome(what, value, DECIDED), answered=0)
        elif self._is_held_out(what):
            self.holdout.decisions.close(what)
            self._learn(Outcome(what.arm, value, HELD_OUT), answered=1)
        else:
            self.own.decisions.close(what)
            self._learn(Outcome(what.arm, value, DECIDED), answered=1)

    def _learn(self, outcome: Outcome, answered: int) -> None:
        """Record an outcome that is new to the fleet."""
        own, lead = self.own, self.lead
        if outcome.group == DECIDED:
            number = own.roster.number[outcome.arm]
            if lead.roster.number.get(outcome.arm) == number:
                own.engine.policy.deal_alike(own.engine.state, lead.engine.state, number)
            own.learn(outcome.arm, outcome.value, answered)
            lead.learn(outcome.arm, outcome.value, answered)
        if self.settings.settings.holdout > 0.0:
            self.holdout.record(outcome.group, outcome.value, self.feedback)
        self.since.append(outcome)

    def _is_held_out(self, decision: Decision) -> bool:
        return isinstance(decision.id, str) and self.holdout.has(decision.id)

    def forget(self, decision: Decision) -> Rejection | None:
        """Discard a pending decision."""
        if self._is_held_out(decision):
            rejection = self.holdout.decisions.status(decision)
            self.holdout.decisions.close(decision)
            return rejection
        rejection = self.own.forget(decision)
        if rejection is None:
            self.lead.release(decision.arm)
        return rejection

    def _expire(self) -> None:
        own = self.own
        if own.expiry is not None:
            for decision in own.decisions.expired(before=own.engine.step - own.expiry):
                own.release(decision.arm)
                self.lead.release(decision.arm)

    # Exchange

    def copy_of_own(self) -> tuple[Learned, int]:
        """What this process has learned, and how many of the outcomes since are in it."""
        return copy.deepcopy(Learned(self.own, self.holdout)), len(self.since)

    def confirm(self, outcomes: int) -> None:
        """The first of the outcomes since are in the store."""
        del self.since[:outcomes]

    def absorb(self, others: Totals | None, settings: FleetSettings) -> None:
        """Decide from now on by what the others have learned, as just read, and by one's own."""
        if settings != self.settings:
            gone = set(self.settings.arms).difference(settings.arms)
            self.settings = settings
            fit(self.own, settings.arms)
            for arm in gone:
                self.own.decisions.remove_arm(arm)
        self._others = others
        self._weigh(0 if others is None else others.step - 1)
        self._lead_again()

    def begin_again(self) -> None:
        """Begin a new row: the old one was closed, with all outcomes but those since."""
        held, decisions, since = self.holdout.decisions, self.own.decisions, self.since
        self.process = new_process()
        self.own, self.holdout, self.since = self._new_core(), Holdout(""), []
        self.replay(since)
        self.own.decisions, self.holdout.decisions = decisions, held
        for arm, n in decisions.count_by_arm().items():
            self.own.engine.hold(self.own.roster.number[arm], n)
            self.own.engine.step += n  # a state has no more pending decisions than steps
        self._lead_again()

    def continue_row(self, learned: Learned, body: bytes, outcomes: Iterable[Outcome]) -> None:
        """Continue the row of an earlier process, whose decisions are lost."""
        release(learned.core, read_pending(body))
        self.own, self.holdout = learned
        self.own.decisions = Decisions()
        self.holdout.use_word(self.own.decisions.word)
        self.replay(outcomes)

    def replay(self, outcomes: Iterable[Outcome]) -> None:
        """Record outcomes again, of arms that there still are."""
        self._lead_again()
        for outcome in outcomes:
            if outcome.arm in self.own.roster.number:
                self._learn(outcome, answered=0)

    def child(self) -> Member:
        """The member of a forked process: it knows the same, but has nothing to tell yet."""
        child = Member(self.settings, self.policy, new_process(), self._compiled)
        parts = [totals_of(Learned(self.own, self.holdout))]
        parts += [] if self._others is None else [self._others]
        child._others, child.weight = added(self.own.engine.policy, parts), self.weight
        child._lead_again()
        return child

    def _weigh(self, steps_of_others: int) -> None:
        """How many decisions others made for each of one's own since the last exchange."""
        own = self.own.engine.step - 1
        more, mine = steps_of_others - self._steps_of_others, own - self._steps_before
        if mine > 0 and more >= 0:
            self.weight = min(1 + round(more / mine), _MOST_UNSEEN)
        self._steps_of_others, self._steps_before = steps_of_others, own

    def _lead_again(self) -> None:
        """Merge what the others have learned with one's own."""
        parts = [totals_of(Learned(self.own, self.holdout))]
        if self._others is not None:
            parts.insert(0, self._others)
        policy = self.own.engine.policy
        totals: Any = added(policy, parts)
        fresh = leading(self.own, totals, self.lead.engine.stream)
        fresh.roster.removed.update(self.settings.removed)
        self._share_newcomers(fresh)
        for arm in self.settings.paused:
            fresh.roster.pause(arm)
        capacity = fresh.engine.capacity
        if self.own.engine.capacity < capacity:
            self.own.engine.make_room(capacity)
        self.lead, self.groups = fresh, totals.holdout

    def _share_newcomers(self, lead: Core) -> None:
        """Leave arms without outcomes anywhere their fair share of this process's decisions."""
        newcomers = lead.roster.newcomers = self.own.roster.newcomers
        unseen = [arm for arm, row in lead.roster.rows.items() if row[COUNT] == 0.0]
        for arm in newcomers.keys() - set(unseen):
            del newcomers[arm]


def new_process() -> str:
    """An id for a process, which no other one has."""
    return secrets.token_hex(8)
