"""The league of policies that are told something, as tables and a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from lowbid._replace_file import replace_file
from lowbid.experiments.league._entrants import left_out
from lowbid.experiments.league._league_page import INTERVALS, SHORT, long_players, players
from lowbid.experiments.league._league_settings import TOLD
from lowbid.experiments.league._play import Outcomes
from lowbid.experiments.league._scores import DEFAULT, Score, cells_of, scores
from lowbid.experiments.sweeps import percent_with_interval, with_interval
from lowbid.report import Code, Heading, Page, Section, Table, Text, render

# What policies are told, in the order of the tables.
FACT_TITLES = {
    "range": "Told the range of the losses",
    "lowest": "Told the smallest possible loss",
    "gaussian": "Told that losses are Gaussian, and the largest standard deviation of an arm",
    "exponential": "Told that losses are exponential",
    "gap": "Told the smallest gap, in units of the range",
    "horizon": "Told only the horizon",
}
TOLD_EXPLANATION = (
    "Each table covers the settings where the fact is true. For comparison, it includes some "
    "policies that are told nothing, on the same settings. Score: the geometric mean, over "
    "settings and horizons, of a policy's mean regret divided by the lowest of all policies here. "
    f"Relative to the default: the geometric mean of the ratios to {DEFAULT}, which is told "
    "nothing; below 1 is better. Worst: the largest ratio to the lowest. Stuck: the share of "
    "runs of 100,000 steps and more, on settings with given arms, whose last tenth lost at "
    "least 90% of the smallest gap per step. " + INTERVALS
)


def told_table(found: Iterable[Score]) -> Table:
    """One row per entrant, best first."""
    rows = [
        [
            score.name,
            with_interval(score.mean),
            with_interval(score.beside),
            with_interval(score.worst),
            f"{score.worst_at[0]}, {score.worst_at[1]:,}",
            percent_with_interval(score.stuck),
            str(score.settings),
            str(score.cells),
        ]
        for score in found
    ]
    head = ["policy", "score", "relative to the default", "worst", "worst at", "stuck"]
    return Table(
        [*head, "settings", "cells"],
        rows,
        text_columns=frozenset({4}),
        spare=("cells", "settings", "worst at", "worst"),
    )


def told_blocks(outcomes: Outcomes) -> Iterator[Heading | Table]:
    """A table for each fact, and a second one if some policies play short horizons only."""
    facts = {entrant.name: entrant.told for entrant in TOLD.policies}
    played = players(outcomes)
    for fact, title in FACT_TITLES.items():
        told = [name for name in played if facts.get(name) == fact]
        if not told:
            continue
        names = [name for name in played if name in told or not facts.get(name)]
        where = cells_of(outcomes, told)
        long = [name for name in names if name in long_players(outcomes)]
        if set(told) & set(long):
            yield Heading(title)
            yield told_table(scores(outcomes, names=long, at=where))
        if len(long) < len(names):
            yield Heading(f"{title}; up to {SHORT:,} steps")
            yield told_table(scores(outcomes, names=names, longest=SHORT, at=where))


def left_out_table() -> Table:
    """The policies that play in neither league, and why."""
    rows = [[name, why] for name, why in left_out().items()]
    return Table(["policy", "why it does not play"], rows, text_columns=frozenset({1}))


def told_summary(outcomes: Outcomes, form: Callable[[Table], str]) -> str:
    """The scores of each fact, and who does not play, as a text."""
    blocks = [*told_blocks(outcomes), Heading("Not in either league"), left_out_table()]
    return "\n\n".join(form(b) if isinstance(b, Table) else b.text for b in blocks)


def told_write_up(outcomes: Outcomes, folder: Path, command: str) -> Path:
    """Write the page."""
    settings = len({key for key, _, _ in outcomes})
    page = Page(
        TOLD.title,
        f"{len(players(outcomes))} entrants, on {settings} settings.",
        [
            Section("Scores", [Text(TOLD_EXPLANATION), *told_blocks(outcomes)]),
            Section("Not in either league", [left_out_table()]),
            Section("Run it again", [Code(command)]),
        ],
    )
    path = folder / "told.html"
    with replace_file(path) as file:
        file.write(render(page).encode())
    return path
