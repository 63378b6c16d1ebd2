"""The league: every policy that knows nothing of the losses, on many settings."""

from lowbid.experiments.league._entrants import Entrant, entrants
from lowbid.experiments.league._league_page import markdown, plain, summary, write_up
from lowbid.experiments.league._league_settings import SETTINGS, LeagueSetting, settings_named
from lowbid.experiments.league._play import Match, matches, play
from lowbid.experiments.league._scores import Score, scores

__all__ = [
    "SETTINGS",
    "Entrant",
    "LeagueSetting",
    "Match",
    "Score",
    "entrants",
    "markdown",
    "matches",
    "plain",
    "play",
    "scores",
    "settings_named",
    "summary",
    "write_up",
]
