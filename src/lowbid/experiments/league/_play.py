"""Play the league: every entrant on every setting, each outcome in a file of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lowbid._kernel import Kernel
from lowbid.experiments._on_file import on_file
from lowbid.experiments.league._entrants import Entrant
from lowbid.experiments.league._league_settings import OUTLIER_HORIZON, LeagueSetting
from lowbid.simulation import Result, simulate

# Horizons, and how many runs each has: as many as tell stuck runs from chance.
RUNS = {100_000: 200, 1_000_000: 32}
HORIZONS = (1_000, 10_000, 100_000, 1_000_000)
_LAST_TENTH = 0.9


class Match(NamedTuple):
    """One entrant on one setting, up to one horizon."""

    setting: LeagueSetting
    name: str
    entrant: Entrant
    horizon: int
    runs: int

    @property
    def checkpoints(self) -> list[int]:
        """The horizons up to this one, and where the last tenth of its steps begins."""
        steps = {*HORIZONS, OUTLIER_HORIZON, int(_LAST_TENTH * self.horizon), self.horizon}
        return sorted(step for step in steps if step <= self.horizon)

    def play(self, workers: int | None) -> Result:
        """Simulate it."""
        return simulate(
            {self.name: self.entrant.policy},
            self.setting.environment,
            horizon=self.horizon,
            runs=self.runs,
            checkpoints=np.array(self.checkpoints),
            workers=workers,
            progress=f"{self.setting.key}, {self.name}, {self.horizon:,} steps",
        )

    @property
    def file_name(self) -> str:
        """A name that changes with anything that the outcome depends on."""
        policy, environment = self.entrant.policy, self.setting.environment
        parts = [
            policy.describe(self.horizon),
            repr(environment.describe()),
            f"{self.horizon} {self.runs} {self.checkpoints}",
            *(_digest(function) for function in (*policy.kernels, environment.draw)),
        ]
        digest = hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()
        return f"{self.setting.key}-{self.horizon}-{digest}.npz"


def matches(
    settings: Iterable[LeagueSetting],
    entrants: Mapping[str, Entrant],
    longest: int | None = None,
    scale: float = 1.0,
) -> list[Match]:
    """All matches up to a horizon, of so many times the usual number of runs; short ones first."""
    found = []
    for setting in settings:
        tiers = {OUTLIER_HORIZON: RUNS[100_000]} if setting.clean else RUNS
        for name, entrant in entrants.items():
            most = min(longest or entrant.longest, entrant.longest)
            if setting.clean:  # it has one horizon, which all play or none
                most = OUTLIER_HORIZON
            if most > entrant.longest:
                continue
            played = {min(horizon, most): tiers[horizon] for horizon in sorted(tiers, reverse=True)}
            for horizon, usual in played.items():
                runs = max(2, round(scale * entrant.share * usual))
                found.append(Match(setting, name, entrant, horizon, runs))
    return sorted(found, key=lambda match: match.horizon > min(RUNS))


def play(
    matches: Sequence[Match],
    folder: Path,
    workers: int | None = None,
    say: Callable[[str], None] = print,
) -> dict[tuple[str, str, int], Result]:
    """The outcome of every match, by setting, entrant and horizon; those on file are read."""
    folder.mkdir(parents=True, exist_ok=True)
    outcomes = {}
    for number, match in enumerate(matches, start=1):
        path = folder / match.file_name
        result = on_file(path)
        if result is None:
            result = match.play(workers)
            result.save(path)
            regret = result.regret[0, :, -1].mean()
            say(
                f"{number}/{len(matches)}  {match.setting.key}, {match.horizon:,} steps: "
                f"{match.name} {regret:,.1f}"
            )
        outcomes[match.setting.key, match.name, match.horizon] = result
    return outcomes


def _digest(function: Any) -> str:
    return function.digest if isinstance(function, Kernel) else getattr(function, "__name__", "")
