"""Draws for your own policies and environments, each from the stream it is given."""

from lowbid._random import (
    Stream,
    beta,
    coin,
    exponential,
    gamma,
    integer,
    normal,
    uniform,
    uniform_open,
)

__all__ = [
    "Stream",
    "beta",
    "coin",
    "exponential",
    "gamma",
    "integer",
    "normal",
    "uniform",
    "uniform_open",
]
