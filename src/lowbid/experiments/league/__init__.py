"""The league: policies on many settings, with and without knowledge of the losses, as sweeps."""

from lowbid.experiments.league._entrants import entrants, left_out
from lowbid.experiments.league._league_page import summary, write_up
from lowbid.experiments.league._league_settings import LEAGUE, SETTINGS, TOLD, settings_named
from lowbid.experiments.league._play import Outcomes, league_sweep, play
from lowbid.experiments.league._scores import Score, scores
from lowbid.experiments.league._told_page import told_summary, told_write_up

__all__ = [
    "LEAGUE",
    "SETTINGS",
    "TOLD",
    "Outcomes",
    "Score",
    "entrants",
    "league_sweep",
    "left_out",
    "play",
    "scores",
    "settings_named",
    "summary",
    "told_summary",
    "told_write_up",
    "write_up",
]
