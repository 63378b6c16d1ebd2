"""A bandit that several processes share and that outlives them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, Self, overload

from lowbid.errors import InvalidValueError, LowbidError, StoreError
from lowbid.logs import Names
from lowbid.online import (
    MANY,
    ONE,
    Arm,
    BanditViews,
    Core,
    Decision,
    Kind,
    Seen,
    described,
    is_name,
    plain_name,
    read_for,
    read_kind,
)
from lowbid.shared._bandit_settings import Settings
from lowbid.shared._bandit_summary import BanditSummary, summary_of
from lowbid.shared._calls import Call, Change, Forget, LetTimePass, Look, Note
from lowbid.shared._correcting import AMEND, AMEND_MANY, Amend, Void
from lowbid.shared._deciding import Decide
from lowbid.shared._decision import LoggedDecision
from lowbid.shared._durations import (
    Duration,
    Moment,
    microseconds,
    microseconds_since_1970,
)
from lowbid.shared._events import Archived, ArmChanged, PropensitiesEstimated, SettingsChanged
from lowbid.shared._export import LogEntry, export_decisions, export_events
from lowbid.shared._forks import continue_in_children
from lowbid.shared._group import GroupCommit
from lowbid.shared._identifiers import read_key
from lowbid.shared._lift import Lift
from lowbid.shared._propensities import DRAWS, Estimator
from lowbid.shared._replica import Replica
from lowbid.shared._reporting import Answer, GivenOutcome, Report, answering, given_outcomes
from lowbid.shared._shared_log import Compaction, SharedLog
from lowbid.shared._timeline import ArmShares


class SharedBandit(BanditViews):
    """A bandit whose changes are all recorded in a shared log; see `lowbid.open`.

    Each call first reads what other processes have written, then acts, in one transaction:
    together, all processes make the choices that a single bandit would have made on the same
    sequence of calls. When a call returns, its effect is on disk.

    Several threads may share one object: calls that arrive during a commit are committed together
    in the next one. After a fork, the object keeps working in both processes.
    """

    def __init__(self, log: SharedLog) -> None:
        self._log = log
        self._begin()
        continue_in_children(self)

    @property
    def name(self) -> str:
        """The bandit's name in the store."""
        return self._log.name

    @property
    def key(self) -> int:
        """The store's key for it: a bandit that takes its name later has another."""
        return self._log.bandit

    @property
    def settings(self) -> Settings:
        """The settings it was created with, including later changes."""
        return self._look(lambda replica: replica.settings)

    # Choose, and learn

    @overload
    def decide(self, *, unit: str | None = ..., request_id: str | None = ...) -> LoggedDecision: ...
    @overload
    def decide(
        self, n: int, *, unit: str | None = ..., request_id: str | None = ...
    ) -> list[LoggedDecision]: ...
    def decide(
        self, n: int | None = None, *, unit: str | None = None, request_id: str | None = None
    ) -> LoggedDecision | list[LoggedDecision]:
        """Choose an arm, and record that its outcome is pending.

        Parameters
        ----------
        n : int, optional
            Return a list of this many decisions, all made before any of their outcomes; at most
            100,000.
        unit : str, optional
            The customer, device or other unit that the decision is for. With ``sticky``, a unit
            keeps its arm; with a ``holdout``, a unit is always in it or never.
        request_id : str, optional
            Your own id for this call. A repeated call with the same id, in any process, returns the
            decision already made and changes nothing.
        """
        return self._submit(Decide(n, unit, request_id))

    def update(
        self,
        what: Arm | Decision,
        *bare: Any,
        loss: float | None = None,
        reward: float | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Report the outcome of an arm, or of a decision, whose outcome counts once.

        Parameters
        ----------
        what : str, int or Decision
            The name of an arm, or a decision that `decide` returned.
        loss, reward : float
            One of the two, and always the same one.
        request_id : str, optional
            Your own id for this call, which makes it safe to repeat. A decision's outcome is safe
            to repeat without one.

        Returns
        -------
        None or str
            None if it was recorded, now or by an earlier call with this request id. Otherwise
            nothing has changed:

            - "repeated": the same outcome was recorded before;
            - "conflict": another one was;
            - "late": the decision was given up before, or its window is over;
            - "removed": its arm was removed;
            - "unknown": there was no such decision.

            Conflicting and late outcomes are kept in the log, with their value.

        Examples
        --------
        >>> import lowbid, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> url = f"sqlite:///{folder.name}/shop.db"
        >>> bandit = lowbid.open(url, "checkout", arms=["blue", "green"], seed=0)
        >>> decision = bandit.decide()
        >>> bandit.update(decision, reward=1.0)
        >>> bandit.update(decision, reward=1.0), bandit.update(decision, reward=0.0)
        ('repeated', 'conflict')
        >>> bandit.close(); folder.cleanup()
        """
        kind = read_kind(ONE, bare, loss, reward)
        value = loss if kind == "loss" else reward
        return self._report(kind, [GivenOutcome(what, value)], request_id)[0]

    def update_many(
        self,
        what: Iterable[Arm | Decision],
        *bare: Any,
        losses: Sequence[float] | None = None,
        rewards: Sequence[float] | None = None,
        request_id: str | None = None,
    ) -> list[Answer]:
        """Report the outcomes of many arms or decisions: all are recorded, or none if one is wrong.

        Returns
        -------
        list
            What `update` would return for each.
        """
        kind = read_kind(MANY, bare, losses, rewards)
        outcomes = given_outcomes(kind, what, losses, rewards, by_id=False)
        return self._report(kind, outcomes, request_id)

    def learn_from(
        self,
        log: Any,
        *,
        arm: str = "arm",
        reward: str | None = None,
        loss: str | None = None,
        request_id: str | None = None,
    ) -> int:
        """Learn from a log recorded elsewhere, in one event; see `Bandit.learn_from`."""
        names = Names(arm, reward, loss, propensity=None)
        read = self._view(lambda core: read_for(core, log, names))
        arms = [read.arms[number] for number in read.choices.tolist()]
        values = {read.plural: read.values.tolist()}
        if arms:
            self.update_many(arms, request_id=request_id, **values)
        return len(arms)

    def answer(
        self,
        ids: Iterable[str],
        *bare: Any,
        losses: Sequence[float] | None = None,
        rewards: Sequence[float] | None = None,
    ) -> list[Answer]:
        """Report the outcomes of decisions by their ids alone.

        Returns
        -------
        list
            What `update` would return for each.
        """
        return self._submit(answering(ids, *bare, losses=losses, rewards=rewards))

    def forget(self, decision: Decision) -> Answer:
        """Discard a pending decision.

        Returns
        -------
        None or str
            None if it is given up now. Otherwise nothing has changed: "repeated" if it was given up
            before, "conflict" if an outcome was recorded, "late" if its window is over, and
            "removed" or "unknown" as for `update`.

        Examples
        --------
        >>> import lowbid, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> url = f"sqlite:///{folder.name}/shop.db"
        >>> bandit = lowbid.open(url, "checkout", arms=["blue", "green"], seed=0)
        >>> decision = bandit.decide()
        >>> bandit.forget(decision)
        >>> bandit.forget(decision)
        'repeated'
        >>> bandit.close(); folder.cleanup()
        """
        if not isinstance(decision, Decision):
            raise InvalidValueError(f"{decision!r} is not a decision; give one made by decide().")
        return self._submit(Forget(decision))

    def amend(
        self,
        decision: Decision | str,
        *bare: Any,
        loss: float | None = None,
        reward: float | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> Answer:
        """Correct the outcome of a decision, such as after a refund.

        The state, and all views, are then as if the right value had been reported. The decisions
        made meanwhile, and their propensities, stand. While the decision is pending, or its window
        is open, that takes as long as `update`; afterwards the log is replayed from its start,
        which takes as long as opening it without a snapshot, and others wait. After `compact` has
        dropped events, that is refused.

        Parameters
        ----------
        decision : Decision or str
            The decision, or its id; pending or closed, also if it was given up.
        loss, reward : float
            The right value.
        reason, actor : str, optional
            Why, and by whom, for the log.

        Returns
        -------
        None or str
            None if it counts as corrected, "removed" or "unknown" as for `update`, and "late" if
            it was given up by `expiry`.

        Examples
        --------
        >>> import lowbid, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> url = f"sqlite:///{folder.name}/shop.db"
        >>> bandit = lowbid.open(url, "checkout", arms=["blue", "green"], seed=0)
        >>> decision = bandit.decide()
        >>> bandit.update(decision, reward=20.0)
        >>> bandit.amend(decision, reward=0.0, reason="refund")
        >>> bandit.means()[decision.arm]
        0.0
        >>> bandit.close(); folder.cleanup()
        """
        kind = read_kind(AMEND, bare, loss, reward)
        value = loss if kind == "loss" else reward
        return self._amend(kind, [GivenOutcome(decision, value, by_id=True)], reason, actor)[0]

    def amend_many(
        self,
        decisions: Iterable[Decision | str],
        *bare: Any,
        losses: Sequence[float] | None = None,
        rewards: Sequence[float] | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> list[Answer]:
        """Correct the outcomes of many decisions with a single replay; see `amend`."""
        kind = read_kind(AMEND_MANY, bare, losses, rewards)
        outcomes = given_outcomes(kind, decisions, losses, rewards, by_id=True)
        return self._amend(kind, outcomes, reason, actor)

    def void(
        self,
        *,
        since: Moment,
        until: Moment | None = None,
        reason: str | None = None,
        actor: str | None = None,
    ) -> int:
        """Let outcomes not count: of decisions made in a span of time, and of arms reported in it.

        For an outage, or traffic that was none. Decisions in the span that are pending are given
        up. The log is replayed as for `amend`.

        Parameters
        ----------
        since, until : datetime, str or float
            A datetime with a time zone, as an object or as ISO text, or seconds since 1970; the
            span is up to now if `until` is missing, and does not include `until`.
        reason, actor : str, optional
            Why, and by whom, for the log.

        Returns
        -------
        int
            How many decisions, and outcomes of arms, were in the span.
        """
        first = microseconds_since_1970("since", since)
        last = None if until is None else microseconds_since_1970("until", until)
        return int(self._submit(Void(first, last, reason, actor)))

    def pending(self) -> list[Decision]:
        """The decisions whose outcomes are pending, oldest first; those of the holdout last."""
        return self._look(lambda replica: replica.pending)

    # Changes

    def add_arm(self, arm: Arm, *, actor: str | None = None) -> None:
        """Add an arm about which nothing is known yet; it will be explored.

        Parameters
        ----------
        arm : str or int
            Its name.
        actor : str, optional
            Who makes the change, for the log.
        """
        self._change_arm("added", arm, actor)

    def remove_arm(self, arm: Arm, *, actor: str | None = None) -> None:
        """Remove an arm for good; later outcomes are answered with "removed"."""
        self._change_arm("removed", arm, actor)

    def pause_arm(self, arm: Arm, *, actor: str | None = None) -> None:
        """Stop choosing an arm until `resume_arm`; its late outcomes are still recorded.

        Sticky units that had it get another arm; if it is the control, held-out units still get it.
        """
        self._change_arm("paused", arm, actor)

    def resume_arm(self, arm: Arm, *, actor: str | None = None) -> None:
        """Let a paused arm be chosen again, with everything learned about it."""
        self._change_arm("resumed", arm, actor)

    def _change_arm(self, change: str, arm: Arm, actor: str | None) -> None:
        name = plain_name(arm) if is_name(arm) else arm  # others are refused by name
        event = ArmChanged(change, name, read_key("actor", actor))
        self._submit(Change(lambda _: event))

    def change(self, *, actor: str | None = None, **settings: Any) -> None:
        """Change settings from now on: window, if_silent, sticky, holdout, control.

        Open windows end when they would have ended anyway, with `if_silent` as it is then.
        """

        def event(replica: Replica) -> SettingsChanged:
            core, now = replica.core, replica.settings
            new = now.changed(core.policy, replica.arms, settings).to_data()
            return SettingsChanged({name: new[name] for name in settings}, read_key("actor", actor))

        self._submit(Change(event))

    def archive(self, archived: bool = True, *, actor: str | None = None) -> None:
        """Stop making decisions, but still record pending outcomes; or start again."""
        self._submit(Change(lambda _: Archived(bool(archived), read_key("actor", actor))))

    # Look inside

    def lift(self, confidence: float = 0.95) -> Lift:
        """How much better the policy does than the control arm as it is set now.

        Parameters
        ----------
        confidence : float
            Between 0 and 1.
        """
        return self._look(lambda replica: replica.holdout.lift(replica.core.feedback, confidence))

    def summary(self) -> BanditSummary:
        """The bandit at a glance."""
        return self.look(lambda replica, time: summary_of(self.name, replica, time))

    def shares_over_time(self) -> list[ArmShares]:
        """The number of decisions per arm and span of time, oldest first."""
        return self._look(lambda replica: replica.timeline.shares())

    def history(self) -> list[dict[str, Any]]:
        """The last 1,000 administrative changes, oldest first: what, when, and by whom."""
        return self._look(lambda replica: [dict(change) for change in replica.changes])

    def log(self, after: int = 0) -> Generator[LogEntry, None, None]:
        """The events after this number, in order, as they are in the log now."""
        for row in self._log.read(after):
            yield LogEntry(row.number, row.time, row.name, json.loads(row.body))

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write the log to a file, one event per line; returns the number of events.

        A number that is missing there is that of an event that `compact` dropped.

        Parameters
        ----------
        path : str or path
            A file whose name ends in ``.jsonl``, ``.jsonl.gz``, or ``.parquet`` (which needs
            pyarrow).
        """
        return export_events(path, self.log())

    def export_decisions(self, path: str | os.PathLike[str]) -> int:
        """Write a table with one row per decision; returns the number of rows.

        A row has the decision's arm, its propensity and its outcome (empty if none was reported),
        in the format that `lowbid.read_log` reads. Decisions that `compact` dropped are missing.

        Parameters
        ----------
        path : str or path
            As for `export`.
        """
        return export_decisions(path, self.log())

    def compact(self, *, events: Duration = "10m", answers: Duration = "30d") -> Compaction:
        """Drop events that a snapshot covers, and answers to calls that nobody will repeat.

        Administrative changes stay in the log, and so does everything younger than the limits given
        here. Afterwards, `log` and `export` start later.

        Other calls to this bandit wait until it has finished: those of this process however long
        it takes, those of others no longer than their patience. Run it when there is little
        traffic.

        Parameters
        ----------
        events : duration
            The age beyond which events are dropped. A commit whose answer was lost is looked up
            among the events that are kept.
        answers : duration
            How long a repeated request id still returns the decision already made, by the time of
            the last event. After that, it returns a new one. A repeated outcome never counts twice:
            later it is answered with "late" instead of "repeated".
        """
        spans = microseconds("events", events, at_least=0), microseconds("answers", answers)
        self.continue_after_fork()
        return self._log.compact(*spans)

    @property
    def commit_sizes(self) -> dict[int, int]:
        """The number of this process's commits, by the number of calls that they carried out."""
        return dict(self._group.sizes)

    def _view(self, look: Callable[[Core], Seen]) -> Seen:
        return self._look(lambda replica: look(replica.core))

    def __repr__(self) -> str:
        return self._view(lambda core: described(core, f"SharedBandit {self.name!r}"))

    # Internals

    def close(self) -> None:
        """Release the store. Nothing is lost; the next call connects again."""
        self.continue_after_fork()
        self._estimator.wait(self._log.store.patience)
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _look(self, look: Callable[[Replica], Seen]) -> Seen:
        """Look at the newest state."""
        return self.look(lambda replica, _: look(replica))

    def look(self, look: Callable[[Replica, int], Seen]) -> Seen:
        """Look at the newest state, as of a single moment by the log's clock."""
        seen, due = self._submit(Look(look))
        if due:  # expired windows are closed by an event
            with contextlib.suppress(StoreError):  # a read-only user sees the log as it is
                self._submit(LetTimePass())
                seen, _ = self._submit(Look(look))
        return seen

    def _report(
        self, kind: Kind, outcomes: Sequence[GivenOutcome], request_id: str | None
    ) -> list[Answer]:
        answers: list[Answer] = self._submit(Report(kind, outcomes, request_id))
        return answers

    def _amend(
        self,
        kind: Kind,
        outcomes: Sequence[GivenOutcome],
        reason: str | None,
        actor: str | None,
    ) -> list[Answer]:
        answers: list[Answer] = self._submit(Amend(kind, outcomes, reason, actor))
        return answers

    def submit_async(self, call: Call) -> asyncio.Future[Any]:
        """Carry out a call such as `Decide` for an event loop, which finds the answer there."""
        self.continue_after_fork()
        return self._group.submit_async(call)

    def _submit(self, call: Call) -> Any:
        self.continue_after_fork()
        return self._group.submit(call)

    def continue_after_fork(self) -> None:
        """Continue in a forked process with a new connection and new threads."""
        if os.getpid() != self._process:
            self._log.forked(intact=not self._group.busy)
            self._begin()

    def _begin(self) -> None:
        self._process, self._group = os.getpid(), GroupCommit(self._log.carry_out)
        self._estimator = Estimator(self._keep_estimates)
        self._log.on_drawn = self._estimator.add

    def _keep_estimates(self, chances: dict[str, float]) -> None:
        """Write propensities into the log; those that cannot be written are skipped."""
        with contextlib.suppress(LowbidError):
            self._group.submit(Note(PropensitiesEstimated(chances, DRAWS)))

    def __reduce__(self) -> Any:
        raise InvalidValueError(
            "a shared bandit cannot be copied or pickled; open it where it is needed: "
            f"lowbid.open({self._log.store.address!r}, {self.name!r})."
        )
