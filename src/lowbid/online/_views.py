"""Look inside a bandit."""

from __future__ import annotations

import numpy as np

from lowbid.errors import InvalidValueError
from lowbid.online._decisions import Arm
from lowbid.online._explain import ExplainedArm, Explanation, chart
from lowbid.online._ledger import COUNT, MEAN, Ledger, intervals
from lowbid.online._parts import Parts
from lowbid.online._recommend import Recommendation, recommended
from lowbid.policies import BatchEnsemble
from lowbid.policies.batch_ensemble import Bid


class Views(Parts):
    """What can be asked of a bandit; nothing here changes it.

    Means, indices and bids are in the caller's units: with rewards, the highest index wins.
    """

    def counts(self) -> dict[Arm, int]:
        """How many outcomes of each arm were told, paused arms included."""
        with self._lock:
            return {arm: int(row[COUNT]) for arm, row in self._rows().items()}

    def means(self) -> dict[Arm, float]:
        """The mean outcome of each arm, NaN before the first; paused arms included."""
        with self._lock:
            return {arm: _mean(row) for arm, row in self._rows().items()}

    def indices(self) -> dict[Arm, float]:
        """The index of each arm that can be chosen; the best one is played next."""
        with self._lock:
            return self._indices()

    def bids(self) -> list[Bid]:
        """What each batch of Batch Ensemble would play on its own: the best bid wins."""
        with self._lock:
            policy = self.policy
            if not isinstance(policy, BatchEnsemble):
                raise InvalidValueError(f"{policy.name} has no batches; BatchEnsemble has.")
            return [
                Bid(self._roster.names[int(bid.arm)], self._in_units(bid.estimate))
                for bid in policy.bids(self._engine.ahead())
            ]

    def explain(self) -> Explanation:
        """Why the next arm would be chosen: each arm's batches, its index, and the winner.

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
        with self._lock:
            try:
                indices = self._indices()
            except InvalidValueError:  # the policy has none
                indices = {}
            pending = self._decisions.count_by_arm()
            estimates, sizes = self._batches()
            arms = [
                ExplainedArm(
                    arm=arm,
                    count=int(row[COUNT]),
                    mean=_mean(row),
                    pending=pending[arm],
                    paused=arm in self._roster.shelf,
                    index=indices.get(arm),
                    batch_sizes=sizes.get(arm, []),
                    batch_estimates=estimates.get(arm, []),
                )
                for arm, row in self._rows().items()
            ]
            return Explanation(arms, self._kind, self.policy.name)

    def recommend(self, confidence: float = 0.95) -> Recommendation:
        """The arm to keep if you stop now, and how sure that is.

        It is the arm whose mean is best for sure: the one with the best pessimistic end of a
        confidence sequence. The intervals of all arms hold together, at all times, with the given
        confidence, so one may look as often as one likes and stop when one likes.

        Parameters
        ----------
        confidence : float
            Between 0 and 1.
        """
        inside = isinstance(confidence, int | float) and 0.0 < confidence < 1.0
        if not inside:
            raise InvalidValueError(f"confidence is {confidence!r}; give one between 0 and 1.")
        with self._lock:
            ledger, names = self._roster.ledger, list(self._roster.names)
            return recommended(names, ledger, self._feedback, float(confidence))

    def __repr__(self) -> str:
        with self._lock:
            arms = ", ".join(repr(arm) for arm in self._roster.names[:6])
            more = ", ..." if len(self._roster.names) > 6 else ""
            count = int(sum(row[COUNT] for row in self._rows().values()))
            plural = "outcomes" if self._feedback is None else self._feedback.plural
            told = f", {count} {plural}" if count else ""
            shelf = f", {len(self._roster.shelf)} paused" if self._roster.shelf else ""
            pending = self._decisions.count_by_arm().total()
            waiting = f", {pending} pending" if pending else ""
            return f"<Bandit [{arms}{more}]{shelf}, {self.policy.name}{told}{waiting}>"

    def _repr_html_(self) -> str:
        with self._lock:
            rows = self._rows()
            feedback = self._feedback
            declared = None if feedback is None else feedback.declared
            bounds = intervals(np.array(list(rows.values())), declared, 0.05 / len(rows))
            return chart(
                title=self.policy.name,
                kind=self._kind,
                arms=list(rows),
                paused=set(self._roster.shelf),
                counts=[int(row[COUNT]) for row in rows.values()],
                means=[_mean(row) for row in rows.values()],
                bounds=bounds,
            )

    @property
    def _kind(self) -> str:
        return "outcome" if self._feedback is None else self._feedback.kind

    def _rows(self) -> dict[Arm, Ledger]:
        """The ledger of every arm, paused or not."""
        rows = dict(zip(self._roster.names, self._roster.ledger, strict=True))
        return {**rows, **self._roster.shelf}

    def _indices(self) -> dict[Arm, float]:
        values = [self._in_units(index) for index in self._engine.indices()]
        return dict(zip(self._roster.names, values, strict=True))

    def _batches(self) -> tuple[dict[Arm, list[float]], dict[Arm, list[int]]]:
        """The estimates and sizes of every arm's batches, if there are batches."""
        policy, names = self.policy, self._roster.names
        if not isinstance(policy, BatchEnsemble):
            return {}, {}
        state = self._engine.ahead()
        table = policy.estimates(state)
        estimates = [[self._in_units(float(x)) for x in row] for row in table]
        sizes = state.batches.counts[:, : table.shape[1]].astype(int).tolist()
        return dict(zip(names, estimates, strict=True)), dict(zip(names, sizes, strict=True))

    def _in_units(self, loss: float) -> float:
        return loss if self._feedback is None else self._feedback.value(loss)


def _mean(row: Ledger) -> float:
    return float(row[MEAN]) if row[COUNT] > 0 else float("nan")
