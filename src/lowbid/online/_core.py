"""The core of a bandit: a state that depends only on the sequence of calls."""

from __future__ import annotations

import warnings
from typing import Any, Self

from lowbid._compile import When
from lowbid._random import key, stream_of_run
from lowbid._require import require_whole
from lowbid.errors import InvalidValueError, LossesWarning, StateError, UnknownNameError
from lowbid.online._contexts import contexts_from, features_to
from lowbid.online._decisions import Arm, Decision, Decisions, Rejection
from lowbid.online._engine import Engine
from lowbid.online._features import Columns, Features, read_features
from lowbid.online._feedback import (
    Feedback,
    Kind,
    feedback_for,
    feedback_from,
    policy_for,
)
from lowbid.online._given import read_value
from lowbid.online._ledger import table_from
from lowbid.online._roster import Roster
from lowbid.online._verdict import Verdicts
from lowbid.policies import SAME, Policy


class Core:
    """The running policy, the arms by name, the open decisions, and how values become losses.

    It takes no lock. Given the same calls, two cores that start alike stay alike, except for the
    words that distinguish their decisions.

    Attributes
    ----------
    policy : Policy
        As the caller gave it; the engine's policy also knows the range of the losses.
    feedback : Feedback or None
        None until it is known whether losses or rewards are measured.
    expiry : int or None
        A decision is forgotten after this many further ones.
    """

    def __init__(
        self,
        policy: Policy,
        engine: Engine,
        roster: Roster,
        decisions: Decisions,
        feedback: Feedback | None,
        expiry: int | None,
        verdicts: Verdicts | None = None,
        features: Features | None = None,
    ) -> None:
        self.policy, self.feedback, self.expiry = policy, feedback, expiry
        self.engine, self.roster, self.decisions = engine, roster, decisions
        self.verdicts = Verdicts() if verdicts is None else verdicts
        self.features = features
        # What `Engine.kept` returned for each open decision, by its id; empty without features.
        self.contexts: dict[str, Columns] = {}
        self._far: float | None = None  # the first value that is far from 0
        self._warned = False  # that values cannot be told apart

    @classmethod
    def new(
        cls,
        names: list[Arm],
        policy: Policy,
        seed: int,
        horizon: int | None,
        feedback: Feedback | None,
        expiry: int | None,
        compiled: When | None = None,
        verdicts: Verdicts | None = None,
        features: Features | None = None,
    ) -> Self:
        """A core that knows nothing about its arms yet."""
        if features is not None:
            policy = policy.for_columns(len(features.columns))
        # The stream belongs to the given policy, so that it does not depend on the unit of
        # measurement.
        stream = stream_of_run(key(seed, policy.stream_name), 0)
        engine = Engine(policy_for(policy, feedback), len(names), horizon, stream, compiled)
        roster = Roster(names, engine)
        engine.bind(roster.ledger)
        return cls(policy, engine, roster, Decisions(), feedback, expiry, verdicts, features)

    def to_data(self) -> dict[str, Any]:
        """Everything but the policy, as plain data."""
        state = self.engine.to_data()
        last = {"state": state.pop("state")}  # the longest part comes last, for readers
        return {
            "expiry": self.expiry,
            "feedback": None if self.feedback is None else self.feedback.to_data(),
            **state,
            **self.roster.to_data(),
            **features_to(self.features, self.contexts),
            "verdicts": self.verdicts.to_data(),
            "decisions": self.decisions.to_data(),
            **last,
        }

    @classmethod
    def from_data(cls, policy: Policy, saved: dict[str, Any], compiled: When | None = None) -> Self:
        """Restore what `to_data` returned, for this policy; a `StateError` if it cannot be so."""
        try:
            return cls._from_data(policy, saved, compiled)
        except InvalidValueError as error:
            raise StateError(str(error)) from error
        except MemoryError as error:
            raise StateError("it does not fit into this machine's memory.") from error

    @classmethod
    def _from_data(cls, policy: Policy, saved: dict[str, Any], compiled: When | None) -> Self:
        n_arms = require_whole("the number of arms", len(table_from(saved["arms"])[0]))
        feedback = feedback_from(policy, saved["feedback"])
        engine = Engine.from_data(policy_for(policy, feedback), n_arms, saved, compiled)
        roster = Roster.from_data(engine, saved)
        engine.bind(roster.ledger)
        decisions = Decisions.from_data(saved["decisions"])
        for arm in decisions.count_by_arm().keys() - roster.rows.keys():
            raise StateError(f"an open decision is for {arm!r}; there is no such arm.")
        expiry = None if saved["expiry"] is None else require_whole("expiry", saved["expiry"])
        verdicts = Verdicts.from_data(saved["verdicts"], feedback) if "verdicts" in saved else None
        features = read_features(saved.get("features"))
        core = cls(policy, engine, roster, decisions, feedback, expiry, verdicts, features)
        core.contexts = contexts_from(features, saved, decisions, engine.policy)
        return core

    def adopt(self, given: Core, where: str) -> None:
        """Continue as the caller asks: with more arms, but not with another policy or range."""
        pairs: dict[str, tuple[Any, Any]] = {"horizon": (given.engine.horizon, self.engine.horizon)}
        pairs["features"] = (given.features, self.features)
        if given.feedback is not None:
            pairs["range"] = (given.feedback.to_data(), self.feedback and self.feedback.to_data())
        for what, (asked, saved) in pairs.items():
            if asked is not None and asked != saved:
                raise InvalidValueError(
                    f"the {what} given is {asked!r}, but that of {where} is {saved!r}; give that "
                    "one, or use another file."
                )
        for name in given.roster.names:
            if name not in self.roster.rows and name not in self.roster.removed:
                self.add_arm(name)
        self.expiry = self.expiry if given.expiry is None else given.expiry

    def decide(self, features: Columns | None = None) -> Decision:
        """Choose an arm, and record that its outcome is pending."""
        self.expire()
        return self.await_outcome(self.select(features))

    def select(self, features: Columns | None = None) -> int:
        """The engine's arm to play now: the policy's, or the best one if that is settled."""
        if features is not None:
            self.engine.see(features)
            return self.engine.select()
        winner = self.verdicts.winner(self)
        if winner is not None:
            return winner
        return (
            self.roster.number[self._select_fairly()]
            if self.roster.newcomers
            else self.engine.select()
        )

    def _select_fairly(self) -> Arm:
        with self.roster.fairly():
            return self.roster.names[self.engine.select()]

    def expire(self) -> None:
        """Forget expired decisions before another one is made."""
        if self.expiry is not None:
            for decision in self.decisions.expired(before=self.engine.step - self.expiry):
                self._see_again(decision)
                self.release(decision.arm)

    def await_outcome(self, arm: int) -> Decision:
        """Make a decision for an arm of the engine; its outcome is pending."""
        engine = self.engine
        engine.hold(arm, 1)
        decision = self.decisions.add(self.roster.names[arm], engine.step)
        if self.roster.newcomers:
            self.roster.newcomers.count(decision.arm, self.roster.number)
        engine.step += 1
        if self.features is not None:
            self.contexts[decision.id] = engine.kept()
        return decision

    def _see_again(self, decision: Decision) -> None:
        """Show the policy a decision's features, for the last time."""
        if self.features is not None:
            self.engine.see(self.contexts.pop(decision.id))

    def read(self, value: Any, feedback: Feedback) -> float:
        """A measured value as a number, or an error; a warning, once, if floats end there."""
        number = read_value(value, feedback)
        if feedback.near_low <= number <= feedback.near_high or self._warned:
            return number
        if self._far is None:
            self._far = number
        elif 0.0 < abs(number - self._far) <= SAME * abs(number):
            self._warned = True
            warnings.warn(
                f"{feedback.plural} such as {self._far!r} and {number!r} differ by less than "
                f"{SAME:g} of their size, where floating point of 64 bits ends: policies take them "
                f"for equal. Subtract a constant from all {feedback.plural}, such as "
                f"{self._far:.3g}, or declare {feedback.kind}_range=(lowest, highest).",
                LossesWarning,
                stacklevel=3,
            )
        return number

    def take_in(
        self,
        what: Arm | Decision,
        value: float,
        feedback: Feedback,
        features: Columns | None = None,
    ) -> Rejection | None:
        """Record a value that has been checked; the features of an arm without a decision too."""
        roster, engine, decisions = self.roster, self.engine, self.decisions
        if features is not None:
            engine.see(features)
        elif type(what) is str or type(what) is int:  # the fast path: most calls are like this
            arm = roster.number.get(what)
            if arm is not None and not decisions.open and not roster.newcomers:
                engine.update(arm, value, engine.step, roster.ledger, feedback.scale)
                engine.step += 1
                self.feedback = feedback
                verdicts = self.verdicts
                verdicts.left -= 1
                if verdicts.left <= 0 or verdicts.kept is not None:
                    verdicts.count(self, what, value)
                return None
        rejection = self.status(what)
        if isinstance(what, Decision):
            self.decisions.close(what)
        if rejection is not None:
            return rejection
        self.feedback = feedback
        arm_name, answered = (what.arm, 1) if isinstance(what, Decision) else (what, 0)
        if isinstance(what, Decision):
            self._see_again(what)
        self.learn(arm_name, value, answered)
        if self.features is None:  # otherwise no arm is the best one for everybody
            self.verdicts.left -= 1
            self.verdicts.count(self, arm_name, value)
        return None

    def forget(self, decision: Decision) -> Rejection | None:
        """Discard a pending decision."""
        rejection = self.decisions.status(decision)
        self.decisions.close(decision)
        if rejection is None:
            self._see_again(decision)
            self.release(decision.arm)
        return rejection

    def add_arm(self, name: Arm) -> None:
        """Add an arm about which nothing is known yet."""
        self.roster.add(name)
        self.verdicts.withdraw(f"{name!r} was added")

    def pause_arm(self, name: Arm) -> None:
        """Stop choosing an arm for now."""
        self.roster.pause(name)
        self.verdicts.without(name, "was paused")

    def resume_arm(self, name: Arm) -> None:
        """Let a paused arm be chosen again."""
        paused = name in self.roster.paused
        self.roster.resume(name)
        if paused:
            self.verdicts.withdraw(f"{name!r} was resumed")

    def remove_arm(self, name: Arm) -> None:
        """Remove an arm for good."""
        self.roster.remove(name)
        self.verdicts.without(name, "was removed")
        self.decisions.remove_arm(name)
        if self.contexts:
            kept = {decision.id for decision in self.decisions.pending()}
            self.contexts = {i: values for i, values in self.contexts.items() if i in kept}

    def status(self, what: Arm | Decision) -> Rejection | None:
        """None if feedback for this can be recorded, otherwise the reason why not."""
        if isinstance(what, Decision):
            return self.decisions.status(what)
        try:
            return self.roster.status(what)
        except UnknownNameError:
            if not self.decisions.is_known(what):
                raise
        raise UnknownNameError(
            f"{what!r} is the id of a decision, not an arm; give the decision itself, or, to a "
            "bandit opened with lowbid.open, the ids to answer([...], rewards=[...])."
        )

    def feedback_of(self, kind: Kind) -> Feedback:
        """How values of this kind become losses, or a clear error."""
        if self.feedback is None:
            return feedback_for(self.policy, kind, None)
        if self.feedback.kind != kind:
            raise InvalidValueError(
                f"this bandit takes {self.feedback.plural}, but got a {kind}; losses and rewards "
                "cannot be mixed in one bandit."
            )
        return self.feedback

    def merge(self, other: Core) -> None:
        """Add everything that another core knows."""
        self._require_alike(other)
        self.decisions.require_no_common_past(other.decisions)
        if self.contexts or other.contexts:
            raise InvalidValueError(
                "a bandit with features has pending decisions; report their outcomes, or forget "
                "them, then merge."
            )
        step, other_step = self.engine.step, other.engine.step
        self.roster.merge(other.roster)
        self.decisions.take_over(other.decisions, step, other_step)
        self.feedback = self.feedback or other.feedback
        self.verdicts.withdraw("outcomes of another bandit were added")

    def _require_alike(self, other: Core) -> None:
        """Refuse to merge with an incompatible core."""
        pairs: dict[str, tuple[Any, Any]] = {
            "policies": (self.policy, other.policy),
            "arms": (set(self.roster.rows), set(other.roster.rows)),
            "horizons": (self.engine.horizon, other.engine.horizon),
            "features": (self.features, other.features),
        }
        if self.feedback is not None and other.feedback is not None:
            pairs["kinds or ranges of feedback"] = (self.feedback, other.feedback)
        for what, (ours, others) in pairs.items():
            if ours != others:
                raise InvalidValueError(
                    f"the bandits have different {what}: {ours!r} and {others!r}; only bandits "
                    "with the same can be merged."
                )

    def learn(self, name: Arm, value: float, answered: int) -> None:
        """Hand a value of an arm to the policy; a separate step unless it answers a decision."""
        engine, roster = self.engine, self.roster
        roster.newcomers.pop(name, None)
        arm = roster.number.get(name)
        if arm is None:  # paused
            with roster.awake(name):
                self.learn(name, value, answered)
            return
        scale = self.feedback.scale  # type: ignore[union-attr]
        engine.update(arm, value, engine.step - answered, roster.ledger, scale)
        engine.hold(arm, -answered)
        engine.step += 1 - answered

    def release(self, name: Arm) -> None:
        """Tell the policy that one outcome fewer is pending."""
        with self.roster.awake(name) as arm:
            self.engine.hold(arm, -1)
