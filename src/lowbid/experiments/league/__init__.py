"""The league: a sweep of every policy that knows nothing about the losses, on many settings."""

from lowbid.experiments.league._entrants import entrants
from lowbid.experiments.league._league_page import summary, write_up
from lowbid.experiments.league._league_settings import LEAGUE, SETTINGS, settings_named
from lowbid.experiments.league._play import Outcomes, league_sweep, play
from lowbid.experiments.league._scores import Score, scores

__all__ = [
    "LEAGUE",
    "SETTINGS",
    "Outcomes",
    "Score",
    "entrants",
    "league_sweep",
    "play",
    "scores",
    "settings_named",
    "summary",
    "write_up",
]
