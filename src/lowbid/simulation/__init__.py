"""Many runs of many policies on the same losses."""

from lowbid.simulation._curves import Curve, mean_curves
from lowbid.simulation._delays import Delay, FixedDelay, GeometricDelay, ObservedDelay
from lowbid.simulation._losses import loss_of
from lowbid.simulation._result import Result
from lowbid.simulation._simulate import simulate
from lowbid.simulation._statistics import Estimate, Estimates, caution, estimate, estimates
from lowbid.simulation._summary import Row, Summary

__all__ = [
    "Curve",
    "Delay",
    "Estimate",
    "Estimates",
    "FixedDelay",
    "GeometricDelay",
    "ObservedDelay",
    "Result",
    "Row",
    "Summary",
    "caution",
    "estimate",
    "estimates",
    "loss_of",
    "mean_curves",
    "simulate",
]
