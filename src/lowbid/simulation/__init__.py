"""Many runs of many policies on the same losses."""

from lowbid.simulation._delays import Delay, FixedDelay, GeometricDelay, ObservedDelay
from lowbid.simulation._result import Result, Row, Summary
from lowbid.simulation._simulate import simulate
from lowbid.simulation._statistics import Estimate

__all__ = [
    "Delay",
    "Estimate",
    "FixedDelay",
    "GeometricDelay",
    "ObservedDelay",
    "Result",
    "Row",
    "Summary",
    "simulate",
]
