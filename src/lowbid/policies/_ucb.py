"""The base class of UCB policies."""

from __future__ import annotations

from typing import Any

from lowbid.policies._spread import SpreadPolicy


class UCBPolicy(SpreadPolicy):
    """Base class of policies whose index is a mean less a width, in units of a `scale`.

    The state of a policy whose states add up has a method ``merged(other)``.
    """

    draws_for_ties_only = True

    @property
    def location_free(self) -> bool:
        """Adding a number to every loss moves all indices alike."""
        return True

    def merge(self, first: Any, second: Any) -> Any:
        """Counts, sums and squared deviations add up; the rest is computed again."""
        return first.merged(second) if hasattr(first, "merged") else super().merge(first, second)
