"""Policies that must know how far losses spread.

Such a policy has a parameter, for example `scale` or `sd`, in the unit of the losses. If it is not
given, the policy takes it from the declared range of the losses (`for_range`); without a range it
is 1, which is right for losses in [0, 1].
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

from lowbid._require import require, require_finite
from lowbid.policies._base import Policy

# A width is a difference of two declared numbers, and may be off by rounding.
_ROUNDING = 1e-9


class SpreadPolicy(Policy):
    """Base class of policies with a parameter that says how far losses spread.

    By default it is `scale`, the width of the losses' range, which must equal a declared width.
    """

    spread: ClassVar[str] = "scale"

    def __post_init__(self) -> None:
        require_spread(self.spread, getattr(self, self.spread))

    @property
    def needs_range(self) -> bool:
        """Whether the parameter was left out: the rule then assumes that losses are 1 wide."""
        return getattr(self, self.spread) is None

    def for_range(self, low: float, high: float) -> Policy:
        """Take the declared width, or refuse it if another one was given."""
        given, width = getattr(self, self.spread), high - low
        if given is None:
            return self.with_spread(self.spread_of(width))
        self.check_spread(given, low, high)
        return self

    def spread_of(self, width: float) -> float:
        """The parameter for losses in a range of this width."""
        return width

    def check_spread(self, given: float, low: float, high: float) -> None:
        """Refuse a parameter that a declared range contradicts."""
        require(
            math.isclose(given, high - low, rel_tol=_ROUNDING),
            f"{self.name} has {self.spread}={given:g}, but the losses are declared to lie in a "
            f"range of width {high - low:g}; leave out {self.spread}, which is then set to that "
            "width, or leave out the range.",
        )

    def with_spread(self, value: float) -> Policy:
        """A policy that differs in the parameter only."""
        changes: dict[str, Any] = {self.spread: value}
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def effective(self, name: str, value: Any) -> Any:
        """The value of a parameter that the rule uses: 1 for a spread that is not known."""
        return known_spread(value) if name == self.spread else value


class DeviationPolicy(SpreadPolicy):
    """Base class of policies that must know the losses' standard deviation.

    In a range of width w it is at most w / 2, which is the default if a range is declared; a
    smaller one may be given.
    """

    spread = "sd"

    def spread_of(self, width: float) -> float:
        """The largest standard deviation in a range of this width."""
        return largest_sd(width)

    def check_spread(self, given: float, low: float, high: float) -> None:
        """Refuse a standard deviation that is too large for the declared range."""
        require_sd_within(self.name, given, high - low)


def known_spread(value: float | None) -> float:
    """The spread that a rule uses: 1 if it is not known."""
    return 1.0 if value is None else float(value)


def require_spread(name: str, value: float | None) -> None:
    """Raise an error unless the value is None or a positive number."""
    if value is not None:
        require_finite(name, value, above=0.0)


def largest_sd(width: float) -> float:
    """The standard deviation of losses that are at either end of a range equally often."""
    return 0.5 * width


def require_sd_within(policy: str, sd: float, width: float) -> None:
    """Refuse a standard deviation that no losses in a range of this width have."""
    require(
        sd <= largest_sd(width) * (1.0 + _ROUNDING),
        f"{policy} has sd={sd:g}, but losses in a range of width {width:g} have a standard "
        f"deviation of {largest_sd(width):g} at most; leave out sd, which is then set to that, "
        "give a smaller one, or leave out the range.",
    )
