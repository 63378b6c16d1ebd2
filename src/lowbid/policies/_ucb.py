"""The base class of UCB policies."""

from __future__ import annotations

from lowbid.policies._spread import SpreadPolicy


class UCBPolicy(SpreadPolicy):
    """Base class of policies whose index is a mean less a width, in units of a `scale`."""

    draws_for_ties_only = True

    @property
    def location_free(self) -> bool:
        """Adding a number to every loss moves all indices alike."""
        return True
