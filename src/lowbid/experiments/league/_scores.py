"""The score of each entrant in the league."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np

from lowbid.environments import Arms
from lowbid.experiments.league._league_settings import (
    HORIZONS,
    OUTLIER_HORIZON,
    RUNS,
    SETTINGS,
    Role,
)
from lowbid.experiments.league._play import Outcomes
from lowbid.experiments.sweeps import (
    Part,
    mean_over,
    ratio_to,
    share_over,
    stuck_runs,
    worst_over,
)

Cell = tuple[str, int]  # a setting and a horizon

# The entrant that others are compared with.
DEFAULT = "BatchLikelihood"


class Score(NamedTuple):
    """The performance of an entrant over some settings, with intervals from resampling these.

    Attributes
    ----------
    name : str
        The entrant.
    mean : Part
        The geometric mean, over settings and horizons, of its mean regret relative to the lowest.
    worst : Part
        The largest of these ratios.
    worst_at : (str, int)
        The setting and the horizon of that ratio.
    stuck : Part
        The share of runs of 100,000 steps and more, over its settings with given arms, whose last
        tenth lost at least 90% of the smallest gap per step; NaN if it has none.
    outlier : float
        The largest ratio of regret with outliers to regret without; NaN if that was not played.
    settings, cells : int
        The number of settings it played, and of pairs of a setting and a horizon.
    growth : Part
        The geometric mean, over its settings, of its mean regret at the longest horizon relative to
        that at a tenth of it, in the same runs; NaN if it did not play both.
    beside : Part
        The geometric mean of its mean regret relative to that of the default, where both played;
        NaN if they never did.
    """

    name: str
    mean: Part
    worst: Part
    worst_at: Cell
    stuck: Part
    outlier: float
    settings: int
    cells: int
    growth: Part
    beside: Part


def regrets(
    outcomes: Outcomes, role: Role | None = None, longest: int | None = None
) -> dict[Cell, dict[str, float]]:
    """The mean regret of each entrant by setting and horizon, from the largest number of runs.

    Settings are in the order of the league's file, whichever was played first.
    """
    table: dict[Cell, dict[str, float]] = {}
    most: dict[tuple[str, int, str], int] = {}
    for (key, name, _), result in outcomes.items():
        setting = SETTINGS[key]
        if role is not None and setting.group != role:
            continue
        runs = result.regret.shape[1]
        for step in (OUTLIER_HORIZON,) if setting.clean else HORIZONS:
            at = np.flatnonzero(result.checkpoints == step)
            if longest is not None and step > longest:
                continue
            if at.size and runs > most.get((key, step, name), 0):
                most[key, step, name] = runs
                mean = float(result.regret[0, :, at[0]].mean())
                table.setdefault((key, step), {})[name] = mean
    order = {key: i for i, key in enumerate(SETTINGS)}
    return {cell: table[cell] for cell in sorted(table, key=lambda cell: (order[cell[0]], cell[1]))}


def scores(
    outcomes: Outcomes,
    role: Role | None = None,
    names: Iterable[str] | None = None,
    longest: int | None = None,
    at: Collection[Cell] | None = None,
) -> list[Score]:
    """The score of each entrant over the settings of a role, or all of them; the best first.

    With `at`, only these settings and horizons count.
    """
    table = regrets(outcomes, role, longest)
    if at is not None:
        table = {cell: row for cell, row in table.items() if cell in at}
    found = []
    for name in names or dict.fromkeys(name for _, name, _ in outcomes):
        ratios = {
            cell: ratio_to(row[name], min(row.values()))
            for cell, row in table.items()
            if name in row
        }
        if not ratios:
            continue
        worst_at = max(ratios, key=lambda cell: ratios[cell])
        by_setting = _by_setting(ratios)
        found.append(
            Score(
                name=name,
                mean=mean_over(by_setting),
                worst=worst_over(by_setting),
                worst_at=worst_at,
                stuck=stuck(outcomes, name, list(by_setting)),
                outlier=outlier(outcomes, name, role),
                settings=len(by_setting),
                cells=len(ratios),
                growth=growth(outcomes, name, list(by_setting)),
                beside=_beside(table, name),
            )
        )
    return sorted(found, key=lambda score: score.mean.value)


def _by_setting(ratios: dict[Cell, float]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for (setting, _), ratio in ratios.items():
        found.setdefault(setting, []).append(ratio)
    return found


def _beside(table: dict[Cell, dict[str, float]], name: str) -> Part:
    """How an entrant's regret compares with the default's, over the cells where both played."""
    both = {
        cell: ratio_to(row[name], row[DEFAULT])
        for cell, row in table.items()
        if name in row and DEFAULT in row
    }
    return mean_over(_by_setting(both)) if both else Part(math.nan, math.nan, math.nan)


def growth(outcomes: Outcomes, name: str, settings: Collection[str]) -> Part:
    """How much an entrant's regret grows in the last decade, in some settings."""
    longest = max(HORIZONS)
    ratios: dict[str, list[float]] = {}
    for key in settings:
        late, early = (outcomes.get((key, name, steps)) for steps in (longest, longest // 10))
        if late is not None and early is not None:
            runs = min(late.regret.shape[1], early.regret.shape[1])
            ends = [float(result.regret[0, :runs, -1].mean()) for result in (late, early)]
            ratios[key] = [ratio_to(*ends)]
    return mean_over(ratios) if ratios else Part(math.nan, math.nan, math.nan)


def cells_of(outcomes: Outcomes, names: Collection[str]) -> set[Cell]:
    """The settings and horizons where at least one of some entrants played."""
    return {cell for cell, row in regrets(outcomes).items() if any(name in row for name in names)}


def stuck(outcomes: Outcomes, name: str, settings: Collection[str]) -> Part:
    """The share of an entrant's runs that settle on a suboptimal arm, in some settings."""
    ended = dict.fromkeys(settings, (0.0, 0.0))
    for (key, other, horizon), result in outcomes.items():
        setting = SETTINGS[key]
        arms = setting.environment
        wanted = other == name and not setting.clean and key in ended
        if not wanted or horizon < min(RUNS) or not isinstance(arms, Arms):
            continue
        here = stuck_runs(arms, result.checkpoints, result.regret[0])
        ended[key] = (ended[key][0] + float(here.sum()), ended[key][1] + len(here))
    return share_over(ended)


def outlier(outcomes: Outcomes, name: str, role: Role | None = None) -> float:
    """The largest factor by which outliers multiply an entrant's regret."""
    ratios = []
    for (key, other, step), result in outcomes.items():
        setting = SETTINGS[key]
        if other == name and setting.clean and role in (None, setting.group):
            clean = _regret_at(outcomes, setting.clean, name, step)
            ratios.append(float(result.regret[0, :, -1].mean()) / clean)
    return max((ratio for ratio in ratios if math.isfinite(ratio)), default=math.nan)


def _regret_at(outcomes: Outcomes, key: str, name: str, step: int) -> float:
    """An entrant's mean regret at a step, from the largest number of runs; NaN if none."""
    recorded = [
        result
        for (setting, other, _), result in outcomes.items()
        if (setting, other) == (key, name) and step in result.checkpoints
    ]
    if not recorded:
        return math.nan
    best = max(recorded, key=lambda result: result.regret.shape[1])
    return float(best.regret[0, :, list(best.checkpoints).index(step)].mean())
