"""Many runs of many policies on the same losses."""

from lowbid.simulation._result import Result
from lowbid.simulation._simulate import simulate

__all__ = ["Result", "simulate"]
