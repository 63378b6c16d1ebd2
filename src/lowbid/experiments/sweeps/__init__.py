"""Sweeps: many policies on many environments, on one machine or a cluster, stopped and resumed."""

from lowbid.experiments.sweeps._cell import Cell, Place, SweptEnvironment, SweptPolicy
from lowbid.experiments.sweeps._engines import Failure
from lowbid.experiments.sweeps._figures_of_cell import stuck_runs as stuck_runs
from lowbid.experiments.sweeps._part import sweeps_in
from lowbid.experiments.sweeps._play_sweep import dry_run, play_sweep, read_table
from lowbid.experiments.sweeps._play_sweep import failures_text as failures_text
from lowbid.experiments.sweeps._ranking_tables import percent_with_interval as percent_with_interval
from lowbid.experiments.sweeps._ranking_tables import with_interval as with_interval
from lowbid.experiments.sweeps._store import CellStore
from lowbid.experiments.sweeps._sweep import Precision, Sweep, Tier, TuneSplit
from lowbid.experiments.sweeps._sweep_file import read_sweep
from lowbid.experiments.sweeps._sweep_scores import Part as Part
from lowbid.experiments.sweeps._sweep_scores import mean_over as mean_over
from lowbid.experiments.sweeps._sweep_scores import ratio_to as ratio_to
from lowbid.experiments.sweeps._sweep_scores import share_over as share_over
from lowbid.experiments.sweeps._sweep_scores import worst_over as worst_over
from lowbid.experiments.sweeps._sweep_template import SWEEP_TEMPLATE as SWEEP_TEMPLATE
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
