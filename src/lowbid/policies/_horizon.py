"""The horizon, for policies that must know it."""

from __future__ import annotations

from lowbid._require import require, require_whole


def known_horizon(name: str, own: int | None, given: int | None) -> int:
    """The policy's own horizon, or that of the simulation, or a clear error."""
    horizon = own if own is not None else given
    require(
        horizon is not None,
        f"{name} needs to know the horizon: give it horizon=T, the number of steps to be played.",
    )
    return require_whole("horizon", horizon)  # type: ignore[arg-type]
