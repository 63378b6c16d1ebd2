"""The league as tables, a picture and a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lowbid._replace_file import replace_file
from lowbid.experiments.league._entrants import ENTRANTS
from lowbid.experiments.league._league_settings import (
    HORIZONS,
    OUTLIER_HORIZON,
    RUNS,
    SETTINGS,
    Role,
)
from lowbid.experiments.league._play import Outcomes
from lowbid.experiments.league._scores import DEFAULT, Score, regrets, scores
from lowbid.experiments.sweeps import percent_with_interval, with_interval
from lowbid.report import (
    Code,
    Heading,
    Page,
    Pictures,
    Section,
    Table,
    Text,
    figure,
    ratio_picture,
    render,
    save_ratios,
)

ROLES: dict[Role | None, str] = {
    None: "All settings",
    "judging": "Settings for judging",
    "choosing": "Settings for choosing",
}
# The policies whose ratios are drawn; all of them would be unreadable.
DRAWN = ("BatchLikelihood", "MomentIMED", "RBSDA", "BatchEnsemble, 2 and 0.6 log t")
_PICTURE_HORIZON = 100_000
# The longest horizon of entrants that take too long for more.
SHORT = 10_000
# Horizons at which the default's weak spots are listed.
_LONG = (100_000, 1_000_000)


def score_table(found: Iterable[Score]) -> Table:
    """One row per entrant, best first."""
    rows = [
        [
            score.name,
            with_interval(score.mean),
            with_interval(score.beside),
            with_interval(score.worst),
            f"{score.worst_at[0]}, {score.worst_at[1]:,}",
            with_interval(score.growth),
            percent_with_interval(score.stuck),
            f"{score.outlier:.1f}" if math.isfinite(score.outlier) else "–",
            str(score.cells),
        ]
        for score in found
    ]
    head = ["policy", "score", "relative to the default", "worst", "worst at", "growth"]
    head += ["stuck", "outliers", "cells"]
    return Table(head, rows, frozenset({4}), spare=("cells", "worst at", "worst"))


def doubling_text(found: Iterable[Score]) -> Text:
    """Which entrants' regret at least doubles from one decade of steps to the next."""
    names = [score.name for score in found if score.growth.value >= 2.0]
    steps = f"from {_LONG[0]:,} to {_LONG[1]:,} steps"
    return Text(f"Regret at least doubles {steps}: {'; '.join(names) or 'of none of these'}.")


def regret_table(outcomes: Outcomes, names: Sequence[str], horizon: int) -> Table:
    """The mean regret of some entrants on every setting, after a number of steps."""
    rows = []
    for (key, step), row in regrets(outcomes).items():
        if step == horizon:
            cells = [figure(row[name]) if name in row else "–" for name in names]
            rows.append([SETTINGS[key].title, *cells])
    return Table(["setting", *names], rows)


def behind_table(outcomes: Outcomes, name: str, least: float = 1.5) -> Table:
    """Where an entrant's regret is at least a given multiple of the lowest, worst first."""
    found = []
    for (key, step), row in regrets(outcomes).items():
        best = min(row, key=lambda other: row[other])
        if step in _LONG and name in row and row[name] >= least * row[best]:
            ours, theirs = row[name], row[best]
            cells = [SETTINGS[key].title, f"{step:,}", figure(ours), best, figure(theirs)]
            found.append((ours / theirs, [*cells, f"{ours / theirs:.1f}"]))
    head = ["setting", "steps", name, "best policy", "its regret", "ratio"]
    return Table(head, [row for _, row in sorted(found, reverse=True)], frozenset({3}))


def ratios(outcomes: Outcomes, names: Sequence[str], horizon: int) -> dict[str, dict[str, float]]:
    """The regret of some entrants relative to the lowest of all, by title of the setting."""
    found = {}
    for (key, step), row in regrets(outcomes).items():
        if step == (OUTLIER_HORIZON if SETTINGS[key].clean else horizon):
            best = min(row.values())
            found[SETTINGS[key].title] = {name: row[name] / best for name in names if name in row}
    return found


