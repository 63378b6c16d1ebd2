"""The base class of environments that change another one's losses."""

from __future__ import annotations

from typing import Any

from lowbid._arrays import Floats
from lowbid._require import invalid
from lowbid.environments._base import Arms


class Wrapped(Arms):
    """The arms of another environment, with the changes that a subclass makes."""

    def __init__(self, environment: Arms) -> None:
        if not isinstance(environment, Arms):
            raise invalid(
                "environment",
                environment,
                "give arms such as Bernoulli([0.1, 0.2]), not drawn at random.",
            )
        self.environment = environment

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return self.environment.n_arms

    def table(self, seed: int = 0, runs: int = 1) -> Floats:
        """The arms' parameters: one instance for all runs."""
        return self.environment.table(seed, runs)

    def means_of(self, table: Floats) -> Floats:
        """The arms' mean losses, (instance, arm)."""
        return self.environment.means_of(table)

    def variances_of(self, table: Floats) -> Floats:
        """The arms' variances, (instance, arm)."""
        return self.environment.variances_of(table)

    def describe(self) -> dict[str, Any]:
        """The name of the change, and the environment that is changed."""
        return {"environment": type(self).__name__, "of": self.environment.describe()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.environment!r})"
