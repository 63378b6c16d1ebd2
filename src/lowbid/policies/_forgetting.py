"""What policies that forget old losses have in common."""

from __future__ import annotations

import math
from typing import Any

from lowbid._require import require, require_finite, require_whole
from lowbid.errors import InvalidValueError
from lowbid.policies._base import Policy


class ForgettingPolicy(Policy):
    """Base class of policies whose losses have an order in time."""

    forgets = True

    def merge(self, first: Any, second: Any) -> Any:
        """Refused: the order in time of the losses of two states is not known."""
        raise merge_refused(self.name)


def merge_refused(policy: str) -> InvalidValueError:
    """The error that says why states of a policy that forgets cannot be merged."""
    return InvalidValueError(
        f"two states of {policy} cannot be merged: it forgets the oldest losses first, and losses "
        "of two bandits have no common order in time. Feed all losses to one of them, or choose a "
        "policy that forgets nothing, such as BatchEnsemble without a window."
    )


def tuned_window(horizon: int, changes: int, scale: float = 1.0) -> int:
    """The window 2 B sqrt(T log T / Υ) of Garivier and Moulines (2011).

    Parameters
    ----------
    horizon : int
        T, the number of steps, 2 or larger.
    changes : int
        Υ: how often the arms change in that time.
    scale : float
        B: the width of the losses' range.

    Examples
    --------
    >>> from lowbid.policies import tuned_discount, tuned_window
    >>> tuned_window(10_000, changes=2), round(1 / (1 - tuned_discount(10_000, changes=2)))
    (429, 283)
    """
    horizon, changes = _known(horizon, changes, scale)
    return max(1, int(2.0 * scale * math.sqrt(horizon * math.log(horizon) / changes)))


def tuned_discount(horizon: int, changes: int, scale: float = 1.0) -> float:
    """The discount 1 - sqrt(Υ / T) / (4 B) of Garivier and Moulines (2011).

    Parameters
    ----------
    horizon : int
        T, the number of steps, 2 or larger.
    changes : int
        Υ: how often the arms change in that time.
    scale : float
        B: the width of the losses' range.
    """
    horizon, changes = _known(horizon, changes, scale)
    discount = 1.0 - math.sqrt(changes / horizon) / (4.0 * scale)
    require(
        discount > 0.0,
        f"scale is {scale:g}, for which the formula gives a discount of {discount:g}; give the "
        "width of the losses' range, or choose a discount yourself.",
    )
    return discount


def _known(horizon: int, changes: int, scale: float) -> tuple[int, int]:
    horizon = require_whole("horizon", horizon, at_least=2)
    changes = require_whole("changes", changes, at_most=horizon)
    require_finite("scale", scale, above=0.0)
    return horizon, changes
