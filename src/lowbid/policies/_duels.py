"""What all sub-sampling duels (SDA) share."""

from __future__ import annotations

from dataclasses import dataclass

from lowbid._require import require_flag
from lowbid.policies._base import Policy


@dataclass(frozen=True)
class DuelPolicy(Policy):
    """Base class of policies whose arms duel with a sub-sample of the leader's losses, in rounds.

    Parameters
    ----------
    forced_exploration : bool
        Play an arm without a duel while it has fewer than sqrt(log r) losses in round r.
    """

    forced_exploration: bool = False

    def __post_init__(self) -> None:
        require_flag("forced_exploration", self.forced_exploration)

    @classmethod
    def variants(cls) -> list[Policy]:
        """With and without forced exploration."""
        return [cls(), cls(forced_exploration=True)]

    @property
    def scale_free(self) -> bool:
        """Only means are compared."""
        return True

    @property
    def location_free(self) -> bool:
        """Only means of equally many losses are compared."""
        return True
