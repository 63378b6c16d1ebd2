"""MABWiser's interface: `fit`, `partial_fit`, `predict`. MABWiser itself is not imported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lowbid.errors import InvalidValueError
from lowbid.online import Arm, Bandit
from lowbid.policies import Policy


class MAB:
    """A lowbid policy with the methods of MABWiser's `MAB`, without contexts.

    Parameters
    ----------
    arms : list of str or int
        The arms to choose from.
    learning_policy : Policy, optional
        A lowbid policy; by default that of `lowbid.Bandit`.
    seed : int
        Determines the policy's random numbers.
    reward_range : (float, float), optional
        The smallest and the largest reward, for policies that need to know them.

    Examples
    --------
    >>> from lowbid.adapters.mabwiser import MAB
    >>> mab = MAB(["a", "b"], seed=1)
    >>> mab.fit(decisions=["a", "a", "b", "b"], rewards=[20, 17, 25, 9])
    >>> mab.partial_fit(["b", "b"], [30, 28])
    >>> mab.predict()
    'b'
    >>> mab.predict_expectations()
    {'a': 18.5, 'b': 23.0}
    """

    def __init__(
        self,
        arms: Iterable[Arm],
        learning_policy: Policy | None = None,
        seed: int = 0,
        reward_range: tuple[float, float] | None = None,
    ) -> None:
        self.learning_policy, self.seed, self.reward_range = learning_policy, seed, reward_range
        self._bandit = self._new(list(arms))

    @property
    def arms(self) -> list[Arm]:
        """The arms that can be chosen."""
        return self._bandit.arms

    @property
    def bandit(self) -> Bandit:
        """The underlying bandit, with all its methods: `recommend`, `explain`, `save`, ..."""
        return self._bandit

    @property
    def cold_arms(self) -> list[Arm]:
        """The arms without any reported outcome."""
        return [arm for arm, count in self._bandit.counts().items() if count == 0]

    def fit(self, decisions: Sequence[Arm], rewards: Sequence[float], contexts: Any = None) -> None:
        """Forget everything, and learn from these outcomes."""
        fresh = self._new(self.arms)
        _learn(fresh, decisions, rewards, contexts)
        self._bandit = fresh

    def partial_fit(
        self, decisions: Sequence[Arm], rewards: Sequence[float], contexts: Any = None
    ) -> None:
        """Learn from these outcomes as well."""
        _learn(self._bandit, decisions, rewards, contexts)

    def predict(self, contexts: Any = None) -> Any:
        """The arm to play now; before the first `fit` as well."""
        _require_no(contexts)
        return self._bandit.select()

    def predict_expectations(self, contexts: Any = None) -> dict[Arm, float]:
        """The mean reward of each arm; NaN before its first."""
        _require_no(contexts)
        return self._bandit.means()

    def add_arm(self, arm: Arm, binarizer: Any = None) -> None:
        """Add an arm about which nothing is known yet."""
        if binarizer is not None:
            raise InvalidValueError("lowbid takes rewards as they are; leave binarizer out.")
        self._bandit.add_arm(arm)

    def remove_arm(self, arm: Arm) -> None:
        """Remove an arm."""
        self._bandit.remove_arm(arm)

    def _new(self, arms: list[Arm]) -> Bandit:
        return Bandit(arms, self.learning_policy, self.seed, reward_range=self.reward_range)


def _learn(bandit: Bandit, decisions: Any, rewards: Any, contexts: Any) -> None:
    _require_no(contexts)
    bandit.update_many(_plain(decisions), rewards=_plain(rewards))


def _plain(values: Any) -> Any:
    """A list of Python objects, also from arrays and series."""
    return values.tolist() if hasattr(values, "tolist") else values


def _require_no(contexts: Any) -> None:
    if contexts is not None:
        raise InvalidValueError(
            "lowbid's policies take no contexts; leave them out, or keep using MABWiser for these."
        )
