"""Arms that were added and have no outcome yet: they get at most their fair share of decisions.

A policy that ignores pending decisions finds such an arm as promising after a thousand decisions as
before the first one. So the bandit leaves it out while it has had more than its share.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple, Self

from lowbid._require import require, require_whole
from lowbid.online._decisions import Arm


class Share(NamedTuple):
    """The decisions since an arm was added, while it could be chosen.

    Attributes
    ----------
    had : int
        Those that were for it.
    made : int
        All of them.
    """

    had: int
    made: int


class Newcomers(dict[Arm, Share]):
    """The arms that were added and have no outcome yet; an outcome or a removal drops an arm.

    Always empty for a policy that counts pending decisions itself.
    """

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data, nothing if there are none."""
        rows = [[arm, *share] for arm, share in self.items()]
        return {"newcomers": rows} if rows else {}

    @classmethod
    def from_data(cls, saved: dict[str, Any], arms: Collection[Arm]) -> Self:
        """Restore what `to_data` returned, or raise an error if it cannot have been so."""
        newcomers = cls()
        for arm, had, made in saved.get("newcomers", ()):
            require(arm in arms, f"a newcomer is {arm!r}; there is no such arm.")
            made = require_whole(f"the decisions since {arm!r} was added", made, at_least=0)
            had = require_whole(f"the decisions for {arm!r}", had, at_least=0, at_most=made)
            newcomers[arm] = Share(had, made)
        return newcomers

    def welcome(self, arm: Arm) -> None:
        """Note an arm that was added."""
        self[arm] = Share(0, 0)

    def count(self, chosen: Arm, arms: Collection[Arm]) -> None:
        """Note a decision that could be for any of these arms."""
        for arm, (had, made) in self.items():
            if arm in arms:
                self[arm] = Share(had + (arm == chosen), made + 1)

    def left_out(self, arms: Collection[Arm]) -> list[Arm]:
        """Those of these arms that the next decision leaves out; never all of them."""
        out = [arm for arm, (had, made) in self.items() if arm in arms and had * len(arms) > made]
        return out if len(out) < len(arms) else []

    def merge(self, other: Newcomers, arms: Collection[Arm]) -> None:
        """Add the counts of another bandit, and keep these arms."""
        for arm in {**self, **other}:
            mine, theirs = self.get(arm, Share(0, 0)), other.get(arm, Share(0, 0))
            self[arm] = Share(mine.had + theirs.had, mine.made + theirs.made)
        for arm in [arm for arm in self if arm not in arms]:
            del self[arm]
