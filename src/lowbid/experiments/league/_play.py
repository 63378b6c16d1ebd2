"""Play a league: every entrant on every setting, as a sweep."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path

from lowbid.errors import WorkerError
from lowbid.experiments.league._league_settings import LEAGUE
from lowbid.experiments.sweeps import (
    CellStore,
    Sweep,
    SweptEnvironment,
    SweptPolicy,
    Tier,
    play_sweep,
)
from lowbid.simulation import Result

Outcomes = Mapping[tuple[str, str, int], Result]


def league_sweep(
    settings: Sequence[SweptEnvironment],
    entrants: Sequence[SweptPolicy],
    longest: int | None = None,
    scale: float = 1.0,
    league: Sweep = LEAGUE,
) -> Sweep:
    """A league on some settings and entrants, up to a horizon, with a multiple of the usual runs.

    Settings with outliers keep their one horizon.
    """
    tiers = [_shortened(tier, longest, scale) for tier in league.tiers]
    return dataclasses.replace(
        league,
        policies=entrants,
        # Settings with outliers are played even without their clean counterparts.
        environments=[dataclasses.replace(each, clean="") for each in settings],
        tiers=[tier for tier in tiers if tier is not None],
        runs=max(2, round(scale * league.runs)),
        tune=None,
    )


def _shortened(tier: Tier, longest: int | None, scale: float) -> Tier | None:
    steps = [step for step in {*tier.record, tier.steps} if longest is None or step <= longest]
    if not steps:
        return None
    keep = tuple(step for step in tier.keep if step <= max(steps))
    return Tier(max(steps), max(2, round(scale * tier.runs)), tuple(sorted(steps)), keep)


def play(
    sweep: Sweep,
    folder: Path,
    on: str | Executor = "threads",
    workers: int | None = None,
    say: Callable[[str], None] = print,
) -> Outcomes:
    """The result of every match, by setting, entrant and horizon; those on file are read."""
    failed = play_sweep(sweep, folder, on, workers, say=say)
    if failed:
        name, failure = next(iter(failed.items()))
        raise WorkerError(f"{len(failed)} matches could not be played; {name}: {failure.error}")
    store, outcomes = CellStore(folder), {}
    for cell in sweep.cells:
        result = store.result(cell)
        if result is not None:
            runs = dataclasses.replace(
                result,
                regret=result.regret[:, : cell.runs],
                pulls=result.pulls[:, : cell.runs],
            )
            outcomes[cell.environment.name, cell.policy.name, cell.horizon] = runs
    return outcomes
