"""The settings of the league: arms for choosing a rule's constants, and others for judging it.

All tuning uses the settings for choosing; the league's results for a policy tuned here come from
the settings for judging. Both were fixed before any tuning.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from lowbid.errors import UnknownNameError
from lowbid.experiments.sweeps import SweptEnvironment, read_sweep

Role = Literal["choosing", "judging"]

# The whole league as a sweep, and the league of policies that are told something.
LEAGUE = read_sweep(Path(__file__).with_name("league.toml"))
TOLD = read_sweep(Path(__file__).with_name("told.toml"))
SETTINGS = {setting.name: setting for setting in LEAGUE.environments}
# Horizons with their numbers of runs, and all steps at which policies are compared.
RUNS = {tier.steps: tier.runs for tier in LEAGUE.tiers}
HORIZONS = tuple(sorted({step for tier in LEAGUE.tiers for step in (*tier.record, tier.steps)}))
# On settings with outliers, about one outlier occurs per run.
(OUTLIER_HORIZON,) = {step for setting in SETTINGS.values() for step in setting.horizons}


def settings_named(names: Sequence[str]) -> list[SweptEnvironment]:
    """Settings by name or by role; all settings if no name is given."""
    if not names:
        return list(SETTINGS.values())
    chosen: dict[str, SweptEnvironment] = {}
    for name in names:
        found = [setting for setting in SETTINGS.values() if name in (setting.name, setting.group)]
        if not found:
            near = difflib.get_close_matches(name, [*SETTINGS, "choosing", "judging"], n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(SETTINGS)}."
            raise UnknownNameError(f"unknown setting {name!r}; {hint}")
        chosen |= {setting.name: setting for setting in found}
    return list(chosen.values())
