"""The league: every policy that knows nothing of the losses, on many settings."""

from lowbid.experiments.league._entrants import Entrant, entrants
from lowbid.experiments.league._play import Match, matches, play
from lowbid.experiments.league._scores import Score, scores
from lowbid.experiments.league._settings import SETTINGS, Setting, settings_named
from lowbid.experiments.league._write_up import markdown, plain, summary, write_up

__all__ = [
    "SETTINGS",
    "Entrant",
    "Match",
    "Score",
    "Setting",
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
