"""Every variant of every policy, for tests of what all of them promise."""

import pytest

from lowbid import policies

VARIANTS = [policy for name in policies.__all__ for policy in getattr(policies, name).variants()]
# Those that differ from a relative in the draw alone, and whose every draw is followed elsewhere.
_TWINS = (
    "DiscountedBetaThompson",
    "DiscountedGaussianThompson",
    "SlidingWindowBetaThompson",
    "SlidingWindowGaussianThompson",
)
_DEFAULTS = [
    getattr(policies, name).variants()[0] for name in policies.__all__ if name not in _TWINS
]


def quick_by_default(some):
    """Parameters for a test that compiles: twins, and variants other than defaults, are slow."""
    return [
        pytest.param(policy, id=policy.name, marks=() if policy in _DEFAULTS else pytest.mark.slow)
        for policy in some
    ]