def write_up(outcomes: Outcomes, folder: Path, command: str) -> Path:
    """Draw the picture, and write the page."""
    played = players(outcomes)
    longest = max(horizon for _, _, horizon in outcomes)
    horizon = max(step for step in HORIZONS if step <= min(longest, _PICTURE_HORIZON))
    found = ratios(outcomes, drawn(outcomes), horizon)
    steps = f"{horizon:,} steps ({OUTLIER_HORIZON:,} with outliers)"
    caption = f"Regret after {steps}, relative to the lowest."
    save_ratios(found, folder, "league")
    picture = Pictures([ratio_picture(found, "league", caption)])
    settings = len({key for key, _, _ in outcomes})
    page = Page(
        "The league",
        f"{len(played)} policies without prior knowledge, in {settings} settings.",
        [
            Section(
                "Scores",
                [Text(EXPLANATION), *_score_blocks(outcomes), *_behind_blocks(outcomes)],
            ),
            Section("Setting by setting", [picture, *_regret_blocks(outcomes, played)]),
            Section("Run it again", [Code(command)]),
        ],
    )
    path = folder / "report.html"
    with replace_file(path) as file:
        file.write(render(page).encode())
    return path


INTERVALS = (
    "Brackets are 95% bootstrap intervals over settings; they show how much a figure depends on "
    "the choice of settings, and the upper end of the worst ratio cannot lie above the observed "
    "one."
)
EXPLANATION = (
    "Score: the geometric mean, over settings and horizons, of a policy's mean regret divided by "
    "the lowest of all policies. Relative to the default: the geometric mean of the ratios to "
    f"{DEFAULT}; below 1 is better. Worst: the largest ratio to the lowest. Stuck: the share of "
    "runs of 100,000 steps and more, on settings with given arms, whose last tenth lost at "
    "least 90% of the smallest gap per step. "
    "Growth: the geometric mean, over settings, of regret at 1,000,000 steps relative to that of "
    "the same runs at 100,000. "
    "Outliers: the largest ratio of regret with outliers to regret without. Cells: the number of "
    "settings and horizons that the policy played; the slowest play short horizons only. "
    + INTERVALS
)


def _score_blocks(outcomes: Outcomes) -> list[Heading | Table | Text]:
    """Entrants that play short horizons only are compared with the others on those alone."""
    blocks: list[Heading | Table | Text] = []
    long = long_players(outcomes)
    for role, title in ROLES.items():
        found = scores(outcomes, role, long) if long else []
        if found:
            blocks += [Heading(title), score_table(found)]
            if any(math.isfinite(score.growth.value) for score in found):
                blocks.append(doubling_text(found))
    if len(long) < len(players(outcomes)):
        title = f"All entrants, up to {SHORT:,} steps"
        blocks += [Heading(title), score_table(scores(outcomes, longest=SHORT))]
    return blocks


def players(outcomes: Outcomes) -> list[str]:
    """All entrants that played."""
    return list(dict.fromkeys(name for _, name, _ in outcomes))


def long_players(outcomes: Outcomes) -> list[str]:
    """Entrants that play more than the shortest horizons."""
    return list(dict.fromkeys(name for _, name, horizon in outcomes if horizon >= min(RUNS)))


def _behind_blocks(outcomes: Outcomes) -> list[Heading | Table]:
    table = behind_table(outcomes, DEFAULT)
    return [Heading(f"Where {DEFAULT} is far from the best"), table] if table.rows else []


def _regret_blocks(outcomes: Outcomes, played: Sequence[str]) -> list[Heading | Table]:
    blocks: list[Heading | Table] = []
    for horizon in HORIZONS:
        table = regret_table(outcomes, played, horizon)
        if table.rows:
            blocks += [Heading(f"Mean regret after {horizon:,} steps"), table]
    outliers = regret_table(outcomes, played, OUTLIER_HORIZON)
    if outliers.rows:
        title = f"Mean regret after {OUTLIER_HORIZON:,} steps, about one of them reported wrongly"
        blocks += [Heading(title), outliers]
    return blocks


def summary(outcomes: Outcomes, form: Callable[[Table], str]) -> str:
    """The scores of each role, and the regret of a few policies on each setting, as a text."""
    blocks: list[Heading | Table | Text] = [*_score_blocks(outcomes), *_behind_blocks(outcomes)]
    blocks += _regret_blocks(outcomes, drawn(outcomes))
    return "\n\n".join(form(b) if isinstance(b, Table) else b.text for b in blocks)


def drawn(outcomes: Outcomes) -> list[str]:
    """The policies that are shown setting by setting."""
    played = players(outcomes)
    guests = [name for name in played if name not in ENTRANTS]
    return [name for name in DRAWN if name in played] + guests or played[:4]
