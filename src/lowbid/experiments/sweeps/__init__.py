"""Sweeps: many policies on many environments, on one machine or a cluster, stopped and resumed."""

from lowbid.experiments.sweeps._cell import Cell, Place, SweptEnvironment, SweptPolicy
from lowbid.experiments.sweeps._engines import Failure
from lowbid.experiments.sweeps._part import sweeps_in
from lowbid.experiments.sweeps._play_sweep import dry_run, play_sweep, read_table
from lowbid.experiments.sweeps._store import CellStore
from lowbid.experiments.sweeps._sweep import Precision, Sweep, Tier, TuneSplit
from lowbid.experiments.sweeps._sweep_file import read_sweep
from lowbid.experiments.sweeps._tidy import SweepTable
from lowbid.experiments.sweeps._write_sweep import write_up

__all__ = [
    "Cell",
    "CellStore",
    "Failure",
    "Place",
    "Precision",
    "Sweep",
    "SweepTable",
    "SweptEnvironment",
    "SweptPolicy",
    "Tier",
    "TuneSplit",
    "dry_run",
    "play_sweep",
    "read_sweep",
    "read_table",
    "sweeps_in",
    "write_up",
]
