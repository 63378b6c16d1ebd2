"""An ask-and-tell interface, like that of optimizers: what to try next, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, overload

from lowbid.errors import UnknownNameError
from lowbid.online import Arm, Bandit, Decision
from lowbid.policies import Policy


class AskTell:
    """Choose among a few options, each of which can be tried many times at some cost.

    As with scikit-optimize's `Optimizer`, values are minimised. The same choice may be returned
    several times before any result is reported.

    Parameters
    ----------
    choices : list of str or int
        The options to try.
    policy : Policy, optional
        As for `lowbid.Bandit`.
    seed : int
        Determines the policy's random numbers.
    loss_range : (float, float), optional
        The smallest and the largest cost, for policies that need to know them.

    Examples
    --------
    >>> from lowbid.adapters.ask_tell import AskTell
    >>> optimizer = AskTell(["adam", "sgd"], seed=0)
    >>> for _ in range(50):
    ...     choice = optimizer.ask()
    ...     optimizer.tell(choice, 0.1 if choice == "adam" else 0.7)
    >>> optimizer.best()
    'adam'
    """

    def __init__(
        self,
        choices: Iterable[Arm],
        policy: Policy | None = None,
        seed: int = 0,
        loss_range: tuple[float, float] | None = None,
    ) -> None:
        self.bandit = Bandit(choices, policy, seed, loss_range=loss_range)
        self._asked: dict[Arm, list[Decision]] = {}

    @overload
    def ask(self) -> Any: ...
    @overload
    def ask(self, n_points: int) -> list[Any]: ...
    def ask(self, n_points: int | None = None) -> Any:
        """The choice to try next, or several to try at once."""
        if n_points is None:
            return self._remembered(self.bandit.decide())
        return [self._remembered(decision) for decision in self.bandit.decide(n_points)]

    @overload
    def tell(self, x: Arm, y: float) -> None: ...
    @overload
    def tell(self, x: list[Arm], y: list[float]) -> None: ...
    def tell(self, x: Any, y: Any) -> None:
        """Report the cost of one or several choices, whether or not they were asked for."""
        choices, costs = (x, y) if isinstance(x, list) else ([x], [y])
        waiting = {arm: list(decisions) for arm, decisions in self._asked.items()}
        answers = [waiting[arm].pop(0) if waiting.get(arm) else arm for arm in choices]
        self.bandit.update_many(answers, losses=costs)
        self._asked = waiting

    def forget(self, x: Arm) -> None:
        """Discard a choice that failed or will not be tried."""
        if not self._asked.get(x):
            raise UnknownNameError(
                f"{x!r} was not returned by ask(), or its outcome was already reported."
            )
        self.bandit.forget(self._asked[x].pop(0))

    def best(self) -> Any:
        """The choice to keep now; `bandit.recommend()` says how certain that is."""
        return self.bandit.recommend().arm

    def _remembered(self, decision: Decision) -> Arm:
        self._asked.setdefault(decision.arm, []).append(decision)
        return decision.arm
