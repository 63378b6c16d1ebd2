"""An experiment is data: cases, each with its arms and policies; running it fills a folder."""

from lowbid.experiments._experiment import Case, Experiment
from lowbid.experiments._names import arms, policy
from lowbid.experiments._run import Folder, run

__all__ = ["Case", "Experiment", "Folder", "arms", "policy", "run"]
