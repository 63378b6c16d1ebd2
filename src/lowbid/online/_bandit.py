"""A bandit to put into a product: names, units, late feedback."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any, overload

from lowbid._require import require_whole
from lowbid.errors import InvalidValueError
from lowbid.online._decisions import Arm, Decision, Decisions, Why
from lowbid.online._engine import Engine
from lowbid.online._feedback import Feedback, Kind, feedback_for, read_range, read_value
from lowbid.online._ledger import empty_ledger
from lowbid.online._roster import Roster, read_arms
from lowbid.online._storage import Storage
from lowbid.online._views import Views
from lowbid.policies import BatchEnsemble, Policy


class Bandit(Views, Storage):
    """A policy that is asked what to do, and told what came of it.

    Parameters
    ----------
    arms : int or list of str or int
        What there is to choose from, by name; a number stands for 0, 1, 2, ...
    policy : Policy, optional
        By default ``BatchEnsemble(baseline="minimum")``, which takes losses or rewards of any
        size and sign and has nothing to tune.
    seed : int
        0 or larger; fixes the policy's own randomness.
    horizon : int, optional
        The number of decisions that will be made, for policies that need to know it.
    loss_range, reward_range : (float, float), optional
        The smallest and the largest loss, or reward, that can come up. Policies that take losses
        in [0, 1] only get them scaled; values outside are refused; and `recommend` gives
        intervals that hold at every sample size.
    expiry : int, optional
        A decision whose outcome is not known after this many further decisions is forgotten.

    Notes
    -----
    Arms numbered 0, 1, 2, ... that are selected and updated in turn make the same choices as the
    first run of `simulate` with the same seed.

    Several threads may share a bandit: each call takes effect as a whole, as if they came one
    after the other, and no update is lost. Two calls in a row are two steps: another thread may
    come in between.

    Examples
    --------
    >>> import lowbid
    >>> bandit = lowbid.Bandit(["short page", "long page"], seed=0)
    >>> for _ in range(100):
    ...     page = bandit.select()
    ...     bandit.update(page, reward=12.5 if page == "long page" else 3.0)
    >>> bandit.select()
    'long page'
    >>> bandit.means()
    {'short page': 3.0, 'long page': 12.5}
    """

    def __init__(
        self,
        arms: int | Iterable[Arm],
        policy: Policy | None = None,
        seed: int = 0,
        horizon: int | None = None,
        *,
        loss_range: tuple[float, float] | None = None,
        reward_range: tuple[float, float] | None = None,
        expiry: int | None = None,
    ) -> None:
        names = read_arms(arms)
        self.policy = BatchEnsemble(baseline="minimum") if policy is None else policy
        if not isinstance(self.policy, Policy):
            raise InvalidValueError(f"policy is {policy!r}; give an object such as UCB1().")
        self.expiry = None if expiry is None else require_whole("expiry", expiry)
        if loss_range is not None and reward_range is not None:
            raise InvalidValueError("give loss_range or reward_range, not both.")
        self._feedback: Feedback | None = None
        if loss_range is not None or reward_range is not None:
            kind: Kind = "loss" if reward_range is None else "reward"
            declared = read_range(f"{kind}_range", loss_range if kind == "loss" else reward_range)
            self._feedback = feedback_for(self.policy, kind, declared)
        steps = None if horizon is None else require_whole("horizon", horizon)
        self._engine = Engine(self.policy, len(names), seed, steps)
        self._roster = Roster(names, self._engine, empty_ledger(len(names)))
        self._decisions = Decisions()
        self._lock = threading.Lock()

    def select(self) -> Any:
        """The arm to play now, if its outcome will be told before the next one is asked for.

        With late feedback, use `decide`.
        """
        self._lock.acquire()  # `with` would take twice as long
        try:
            return self._roster.names[self._engine.select()]
        finally:
            self._lock.release()

    @overload
    def decide(self) -> Decision: ...
    @overload
    def decide(self, n: int) -> list[Decision]: ...
    def decide(self, n: int | None = None) -> Decision | list[Decision]:
        """Choose an arm, and remember that its outcome is still to come.

        Parameters
        ----------
        n : int, optional
            Make a list of this many decisions, to be taken before any of their outcomes.
        """
        many = None if n is None else require_whole("n", n, at_least=0)
        with self._lock:
            return self._decide() if many is None else [self._decide() for _ in range(many)]

    def _decide(self) -> Decision:
        engine = self._engine
        if self.expiry is not None:
            for decision in self._decisions.expired(before=engine.step - self.expiry):
                with self._roster.awake(decision.arm) as arm:
                    self._engine.hold(arm, -1)
        arm = engine.select()
        engine.hold(arm, 1)
        decision = self._decisions.add(self._roster.names[arm], engine.step)
        engine.step += 1
        return decision

    def update(
        self,
        what: Arm | Decision,
        *bare: Any,
        loss: float | None = None,
        reward: float | None = None,
    ) -> Why:
        """Tell what came of an arm, or of a decision.

        Parameters
        ----------
        what : str, int or Decision
            An arm by name, or what `decide` gave.
        loss, reward : float
            One of the two, and the same one throughout.

        Returns
        -------
        None, "closed" or "removed"
            None if it was taken in. Else nothing has changed: the decision was answered or
            forgotten before, or its arm was removed.
        """
        self._lock.acquire()  # `with` would take twice as long
        try:
            feedback, value = self._feedback, loss if reward is None else reward
            other = reward if feedback is None or not feedback.rewards else loss
            if feedback is None or bare or other is not None or value is None:
                feedback = self._feedback_for(bare, loss, reward)
            if type(value) is not float or not feedback.low <= value <= feedback.high:
                value = read_value(value, feedback)
            return self._take_in(what, value, feedback)
        finally:
            self._lock.release()

    def update_many(
        self,
        what: Iterable[Arm | Decision],
        *bare: Any,
        losses: Sequence[float] | None = None,
        rewards: Sequence[float] | None = None,
    ) -> list[Why]:
        """Tell what came of many arms or decisions: all are taken in, or none if one is wrong.

        Returns
        -------
        list
            What `update` gives, for each.
        """
        if bare or (losses is None) == (rewards is None):
            raise InvalidValueError(_which(_MANY, bare, losses, rewards))
        values = losses if rewards is None else rewards
        items, numbers = _listed("what to update", what), _listed("what came of it", values)
        with self._lock:
            feedback = self._feedback_for((), losses, rewards)
            if len(items) != len(numbers):
                raise InvalidValueError(
                    f"there are {len(items)} arms or decisions, but {len(numbers)} "
                    f"{feedback.plural}; give one for each."
                )
            checked = [read_value(value, feedback) for value in numbers]
            for item in items:
                self._status(item)
            return [self._take_in(*pair, feedback) for pair in zip(items, checked, strict=True)]

    def _take_in(self, what: Arm | Decision, value: float, feedback: Feedback) -> Why:
        """Take in a value that was checked."""
        roster, engine, decisions = self._roster, self._engine, self._decisions
        if type(what) is str or type(what) is int:  # the quick way: most are of this kind
            arm = roster.number.get(what)
            if arm is not None and not decisions.open:
                engine.update(arm, value, engine.step, roster.ledger, feedback.scale)
                engine.step += 1
                self._feedback = feedback
                return None
        why = self._status(what)
        if isinstance(what, Decision):
            decisions.close(what)
        if why is not None:
            return why
        if isinstance(what, Decision):
            with roster.awake(what.arm) as arm:
                roster.update(arm, value, feedback, engine.step - 1, 1)
        else:
            with roster.awake(what) as arm:
                roster.update(arm, value, feedback, engine.step, 0)
            engine.step += 1
        self._feedback = feedback
        return None

    def _status(self, what: Arm | Decision) -> Why:
        """Whether feedback for this can be taken in (None), or why not."""
        if isinstance(what, Decision):
            return self._decisions.status(what)
        return self._roster.status(what)

    def _feedback_for(self, bare: tuple[Any, ...], loss: Any, reward: Any) -> Feedback:
        """How what was given becomes a loss, or a clear error."""
        if bare or (loss is None) == (reward is None):
            raise InvalidValueError(_which(_ONE, bare, loss, reward))
        kind: Kind = "loss" if reward is None else "reward"
        feedback = self._feedback
        if feedback is None:
            return feedback_for(self.policy, kind, None)
        if feedback.kind != kind:
            raise InvalidValueError(
                f"this bandit takes {feedback.plural}, but got a {kind}; losses and rewards cannot "
                "be mixed in one bandit."
            )
        return feedback

    def forget(self, decision: Decision) -> Why:
        """Give up on a decision's outcome; gives what `update` would."""
        if not isinstance(decision, Decision):
            raise InvalidValueError(f"{decision!r} is not a decision; give what decide() gave.")
        with self._lock:
            why = self._decisions.status(decision)
            self._decisions.close(decision)
            if why is None:
                with self._roster.awake(decision.arm) as arm:
                    self._engine.hold(arm, -1)
            return why

    def add_arm(self, arm: Arm) -> None:
        """Add an arm of which nothing is known; it will be explored."""
        with self._lock:
            self._roster.add(arm)

    def remove_arm(self, arm: Arm) -> None:
        """Take an arm away for good; feedback that comes later is answered with "removed"."""
        with self._lock:
            self._roster.remove(arm)
            self._decisions.remove_arm(arm)

    def pause_arm(self, arm: Arm) -> None:
        """Do not choose an arm until `resume_arm`; its late feedback is still taken in."""
        with self._lock:
            self._roster.pause(arm)

    def resume_arm(self, arm: Arm) -> None:
        """Let a paused arm be chosen again, with all that is known of it."""
        with self._lock:
            self._roster.resume(arm)


# The two ways to say what came of one arm, and of many.
_ONE = ("update(arm, loss={})", "update(arm, reward={})")
_MANY = ("update_many(arms, losses={})", "update_many(arms, rewards={})")


def _which(ways: tuple[str, str], bare: tuple[Any, ...], loss: Any, reward: Any) -> str:
    """What to say to someone who did not say which of loss and reward it is."""
    if bare:
        first, second = (way.format(repr(bare[0])) for way in ways)
        return f"{bare[0]!r} may be a loss or a reward; say which: {first} or {second}."
    first, second = (way.format("...") for way in ways)
    if loss is None:
        return f"nothing was given; say {first} or {second}."
    return f"both {loss!r} as loss and {reward!r} as reward were given; say {first} or {second}."


def _listed(name: str, values: Any) -> list[Any]:
    try:
        return list(values)
    except TypeError as error:
        raise InvalidValueError(f"{name} is {values!r}; give a list.") from error
