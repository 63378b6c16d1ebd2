"""Many runs of many policies on the same losses."""

from lowbid.simulation._curves import Curve, mean_curves
from lowbid.simulation._delays import Delay, FixedDelay, GeometricDelay, ObservedDelay
from lowbid.simulation._inputs import Wanted as Wanted
from lowbid.simulation._inputs import check_environment as check_environment
from lowbid.simulation._inputs import check_losses as check_losses
from lowbid.simulation._inputs import check_progress as check_progress
from lowbid.simulation._inputs import check_size as check_size
from lowbid.simulation._inputs import default_checkpoints as default_checkpoints
from lowbid.simulation._inputs import misfit_of as misfit_of
from lowbid.simulation._inputs import named_policies as named_policies
from lowbid.simulation._inputs import named_rules as named_rules
from lowbid.simulation._inputs import read_checkpoints as read_checkpoints
from lowbid.simulation._inputs import read_horizon as read_horizon
from lowbid.simulation._inputs import warn_of as warn_of
from lowbid.simulation._loop import loop_for as loop_for
from lowbid.simulation._loop import within as within
from lowbid.simulation._losses import loss_of
from lowbid.simulation._progress import Progress as Progress
from lowbid.simulation._provenance import provenance as provenance
from lowbid.simulation._result import Result
from lowbid.simulation._share import PlayedShare as PlayedShare
from lowbid.simulation._share import Share as Share
from lowbid.simulation._share import play_share as play_share
from lowbid.simulation._simulate import simulate
from lowbid.simulation._simulate import workers_of as workers_of
from lowbid.simulation._statistics import CONFIDENCE as CONFIDENCE
from lowbid.simulation._statistics import Estimate, Estimates, caution, estimate, estimates
from lowbid.simulation._statistics import student_quantile as student_quantile
from lowbid.simulation._summary import Row, Summary
from lowbid.simulation._summary import known as known
from lowbid.simulation._workers import Task as Task
from lowbid.simulation._workers import run_in_threads as run_in_threads

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
