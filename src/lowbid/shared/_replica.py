"""The state of a bandit rebuilt from its log, identical in every process that reads it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from lowbid._require import require, require_whole
from lowbid._version import __version__
from lowbid.errors import InvalidValueError
from lowbid.online import Arm, Core, Decision, Decisions, Feedback, Rejection, policy_from
from lowbid.policies import Policy, copy_of
from lowbid.shared import _lift
from lowbid.shared._bandit_settings import Settings
from lowbid.shared._corrections import Corrections
from lowbid.shared._events import (
    BY_POLICY,
    HELD_OUT,
    Amended,
    Archived,
    ArmChanged,
    Created,
    Decided,
    Elapsed,
    Event,
    Forgotten,
    PropensitiesEstimated,
    Reported,
    SettingsChanged,
    Voided,
    fields_of_event,
    is_administrative,
)
from lowbid.shared._holdout import Holdout, writer_of
from lowbid.shared._propensities import DrawnChoice, is_small
from lowbid.shared._refusals import Refusals
from lowbid.shared._timeline import Timeline
from lowbid.shared._windows import Windows


class DecideCommand(NamedTuple):
    """The command to make decisions.

    Attributes
    ----------
    ways : str
        One letter per decision, as in `Decided`.
    request_id, unit : str, optional
        As given by the caller.
    arm : str or int, optional
        The arm that the unit already has.
    """

    ways: str
    request_id: str | None = None
    unit: str | None = None
    arm: Arm | None = None


# Of snapshots: numbers of events and times that every store can hold.
_LARGEST = 2**62
# This many administrative changes are available without reading the log.
_CHANGES_AT_HAND = 1000
# Closed decisions are known by the words of this many processes, those that wrote last.
_MOST_WORDS = 10_000


class Replica:
    """A bandit as of some event of its log.

    It takes no lock, reads no clock and draws no randomness of its own: two replicas that have
    applied the same events are identical to the last bit.

    Attributes
    ----------
    number, time : int
        The last event applied, and its time.
    settings, first_settings : Settings
        As they are now, and as they were when the bandit was made.
    core : Core
        The policy's decisions and its state.
    drawn : list
        DecideCommand made here whose propensity is still to be estimated.
    batch : str
        The commit that the last event was written with; empty if that is not known.
    origin : str
        The word that the bandit was created with; another bandit has another.
    word : str
        The word under which this process makes decisions: no other uses it, and it changes when
        the log may have lost events, so that the id of a lost decision is never given again.
    """

    def __init__(self, created: Created, number: int, time: int, given: Policy | None) -> None:
        settings = Settings.from_data(created.settings)
        policy = _policy_of(settings, given)
        self.settings = self.first_settings = settings
        self.core = Core.new(
            list(settings.arms),
            policy,
            settings.seed,
            settings.horizon,
            settings.feedback(policy),
            settings.expiry,
        )
        self.origin = self.word = created.word
        self.core.decisions = Decisions.under(created.word)
        self.holdout = Holdout(created.word)
        self.windows, self.timeline, self.refusals = Windows(), Timeline(), Refusals()
        self.archived = False
        self.number, self.time, self.created = number, time, time
        self.corrections = Corrections()  # those that are known before they are due
        self.changes: list[dict[str, Any]] = []
        self.drawn: list[DrawnChoice] = []
        self.batch = ""
        self._differs = False  # from what this process would have chosen
        self._note(created)

    def to_data(self) -> dict[str, Any]:
        """Everything but the policy, as plain data."""
        return {
            "lowbid": __version__,
            "origin": self.origin,
            "number": self.number,
            "time": self.time,
            "created": self.created,
            "archived": self.archived,
            "settings": self.settings.to_data(),
            "first_settings": self.first_settings.to_data(),
            "changes": self.changes,
            "windows": self.windows.to_data(),
            "timeline": self.timeline.to_data(),
            "refusals": self.refusals.to_data(),
            "holdout": self.holdout.to_data(),
            "core": self.core.to_data(),
        }

    @classmethod
    def from_data(cls, saved: dict[str, Any], given: Policy | None) -> Self:
        """Restore a replica from the data that `to_data` returned; an error if it was not so."""
        for name in ("number", "time", "created"):
            require_whole(name, saved[name], at_least=0, at_most=_LARGEST)
        require(all(isinstance(each, dict) for each in saved["changes"]), "a change is no change.")
        replica = cls.__new__(cls)
        replica.origin = replica.word = saved["origin"]
        replica.number, replica.time = saved["number"], saved["time"]
        replica.created, replica.archived = saved["created"], saved["archived"]
        replica.settings = Settings.from_data(saved["settings"])
        replica.first_settings = Settings.from_data(saved["first_settings"])
        replica.changes, replica.drawn = list(saved["changes"]), []
        replica.batch, replica.corrections = "", Corrections()
        replica._differs = False
        replica.windows = Windows.from_data(saved["windows"])
        replica.timeline = Timeline.from_data(saved["timeline"])
        replica.refusals = Refusals.from_data(saved["refusals"])
        replica.holdout = Holdout.from_data(saved["holdout"])
        policy = _policy_of(replica.settings, given)
        replica.core = Core.from_data(policy, saved["core"])
        return replica

    @property
    def arms(self) -> list[Arm]:
        """All arms, paused ones last."""
        return [*self.core.roster.names, *self.core.roster.paused]

    @property
    def pending(self) -> list[Decision]:
        """The decisions whose outcomes are pending, oldest first; holdouts last."""
        found = [*self.core.decisions.pending(), *self.holdout.decisions.pending()]
        return [each for each in found if self.windows.held.get(each.id) is None]

    def status(self, decision: Decision, time: int) -> Rejection | None:
        """None if an outcome that arrives at this time would be recorded, else the reason."""
        if not isinstance(decision.id, str):
            return self.core.decisions.status(decision)  # raises an error that says what is wrong
        rejection = self._decisions_with(decision.id).status(decision)
        over = self.windows.is_over(decision.id, time)
        answered = self.windows.held.get(decision.id) is not None
        return "closed" if rejection is None and (over or answered) else rejection

    def awaits(self, decision: Decision) -> bool:
        """Whether an outcome of this decision would be recorded at any time.

        False means only that `status` has to be called.
        """
        arm, identity = decision
        if not (type(identity) is str and (type(arm) is str or type(arm) is int)):
            return False
        found = self.core.decisions.open.get(identity)
        return found is not None and found[0] == arm and identity not in self.windows.held

    def is_known(self, identity: object) -> bool:
        """Whether such a decision was ever made."""
        if not isinstance(identity, str):
            return False
        return identity in self.core.decisions.open or self._decisions_with(identity).is_known(
            identity
        )

    def arm_of(self, identity: str) -> Arm | None:
        """The arm of an open decision; None if it is closed, or its arm was removed."""
        found = self.core.decisions.open.get(identity) or self.holdout.decisions.open.get(identity)
        return None if found is None else found[0]

    def is_unanswered(self, identity: str) -> bool:
        """Whether a decision was made, and no outcome of it was taken so far."""
        return self.arm_of(identity) is not None and self.windows.held.get(identity) is None

    def decide(self, number: int, time: int, wanted: DecideCommand) -> Decided:
        """Make decisions; the event returned is what other replicas apply."""
        self._advance(number, time)
        self._use_word(self.word)
        decided = Decided(wanted.ways, [], [], [], wanted.request_id, wanted.unit)
        arm = wanted.arm
        for way in wanted.ways:
            chance: float | None = 1.0
            drawn: DrawnChoice | None = None
            if way == BY_POLICY:
                arm, chance, drawn = self._choose()
            elif way == HELD_OUT:
                arm = self.settings.control
            decision = self._await_outcome(way, arm)  # type: ignore[arg-type]
            if drawn is not None:
                self.drawn.append(drawn._replace(identity=decision.id))
            decided.ids.append(decision.id)
            decided.arms.append(decision.arm)
            decided.chances.append(chance)
        return decided

    def apply(self, number: int, time: int, event: Event) -> None:
        """Follow the next event of the log, which says what happened: nothing is decided here."""
        self._advance(number, time)
        if is_administrative(event):
            self._note(event)
        _HANDLERS[type(event)](self, event)

    def _advance(self, number: int, time: int) -> None:
        """Move on to the next event, and close the windows that have expired by then."""
        self.number, self.time = number, time
        if self.windows.due(time):
            for identity, value in self.windows.close(time):
                self._conclude(identity, value)

    def _decided(self, event: Decided) -> None:
        self._use_word(writer_of(event.ids[0]))
        for way, arm in zip(event.ways, event.arms, strict=True):
            if way == BY_POLICY:
                self._choose_again(arm)
            self._await_outcome(way, arm)

    def _await_outcome(self, way: str, arm: Arm) -> Decision:
        """Make a decision for this arm; its outcome is pending."""
        if way == HELD_OUT:
            decision = self.holdout.decide(arm)
        else:
            self.core.expire()
            decision = self.core.await_outcome(self.core.roster.number[arm])
            self.timeline.add(decision.arm, self.time)
        if self.settings.window is not None:
            self.windows.open(decision.id, self.time + self.settings.window)
        self.corrections.note(decision.id, self.time)
        return decision

    def _use_word(self, word: str) -> None:
        """Make the next decisions under a word."""
        decisions = self.core.decisions
        if word != decisions.word:
            decisions.use_word(word)
            self.holdout.use_word(word)
            for each in (decisions, self.holdout.decisions):
                each.forget_words(_MOST_WORDS)

    def _choose(self) -> tuple[Arm, float | None, DrawnChoice | None]:
        """Let the policy choose an arm; its propensity, or what to estimate it from later."""
        self.core.expire()
        with self.core.roster.fairly():
            return self._choose_now()

    def _choose_now(self) -> tuple[Arm, float | None, DrawnChoice | None]:
        core, engine = self.core, self.core.engine
        step, before = engine.step, int(engine.stream[0])
        again = engine.policy.select_keeps_state and is_small(engine.state)
        state = copy_of(engine.state) if again else None
        arm = engine.select()
        # A choice that used no random number was certain, whatever the policy.
        certain = int(engine.stream[0]) == before
        chance = 1.0 if certain else engine.policy.chance(engine.state, step, arm)
        drawn = None
        if chance is None and state is not None:
            drawn = DrawnChoice("", arm, engine.policy, engine.parameters, state, step)
        return core.roster.names[arm], chance, drawn

    def _choose_again(self, arm: Arm) -> None:
        """Let the policy choose as it did then, for its state and its random numbers."""
        self.core.expire()
        roster = self.core.roster
        with roster.fairly():
            chosen = roster.names[self.core.engine.select()]
        is_told = self._differs or self.number <= self.corrections.last
        if chosen != arm and not is_told:
            self._differs = True
            warnings.warn(
                f"event {self.number} chose arm {arm!r}, where this process would have chosen "
                f"{chosen!r}: another version of lowbid or of the policy made it. The log is "
                "followed, and further differences are not reported.",
                RuntimeWarning,
                stacklevel=2,
            )

    def _reported(self, event: Reported) -> None:
        self.refusals.add(self.time, event.refused)
        feedback = self.core.feedback_of(event.kind)
        for identity, arm, reported in event.outcomes:
            if identity is None:
                if self.corrections.counts(self.time):
                    self.core.take_in(arm, reported, feedback)
                continue
            value = self.corrections.of(identity, reported)
            if value is None:
                self._give_up(identity)
            elif identity in self.windows.held:
                self.windows.hold(identity, value)
                self.core.feedback = feedback
            else:
                self._learn(Decision(arm, identity), value, feedback)

    def _learn(self, decision: Decision, value: float, feedback: Feedback) -> None:
        """Record the outcome of a decision, for the policy or for the holdout."""
        if self.holdout.has(decision.id):
            self.holdout.decisions.close(decision)
            if decision.arm == self.settings.control:  # else it is of an earlier one
                self.holdout.record(_lift.HELD_OUT, value, feedback)
            self.core.feedback = feedback
        elif self.core.take_in(decision, value, feedback) is None and self.settings.holdout > 0.0:
            self.holdout.record(_lift.DECIDED, value, feedback)

    def _conclude(self, identity: str, value: float | None) -> None:
        """Record the outcome of a decision whose window is over."""
        arm = self.arm_of(identity)
        decision = Decision(arm if arm is not None else "", identity)
        value = self.settings.if_silent if value is None else value
        value = self.corrections.of(identity, value)
        feedback = self.core.feedback
        if arm is None or value is None or feedback is None:
            self._forget(decision)
        else:
            self._learn(decision, value, feedback)

    def _forgotten(self, event: Forgotten) -> None:
        for identity in event.ids:
            if self.corrections.of(identity, None) is None:  # else it is open until it is amended
                self._give_up(identity)

    def _amended(self, event: Amended) -> None:
        feedback = self.core.feedback_of(event.kind)
        for identity, value in event.outcomes:
            arm = self.arm_of(identity)
            if identity in self.windows.held:
                self.windows.hold(identity, value)
                self.core.feedback = feedback
            elif arm is not None and self.corrections.of(identity, value) == value:
                self._learn(Decision(arm, identity), value, feedback)

    def _voided(self, event: Voided) -> None:
        for decision in [*self.core.decisions.pending(), *self.holdout.decisions.pending()]:
            if self.corrections.is_void(decision.id):
                self._give_up(decision.id)

    def correct(self, number: int, event: Event) -> None:
        """Learn of a later event that corrects outcomes, before they are replayed."""
        if isinstance(event, Amended):
            for identity, value in event.outcomes:
                self.corrections.amend(number, identity, value)
        elif isinstance(event, Voided):
            self.corrections.void(number, event.since, event.until)

    def must_replay(self, event: Event, time: int) -> bool:
        """Whether an event corrects what this state was made from."""
        if isinstance(event, Amended):
            return any(
                self.arm_of(identity) is None or self.windows.is_over(identity, time)
                for identity, _ in event.outcomes
            )
        return isinstance(event, Voided)

    def _give_up(self, identity: str) -> None:
        """Wait no longer for the outcome of a decision."""
        self.windows.discard(identity)
        arm = self.arm_of(identity)
        self._forget(Decision(arm if arm is not None else "", identity))

    def _forget(self, decision: Decision) -> None:
        if self.holdout.has(decision.id):
            self.holdout.decisions.close(decision)
        else:
            self.core.forget(decision)

    def _arm_changed(self, event: ArmChanged) -> None:
        if event.change == "added":
            self.core.add_arm(event.arm)
        elif event.change == "paused":
            self.core.pause_arm(event.arm)
        elif event.change == "resumed":
            self.core.resume_arm(event.arm)
        else:
            if self.settings.holdout > 0.0 and event.arm == self.settings.control:
                raise InvalidValueError(
                    f"arm {event.arm!r} is the control of the holdout; choose another control, or "
                    "set holdout to 0, before you remove it."
                )
            self.core.remove_arm(event.arm)

    def _settings_changed(self, event: SettingsChanged) -> None:
        before = self.settings.control
        self.settings = Settings.from_data({**self.settings.to_data(), **event.settings})
        if self.settings.control != before:
            self.holdout.compare_anew()

    def _archived(self, event: Archived) -> None:
        self.archived = event.archived

    def _nothing(self, event: Elapsed | PropensitiesEstimated | Created) -> None:
        """Do nothing: expired windows were closed before the event was applied."""

    def _decisions_with(self, identity: str) -> Decisions:
        return self.holdout.decisions if self.holdout.has(identity) else self.core.decisions

    def _note(self, event: Event) -> None:
        """Remember an administrative change."""
        fields = fields_of_event(event)
        fields.pop("word", None)
        change = {"number": self.number, "time": self.time, "event": event.name, **fields}
        self.changes = [*self.changes, json.loads(json.dumps(change))][-_CHANGES_AT_HAND:]


def _policy_of(settings: Settings, given: Policy | None) -> Policy:
    """The policy from the settings, or the given one if it is the same: its code is not stored."""
    same = getattr(given, "identity", None) == settings.policy["identity"]
    return policy_from(settings.policy, given if same else None)


_HANDLERS: dict[type, Callable[[Replica, Any], None]] = {
    Decided: Replica._decided,
    Reported: Replica._reported,
    Forgotten: Replica._forgotten,
    ArmChanged: Replica._arm_changed,
    SettingsChanged: Replica._settings_changed,
    Archived: Replica._archived,
    PropensitiesEstimated: Replica._nothing,
    Amended: Replica._amended,
    Voided: Replica._voided,
    Elapsed: Replica._nothing,
    Created: Replica._nothing,
}
