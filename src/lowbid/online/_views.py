"""Read-only views of a bandit."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar, overload

from lowbid._require import require_whole
from lowbid.online._by_features import (
    Prediction,
    Predictions,
    predictions,
    require_no_features,
)
from lowbid.online._chart import chart
from lowbid.online._compare import (
    Comparison,
    compared,
    compared_with_control,
    read_comparison,
)
from lowbid.online._core import Core
from lowbid.online._decisions import Arm
from lowbid.online._explain import Explanation, bids_of, explained, indices_of
from lowbid.online._given import MOST_DECISIONS
from lowbid.online._ledger import COUNT, mean_of_row
from lowbid.online._recommend import ArmInterval, Recommendation, arm_intervals, recommended
from lowbid.online._saved import encoded
from lowbid.policies import Bid, Policy

Seen = TypeVar("Seen")


class BanditViews(ABC):
    """The views of a bandit, wherever its core lives: in this process, or in a shared store."""

    @abstractmethod
    def _view(self, look: Callable[[Core], Seen]) -> Seen:
        """Look at the core while nothing changes it."""

    # What it is

    @property
    def policy(self) -> Policy:
        """The policy, as it was given."""
        return self._view(lambda core: core.policy)

    @property
    def arms(self) -> list[Arm]:
        """All arms that can be chosen, by name."""
        return self._view(lambda core: list(core.roster.names))

    @property
    def paused(self) -> list[Arm]:
        """The arms that are paused, by name."""
        return self._view(lambda core: list(core.roster.paused))

    @property
    def n_arms(self) -> int:
        """The number of arms that can be chosen."""
        return self._view(lambda core: core.engine.n_arms)

    @property
    def horizon(self) -> int | None:
        """The number of decisions that will be made, if known."""
        return self._view(lambda core: core.engine.horizon)

    @property
    def expiry(self) -> int | None:
        """The number of further decisions after which one is forgotten."""
        return self._view(lambda core: core.expiry)

    @property
    def step(self) -> int:
        """The step about to be played, from 1."""
        return self._view(lambda core: core.engine.step)

    # Look inside

    def counts(self) -> dict[Arm, int]:
        """The number of outcomes reported for each arm, including paused arms.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green"])
        >>> bandit.update_many(["blue", "blue", "green"], rewards=[1.0, 0.0, 0.2])
        [None, None, None]
        >>> bandit.counts()
        {'blue': 2, 'green': 1}
        """
        return self._view(
            lambda core: {arm: int(row[COUNT]) for arm, row in core.roster.rows.items()}
        )

    def means(self) -> dict[Arm, float]:
        """The mean outcome of each arm, including paused arms; NaN before the first.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green"])
        >>> bandit.update_many(["blue", "blue", "green"], rewards=[1.0, 0.0, 0.2])
        [None, None, None]
        >>> bandit.means()
        {'blue': 0.5, 'green': 0.2}
        """
        return self._view(
            lambda core: {arm: mean_of_row(row) for arm, row in core.roster.rows.items()}
        )

    def indices(self) -> dict[Arm, float]:
        """The index of each arm that can be chosen; the best one is played next.

        It is in your units, and with rewards the highest is best, unless the policy ranks arms by
        evidence: then the lowest is best.
        """
        return self._view(indices_of)

    def bids(self) -> list[Bid]:
        """The arm that each batch of Batch Ensemble would play on its own; the best bid wins."""
        return self._view(bids_of)

    @overload
    def explain(self) -> Explanation: ...
    @overload
    def explain(self, *, features: Any) -> Predictions: ...
    def explain(self, *, features: Any = None) -> Explanation | Predictions:
        """Why the next arm would be chosen: each arm's index, its batches, and the winner.

        With features: what is predicted for each arm, how much is known about features like these,
        and which of them move the prediction most, compared with the average arm.

        Parameters
        ----------
        features : mapping or array, optional
            The features of a choice, if the bandit has features.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["a", "b"], policy=lowbid.BatchEnsemble(batches=2), seed=0)
        >>> for arm, loss in [("a", 1.0), ("a", 0.0), ("b", 1.0), ("b", 1.0), ("b", 1.0)]:
        ...     bandit.update(arm, loss=loss)
        >>> print(bandit.explain())
        arm    count        mean       index  batches (size: estimate)
        a          2         0.5           0  1: 0.3333, 1: 0  <- chosen next
        b          3           1      0.3333  2: 0.5, 1: 0.3333
        BatchEnsemble(batches=2): the lowest index is chosen.
        """
        if features is not None:
            return self._view(lambda core: predictions(core, features))
        return self._view(explained)

    def shares(self, next: int = 1000) -> dict[Arm, float]:
        """The share of the next decisions that each arm would get if no outcome came meanwhile.

        For systems that take shares rather than decisions, such as a flag service: compute them now
        and then, and let `lowbid.assign` give each unit an arm. Nothing is decided by asking.

        Parameters
        ----------
        next : int
            How many decisions there will be before you ask again; at most 100,000.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["a", "b"], lowbid.BetaThompson(), reward_range=(0, 1), seed=0)
        >>> for i in range(20):
        ...     bandit.update("a", reward=float(i % 2))
        ...     bandit.update("b", reward=float(i % 4 == 0))
        >>> bandit.shares(next=500)
        {'a': 0.938, 'b': 0.062}
        """
        many = require_whole("next", next, at_least=1, at_most=MOST_DECISIONS)
        self._view(lambda core: require_no_features(core, "shares"))
        twin = self._view(copy.deepcopy)
        chosen = Counter(twin.decide().arm for _ in range(many))
        return {arm: chosen[arm] / many for arm in twin.roster.names}

    @overload
    def recommend(
        self, confidence: float | None = ..., tolerance: float | None = ...
    ) -> Recommendation: ...
    @overload
    def recommend(self, *, features: Any) -> Prediction: ...
    def recommend(
        self,
        confidence: float | None = None,
        tolerance: float | None = None,
        *,
        features: Any = None,
    ) -> Recommendation | Prediction:
        """The arm to keep if you stop now, and how certain that is; prints as a sentence.

        You may look as often as you like, and stop when you like. If the bandit has become sure at
        its own confidence and tolerance, that verdict is kept, whatever later outcomes look like,
        until arms are added or resumed, or another arm proves better in the outcomes that came
        after the verdict.

        Parameters
        ----------
        confidence, tolerance : float
            By default, those that the bandit was made with.
        features : mapping or array, optional
            The features that the arm is to be best for, if the bandit has features: returns the arm
            of the best prediction, with an approximate interval.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green"], reward_range=(0, 1), seed=0)
        >>> for i in range(400):
        ...     bandit.update("blue", reward=float(i % 5 == 0))
        ...     bandit.update("green", reward=float(i % 2 == 0))
        >>> print(bandit.recommend())
        green is the best arm, since decision 199; a verdict like this is wrong at most once in 20.
        """
        if features is not None:
            return self._view(lambda core: predictions(core, features).arms[0])
        self._view(lambda core: require_no_features(core, "recommend() has no features"))
        return self._view(lambda core: recommended(core, confidence, tolerance))

    def intervals(self, confidence: float = 0.95) -> dict[Arm, ArmInterval]:
        """An interval for each arm's true mean, including paused arms.

        All of them hold together, at all times, with the given confidence. If arms are added or
        removed, that is true for each set of arms on its own: the error budget is split among
        the current arms.

        Parameters
        ----------
        confidence : float
            Between 0 and 1.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["a", "b"], reward_range=(0, 1), seed=0)
        >>> for _ in range(200):
        ...     bandit.update("a", reward=1.0)
        >>> interval = bandit.intervals()["a"]
        >>> round(interval.low, 2), interval.high
        (0.96, 1.0)
        """
        return self._view(lambda core: arm_intervals(core, confidence))

    @overload
    def compare(
        self, arm: Arm, other: Arm, *, by: float = ..., confidence: float = ...
    ) -> Comparison: ...
    @overload
    def compare(
        self, *, control: Arm, by: float = ..., confidence: float = ...
    ) -> dict[Arm, Comparison]: ...
    def compare(
        self,
        arm: Any = None,
        other: Any = None,
        *,
        control: Any = None,
        by: float = 0.0,
        confidence: float = 0.95,
    ) -> Comparison | dict[Arm, Comparison]:
        """How much better an arm is than another, or all arms than a control.

        The intervals hold at all times, so you may look as often as you like and stop when you
        like, however the arms were chosen. They assume that each arm's mean does not change.

        Parameters
        ----------
        arm, other : str or int
            The two arms, which may be paused.
        control : str or int
            Instead of two arms: compare every other arm with this one. All intervals hold together.
        by : float
            Be sure only if the arm is better by more than this, in the unit of the outcomes.
        confidence : float
            Between 0 and 1.

        Examples
        --------
        >>> import lowbid
        >>> bandit = lowbid.Bandit(["blue", "green"], reward_range=(0, 1), seed=0)
        >>> for i in range(1000):
        ...     bandit.update("blue", reward=float(i % 5 == 0))
        ...     bandit.update("green", reward=float(i % 3 == 0))
        >>> found = bandit.compare("green", "blue")
        >>> found.sure
        True
        >>> print(f"{found.difference:.3f}, between {found.low:.3f} and {found.high:.3f}")
        0.134, between 0.052 and 0.216
        >>> bandit.compare("green", "blue", by=0.1).sure
        False
        """
        read_comparison((arm, other), control)
        self._view(lambda core: require_no_features(core, "compare"))
        if control is not None:
            return self._view(lambda core: compared_with_control(core, control, by, confidence))
        return self._view(lambda core: compared(core, arm, other, by, confidence))

    def to_json(self) -> str:
        """The complete state of this bandit, including its random numbers, as text."""
        return self._view(encoded)

    def _repr_html_(self) -> str:
        return self._view(chart)


def described(core: Core, title: str) -> str:
    """A one-line description of a bandit, with a title such as its class name."""
    names = core.roster.names
    parts = ", ".join(repr(arm) for arm in names[:6]) + (", ..." if len(names) > 6 else "")
    paused, pending = len(core.roster.paused), len(core.decisions.pending())
    count = int(sum(row[COUNT] for row in core.roster.rows.values()))
    plural = "outcomes" if core.feedback is None else core.feedback.plural
    text = f"<{title} [{parts}]" + (f", {paused} paused" if paused else "")
    text += f", {core.policy.name}" + (f", {count} {plural}" if count else "")
    return text + (f", {pending} pending>" if pending else ">")
