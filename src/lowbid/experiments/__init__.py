"""Experiments as data: cases, each with its arms and policies; running one fills a folder."""

from lowbid.experiments._comparison import compare
from lowbid.experiments._experiment import Case
from lowbid.experiments._folder import Folder
from lowbid.experiments._run import run
from lowbid.experiments._write_up import write_up

__all__ = ["Case", "Folder", "compare", "run", "write_up"]
