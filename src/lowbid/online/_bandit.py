"""A bandit for use in a product: names, units, late feedback."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, overload

from lowbid._compile import When
from lowbid._random import Stream
from lowbid._replace_file import replace_file
from lowbid._require import require_whole
from lowbid.errors import InvalidValueError
from lowbid.online._core import Core
from lowbid.online._decisions import Arm, Decision, Rejection
from lowbid.online._features import read_features
from lowbid.online._given import (
    MANY,
    ONE,
    read_context,
    read_context_of,
    read_feedback,
    read_kind,
    read_list,
    read_number_of_decisions,
    read_policy,
    read_when,
    require_on_sure,
)
from lowbid.online._roster import read_arms
from lowbid.online._saved import decoded
from lowbid.online._verdict import OnSure, Verdicts
from lowbid.online._views import BanditViews, Seen, described
from lowbid.policies import Policy

_NO_LOG = (
    "this bandit keeps no log, so that it cannot {}; use lowbid.open(url, name, arms=[...]), whose "
    "bandits have {}()."
)


class Bandit(BanditViews):
    """An online bandit: `select` returns an arm, `update` records its outcome.

    Parameters
    ----------
    arms : int or list of str or int
        The names of the arms to choose from; a number n stands for 0, 1, ..., n - 1.
    policy : Policy, optional
        By default `BatchLikelihood`, which takes losses or rewards of any size and sign, has
        nothing to tune, and won the league of policies without prior knowledge.
    seed : int
        0 or larger; determines the policy's randomness.
    horizon : int, optional
        The number of decisions that will be made, for policies that need to know it.
    loss_range, reward_range : (float, float), optional
        The smallest and the largest possible loss, or reward. Policies that have a scale use it;
        policies that only take losses in [0, 1] get them rescaled; values outside are refused; and
        `recommend` gives intervals that hold at every sample size.
    expiry : int, optional
        A decision whose outcome is still unknown after this many further decisions is forgotten.
    confidence : float
        Of the verdict that an arm is the best: a verdict is ever wrong with a probability of at
        most 1 - confidence. Once given, it is kept; see `recommend`.
    tolerance : float
        The verdict need not tell arms apart whose means differ by less than this.
    on_sure : {"keep", "stop"}
        What changes with the verdict: nothing but what `recommend` says, or all further decisions
        go to the best arm.
    compiled : {"background", "now", "never"}, optional
        When the policy is compiled; this does not affect its choices. "background": it runs
        uncompiled at first, about a hundred times slower, and switches to compiled code between two
        calls as soon as that is ready; no call waits for it. "now": before the constructor returns,
        which takes half a second unless it was done before on this machine (``lowbid warm``).
        "never": not at all. By default, the value of the environment variable ``LOWBID_COMPILED``,
        or "background".
    features : mapping or int, optional
        What is known about each choice, such as ``{"age": float, "country": ["DE", "FR"]}``: a
        number (``float``; ``float | None`` if it may be missing), a ``bool``, or a list of
        categories, in which ``"other"`` stands for all that are not listed and None for a missing
        one. A number n stands for arrays of n numbers. Each choice then is the arm that is best for
        its features, by default by `contextual.LinearIMED`.

    Notes
    -----
    Arms numbered 0, 1, 2, ... that are selected and updated in turn make the same choices as the
    first run of `simulate` with the same seed.

    Several threads may share a bandit: calls are atomic, as if they came one after another, and no
    update is lost. Two calls in a row are two steps: another thread may act in between.

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

    _core: Core
    _lock: threading.Lock

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
        confidence: float = 0.95,
        tolerance: float = 0.0,
        on_sure: OnSure = "keep",
        compiled: When | None = None,
        features: Mapping[str, Any] | int | None = None,
    ) -> None:
        names = read_arms(arms)
        declared = read_features(features)
        policy = read_policy(policy, declared)
        expiry = None if expiry is None else require_whole("expiry", expiry)
        steps = None if horizon is None else require_whole("horizon", horizon)
        feedback = read_feedback(policy, loss_range, reward_range)
        when = read_when(compiled)
        verdicts = Verdicts()
        verdicts.set(confidence, tolerance, on_sure, feedback)
        require_on_sure(declared, on_sure)
        self._core = Core.new(
            names, policy, seed, steps, feedback, expiry, when, verdicts, declared
        )
        self._lock = threading.Lock()

    # What it is

    @property
    def capacity(self) -> int:
        """The number of steps for which there is currently room."""
        return self._core.engine.capacity

    @property
    def parameters(self) -> Any:
        """The parameters as the policy's kernels read them."""
        return self._core.engine.parameters

    @property
    def state(self) -> Any:
        """The policy's state; arms are numbers there, in the order of `arms`."""
        return self._core.engine.state

    @property
    def stream(self) -> Stream:
        """The policy's random numbers."""
        return self._core.engine.stream

    # Choose, and learn

    def select(self, *, features: Any = None) -> Any:
        """The arm to play now, if its outcome will be reported before the next call.

        With late feedback, use `decide`.

        Parameters
        ----------
        features : mapping or array, optional
            The features of this choice, if the bandit has features.
        """
        self._lock.acquire()  # `with` would take twice as long
        try:
            core = self._core
            if core.features is None and features is None:
                return core.roster.names[core.select()]
            return core.roster.names[core.select(read_context(core.features, features))]
        finally:
            self._lock.release()

    @overload
    def decide(self, *, features: Any = ...) -> Decision: ...
    @overload
    def decide(self, n: int, *, features: Any = ...) -> list[Decision]: ...
    def decide(self, n: int | None = None, *, features: Any = None) -> Decision | list[Decision]:
        """Choose an arm, and record that its outcome is pending.

        Parameters
        ----------
        n : int, optional
            Return a list of this many decisions, all made before any of their outcomes; at most
            100,000.
        features : mapping or array, optional
            The features of the decision, or of all of them, if the bandit has features. They are
            kept with it: its outcome is reported without.
        """
        many = read_number_of_decisions(n)
        with self._lock:
            core = self._core
            columns = read_context(core.features, features)
            if many is None:
                return core.decide(columns)
            return [core.decide(columns) for _ in range(many)]

    def update(
        self,
        what: Arm | Decision,
        *bare: Any,
        loss: float | None = None,
        reward: float | None = None,
        features: Any = None,
    ) -> Rejection | None:
        """Report the outcome of an arm, or of a decision.

        Parameters
        ----------
        what : str, int or Decision
            The name of an arm, or a decision that `decide` returned.
        loss, reward : float
            One of the two, and always the same one.
        features : mapping or array, optional
            The features that an arm was chosen for without `decide`, if the bandit has features.

        Returns
        -------
        None, "closed" or "removed"
            None if it was recorded. Otherwise nothing has changed: the decision was answered or
            forgotten before, or its arm was removed.
        """
        self._lock.acquire()  # `with` would take twice as long
        try:
            core = self._core
            feedback, value = core.feedback, loss if reward is None else reward
            other = reward if feedback is None or not feedback.rewards else loss
            if feedback is None or bare or other is not None or value is None:
                feedback = core.feedback_of(read_kind(ONE, bare, loss, reward))
            if type(value) is not float or not feedback.near_low <= value <= feedback.near_high:
                value = core.read(value, feedback)
            if core.features is None and features is None:
                return core.take_in(what, value, feedback)
            columns = read_context_of(core.features, what, features)
            core.status(what)
            return core.take_in(what, value, feedback, columns)
        finally:
            self._lock.release()

    def update_many(
        self,
        what: Iterable[Arm | Decision],
        *bare: Any,
        losses: Sequence[float] | None = None,
        rewards: Sequence[float] | None = None,
        features: Sequence[Any] | None = None,
    ) -> list[Rejection | None]:
        """Report the outcomes of many arms or decisions: all are recorded, or none if one is wrong.

        Parameters
        ----------
        what : list
            Arms or decisions.
        losses, rewards : list
            One of the two.
        features : list, optional
            For each arm its features, and None for each decision, if the bandit has features.

        Returns
        -------
        list
            What `update` would return for each.
        """
        kind = read_kind(MANY, bare, losses, rewards)
        values = read_list("the list of values", losses if kind == "loss" else rewards)
        items = read_list("the list of arms or decisions", what)
        with self._lock:
            core = self._core
            feedback = core.feedback_of(kind)
            if len(items) != len(values):
                raise InvalidValueError(
                    f"there are {len(items)} arms or decisions, but {len(values)} "
                    f"{feedback.plural}; give one for each."
                )
            checked = [core.read(value, feedback) for value in values]
            given = [None] * len(items) if features is None else read_list("features", features)
            if len(given) != len(items):
                raise InvalidValueError(
                    f"there are {len(items)} arms or decisions, but {len(given)} features; give "
                    "one for each, None for a decision."
                )
            columns = [read_context_of(core.features, *p) for p in zip(items, given, strict=True)]
            for item in items:
                core.status(item)
            lines = zip(items, checked, columns, strict=True)
            return [core.take_in(item, value, feedback, x) for item, value, x in lines]

    def learn_from(
        self, log: Any, *, arm: str = "arm", reward: str | None = None, loss: str | None = None
    ) -> int:
        """Learn from a log, in its order, as if `update` had reported each line.

        Parameters
        ----------
        log : path, frame, mapping, list or Log
            What `lowbid.read_log` reads: a CSV, JSON lines or Parquet file, a pandas or polars
            frame, ...
        arm : str
            The column of arms.
        reward, loss : str or None
            The column of outcomes; by default ``"reward"`` or ``"loss"``, whichever exists.

        Returns
        -------
        int
            The number of lines recorded.

        Raises
        ------
        LogError
            If lines cannot be used: its `refused` lists all of them, and the bandit is unchanged.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green"])
        >>> bandit.learn_from({"arm": ["blue", "green", "blue"], "reward": [1.0, 0.0, 0.5]})
        3
        >>> bandit.means()
        {'blue': 0.75, 'green': 0.0}
        """
        # Reading files needs modules that a bandit's first decision should not wait for.
        from lowbid.logs import Names
        from lowbid.online._learn import learn

        with self._lock:
            core = copy.deepcopy(self._core)  # whatever interrupts this, the bandit stays intact
            lines = learn(core, log, Names(arm, reward, loss, propensity=None))
            self._core = core
            return lines

    def forget(self, decision: Decision) -> Rejection | None:
        """Discard a pending decision; returns the same values as `update`.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green"], seed=0)
        >>> decision = bandit.decide()
        >>> bandit.forget(decision)
        >>> bandit.update(decision, reward=1.0)
        'closed'
        """
        if not isinstance(decision, Decision):
            raise InvalidValueError(f"{decision!r} is not a decision; give one made by decide().")
        with self._lock:
            return self._core.forget(decision)

    def pending(self) -> list[Decision]:
        """The decisions whose outcomes are pending, oldest first.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green"], seed=0)
        >>> first, second = bandit.decide(2)
        >>> bandit.update(first, reward=1.0)
        >>> bandit.pending() == [second]
        True
        """
        with self._lock:
            return self._core.decisions.pending()

    def amend(self, *_: Any, **__: Any) -> None:
        """Refuse to correct an outcome: this bandit keeps no log; a shared one does."""
        raise InvalidValueError(_NO_LOG.format("correct outcomes", "amend"))

    def void(self, *_: Any, **__: Any) -> None:
        """Refuse to let outcomes not count: this bandit keeps no log; a shared one does."""
        raise InvalidValueError(_NO_LOG.format("take outcomes back", "void"))

    # Arms come and go

    def add_arm(self, arm: Arm) -> None:
        """Add an arm about which nothing is known yet; it will be explored.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green"])
        >>> bandit.add_arm("red")
        >>> bandit.arms
        ['blue', 'green', 'red']
        """
        with self._lock:
            self._core.add_arm(arm)

    def remove_arm(self, arm: Arm) -> None:
        """Remove an arm for good; later outcomes are answered with "removed".

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green", "red"])
        >>> bandit.remove_arm("red")
        >>> bandit.arms
        ['blue', 'green']
        >>> bandit.update("red", reward=1.0)
        'removed'
        """
        with self._lock:
            self._core.remove_arm(arm)

    def pause_arm(self, arm: Arm) -> None:
        """Stop choosing an arm until `resume_arm`; its late outcomes are still recorded.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green"])
        >>> bandit.pause_arm("blue")
        >>> bandit.paused, bandit.select()
        (['blue'], 'green')
        """
        with self._lock:
            self._core.pause_arm(arm)

    def resume_arm(self, arm: Arm) -> None:
        """Let a paused arm be chosen again, with everything learned about it.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green"])
        >>> bandit.pause_arm("blue")
        >>> bandit.resume_arm("blue")
        >>> bandit.paused
        []
        """
        with self._lock:
            self._core.resume_arm(arm)

    # Be sure

    def change(
        self,
        *,
        confidence: float | None = None,
        tolerance: float | None = None,
        on_sure: OnSure | None = None,
    ) -> None:
        """Ask for another kind of verdict; a verdict of another kind is withdrawn.

        That is a new promise: each of the two verdicts may be wrong with its probability.

        Parameters
        ----------
        confidence, tolerance, on_sure
            As for a new bandit; what is not given stays.
        """
        with self._lock:
            core = self._core
            if core.verdicts.set(confidence, tolerance, on_sure, core.feedback):
                core.verdicts.withdraw("the confidence or the tolerance was changed")

    def reopen(self) -> None:
        """Withdraw the verdict, if there is one: the policy decides again until the next one.

        All outcomes so far count for the next verdict, which is a new promise: each may be wrong
        with its probability.
        """
        with self._lock:
            self._core.verdicts.withdraw("the question was reopened")

    def _view(self, look: Callable[[Core], Seen]) -> Seen:
        with self._lock:
            return look(self._core)

    def __repr__(self) -> str:
        return self._view(lambda core: described(core, "Bandit"))

    # Save, restore, share

    @classmethod
    def from_json(
        cls,
        text: str,
        *,
        policy: Policy | None = None,
        compiled: When | None = None,
    ) -> Self:
        """Restore a bandit, which continues exactly as the one that `to_json` saved.

        Parameters
        ----------
        text : str
            The text that `to_json` returned.
        policy : Policy, optional
            The policy, if it is not part of lowbid or has a function among its parameters: code is
            not stored in the text.
        compiled : {"background", "now", "never"}, optional
            When the policy is compiled, as for a new bandit.
        """
        return cls._of(decoded(text, policy, "the text", read_when(compiled)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_json` to a file.

        The file is replaced atomically: even if the machine stops, it is either the old one or the
        new one. When `save` returns, the new one is on disk.

        Examples
        --------
        >>> import lowbid, tempfile
        >>> bandit = lowbid.Bandit(["blue", "green"])
        >>> bandit.update("blue", reward=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bandit.save(f"{folder}/bandit.json")
        ...     lowbid.Bandit.load(f"{folder}/bandit.json").counts()
        {'blue': 1, 'green': 0}
        """
        text = self.to_json()
        with replace_file(Path(path), durable=True) as file:
            file.write(text.encode())

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        policy: Policy | None = None,
        compiled: When | None = None,
    ) -> Self:
        """Read a file that `save` wrote; see `from_json`."""
        text = Path(path).read_bytes()
        return cls._of(decoded(text, policy, str(path), read_when(compiled)))

    @classmethod
    def load_or_new(
        cls,
        path: str | os.PathLike[str],
        arms: int | Iterable[Arm],
        policy: Policy | None = None,
        seed: int = 0,
        horizon: int | None = None,
        **options: Any,
    ) -> Self:
        """The bandit in a file, or a new one if the file does not exist yet.

        What it has learned comes from the file. Arms that are not in the file are added; none is
        removed. A policy, horizon or range that differs from the file's is refused.

        Parameters
        ----------
        path : str or path
            The file that `save` writes.
        arms, policy, seed, horizon, **options
            As for a new bandit.
        """
        fresh = cls(arms, policy, seed, horizon, **options)
        if not Path(path).exists():
            return fresh
        loaded = cls.load(path, policy=policy, compiled=options.get("compiled"))
        loaded._core.adopt(fresh._core, where=str(path))
        return loaded

    def merge(self, other: Self) -> None:
        """Add everything that another bandit has learned from feedback that this one did not see.

        Both must have the same policy, arms and kind of feedback. The other bandit is not changed;
        from now on, this one also accepts outcomes of its decisions. This works only once: for
        processes that keep learning from each other, use `lowbid.open`.

        Examples
        --------
        >>> import lowbid
        >>> here, there = lowbid.Bandit(["blue", "green"]), lowbid.Bandit(["blue", "green"], seed=1)
        >>> here.update("blue", reward=1.0)
        >>> there.update("green", reward=0.5)
        >>> here.merge(there)
        >>> here.counts()
        {'blue': 1, 'green': 1}
        """
        if not isinstance(other, Bandit):
            raise InvalidValueError(f"{other!r} is not a bandit; give one.")
        with other._lock:  # only one lock is held at a time
            twin = copy.deepcopy(other._core)
        with self._lock:
            self._core.merge(twin)

    @classmethod
    def _of(cls, core: Core) -> Self:
        """A bandit around a restored core."""
        bandit = cls.__new__(cls)
        bandit.__setstate__({"_core": core})
        return bandit

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # the copy must not change while it is being pickled
            parts = {name: part for name, part in self.__dict__.items() if name != "_lock"}
            return copy.deepcopy(parts)

    def __setstate__(self, parts: dict[str, Any]) -> None:
        self.__dict__.update(parts)
        self._lock = threading.Lock()
