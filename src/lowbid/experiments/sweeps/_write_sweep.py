"""The output of a sweep: a table, a ranking, figures and a page."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lowbid._replace_file import replace_file
from lowbid._version import __version__
from lowbid.errors import MissingPackageError
from lowbid.experiments.sweeps._cell import Cell
from lowbid.experiments.sweeps._play_sweep import (
    cells_finished,
    counted,
    read_table,
    window_on_file,
)
from lowbid.experiments.sweeps._store import CellStore
from lowbid.experiments.sweeps._sweep import Precision, Sweep
from lowbid.experiments.sweeps._sweep_scores import (
    Part,
    Ratios,
    SweepScore,
    ratios_of,
    regrets,
    sweep_scores,
)
from lowbid.experiments.sweeps._tidy import SweepTable, write_csv
from lowbid.experiments.sweeps._tuning import Tuned, tuned
from lowbid.report import (
    Block,
    Code,
    Facts,
    Heading,
    Page,
    Section,
    SweepView,
    Table,
    Text,
    figure,
    interval,
    plain,
    render,
    save_heat_map,
    save_parameter_figure,
    save_ranking_figure,
)
from lowbid.simulation import caution, estimates

# Curves of more cells than this would make the page too large for browsers.
_MOST_CURVES = 3_000
# A table of more rows than this is not embedded in the page as CSV.
_MOST_ROWS_AS_TEXT = 20_000
# Further policies are in ranking.csv.
_MOST_RANKED = 100
# More rows, columns or lines than this would be unreadable on paper.
_MOST_ON_PAPER, _MOST_LINES = 60, 10

EXPLANATION = (
    "Score: the geometric mean, over environments, steps and seeds, of a policy's mean regret over "
    "the lowest one of all policies there. Worst: the largest of these ratios. Stuck: the share of "
    "runs, on environments with given arms, whose last tenth lost at least 90% of the smallest gap "
    "per step. In brackets: 95% intervals from drawing the environments again with replacement; "
    "they say how much a figure depends on which environments there are, and the upper end of the "
    "worst ratio cannot lie above what was seen. Only places where every policy is finished "
    "count; a policy that does not play all of them is scored on those that it plays."
)


def write_up(sweep: Sweep, folder: Path, command: str) -> str:
    """Write everything that the results on file allow; returns a summary for the terminal."""
    store, cells = CellStore(folder), sweep.cells
    table, part = read_table(sweep, store), folder / sweep.name
    part.mkdir(parents=True, exist_ok=True)
    table.to_csv(part / "table.csv")
    if importlib.util.find_spec("pyarrow") is not None:
        table.to_parquet(part / "table.parquet")
    finished = cells_finished(cells, table)
    lead = f"{finished:,} of {len(cells):,} cells are finished"
    known = regrets(table, sweep.places(cells))
    if not known:
        return f"{sweep.title}: {lead}; nothing can be compared yet."
    scores = sweep_scores(table.rows, known)
    write_csv(ranking_columns(scores), part / "ranking.csv")
    missed = missed_precision(sweep.precision, table)
    choices = tuned(sweep.policies, sweep.tune, table.rows, known) if sweep.tune else []
    page = Page(
        sweep.title,
        f"{len(sweep.policies)} policies on {len(sweep.environments)} environments; {lead}. "
        + " ".join(filter(None, [missed, caution(min(row.figures.runs for row in table))])),
        [
            Section("Ranking", _ranking_blocks(scores)),
            *([_tuning_section(choices)] if choices else []),
            Section("Cell by cell", [SweepView(view_data(sweep, store, table, known, scores))]),
            _provenance(sweep, command),
        ],
    )
    with replace_file(part / "report.html") as file:
        file.write(render(page).encode())
    _draw(sweep, part, table, known, scores)
    text = [f"{sweep.title}: {lead}", plain(ranking_table(scores[:20])), *([missed] * bool(missed))]
    if choices:
        text += ["Chosen on some environments, judged on others:", plain(tuning_table(choices))]
    return "\n\n".join([*text, f"The page is {part / 'report.html'}; table.csv is next to it."])


def missed_precision(precision: Precision | None, table: SweepTable) -> str:
    """A sentence on the means that are less precise than was asked for; empty if there are none."""
    if precision is None:
        return ""
    figures = [row.figures for row in table]
    reached = [
        max(each.high - each.mean, each.mean - each.low) / each.mean
        for each in figures
        if each.mean > 0.0
    ]
    wider = [width for width in reached if width > precision.within]
    if not wider:
        return ""
    return (
        f"{len(wider):,} of {counted(len(figures), 'mean')} missed the precision of "
        f"{precision.percent}; the widest interval reaches {100 * max(wider):.3g}% from its mean. "
        f"Raise most_runs ({precision.most_runs:,}), or runs for a longer pilot."
    )


def ranking_table(scores: Sequence[SweepScore]) -> Table:
    """One row per policy, best first."""
    rows = [
        [
            score.name,
            _interval(score.mean),
            _interval(score.worst),
            f"{score.worst_at.environment}, {score.worst_at.step:,}",
            _percent(score.stuck),
            str(score.places),
        ]
        for score in scores
    ]
    head = ["policy", "score", "worst", "worst at", "stuck", "places"]
    return Table(head, rows, text_columns=frozenset({3}))


def ranking_columns(scores: Sequence[SweepScore]) -> dict[str, list[Any]]:
    """The ranking of all policies by columns, for a file."""
    found: dict[str, list[Any]] = {"policy": [score.name for score in scores]}
    for name in ("mean", "worst", "stuck"):
        parts: list[Part] = [getattr(score, name) for score in scores]
        title = "score" if name == "mean" else name
        found[title] = [_blank(part.value) for part in parts]
        found[f"{title}_low"] = [_blank(part.low) for part in parts]
        found[f"{title}_high"] = [_blank(part.high) for part in parts]
    found["worst_environment"] = [score.worst_at.environment for score in scores]
    found["worst_step"] = [score.worst_at.step for score in scores]
    return {**found, "places": [score.places for score in scores]}


def _ranking_blocks(scores: Sequence[SweepScore]) -> list[Block]:
    blocks: list[Block] = [Text(EXPLANATION), ranking_table(scores[:_MOST_RANKED])]
    if len(scores) > _MOST_RANKED:
        text = f"The best {_MOST_RANKED} of {len(scores):,} policies; ranking.csv has them all."
        blocks.append(Text(text))
    return blocks


def tuning_table(choices: Sequence[Tuned]) -> Table:
    """One row per rule: the chosen setting, and how it was judged."""
    rows = [
        [
            each.rule,
            str(each.tried),
            each.chosen.name,
            figure(each.chosen.mean.value),
            _interval(each.judged.mean),
            each.hindsight.name,
            figure(each.hindsight.mean.value),
        ]
        for each in choices
    ]
    head = ["rule", "settings tried", "chosen", "score there", "score when judged"]
    return Table([*head, "best in hindsight", "its score"], rows, frozenset({2, 5}))


def _tuning_section(choices: Sequence[Tuned]) -> Section:
    text = (
        "For each rule, the setting with the best score on the environments for choosing, and its "
        "score on those for judging, which had no say in the choice. The more settings were tried, "
        "the more the score on the first kind flatters; the score when judged does not."
    )
    return Section("Tuned and judged", [Text(text), tuning_table(choices)])


def _provenance(sweep: Sweep, command: str) -> Section:
    blocks: list[Block] = [
        Code(f"{command}\n\n# The results so far, even while it runs:\nlowbid sweep --show FOLDER")
    ]
    if sweep.precision is not None:
        blocks.append(
            Text(
                f"Each cell's first runs decided how many further ones it got for a mean exact to "
                f"{sweep.precision.percent}, at most {sweep.precision.most_runs:,}, and were "
                "then left out: means and intervals are of the further runs alone, so that the "
                "decision does not bias them."
            )
        )
    if sweep.text:
        blocks += [Heading("The file"), Code(sweep.text.strip())]
    return Section("Run it again", [*blocks, Facts({"lowbid": __version__})])


def view_data(
    sweep: Sweep, store: CellStore, table: SweepTable, known: Ratios, scores: Sequence[SweepScore]
) -> dict[str, Any]:
    """What the page's script shows: policies, environments, cells, and their curves."""
    policies = {each.name: i for i, each in enumerate(sweep.policies)}
    environments = {each.name: i for i, each in enumerate(sweep.environments)}
    ratios, settings = ratios_of(known), {each.name: each.settings for each in sweep.policies}
    rows = {
        "policy": [policies[row.policy] for row in table],
        "environment": [environments[row.place.environment] for row in table],
        "step": [row.place.step for row in table],
        "seed": [row.place.seed for row in table],
        "horizon": [row.horizon for row in table],
        "runs": [row.figures.runs for row in table],
        "mean": [_short(row.figures.mean) for row in table],
        "low": [_short(row.figures.low) for row in table],
        "high": [_short(row.figures.high) for row in table],
        "stuck": [row.figures.stuck for row in table],
        "ratio": [_short(ratios.get(row.place, {}).get(row.policy, math.nan)) for row in table],
    }
    return {
        "name": sweep.name,
        "policies": [
            {"name": each.name, "rule": each.rule, "settings": _texts(settings[each.name])}
            for each in sweep.policies
        ],
        "order": [policies[score.name] for score in scores],
        "environments": [{"name": e.name, "title": e.title or e.name} for e in sweep.environments],
        "rows": rows,
        "curves": _curves(sweep, store, policies, environments),
        "csv": table.to_csv() if len(table) <= _MOST_ROWS_AS_TEXT else None,
    }


def _curves(
    sweep: Sweep, store: CellStore, policies: dict[str, int], environments: dict[str, int]
) -> list[dict[str, Any]]:
    cells: list[Cell] = [cell for cell in sweep.cells if cell.seed == sweep.seeds[0]]
    if len(cells) > _MOST_CURVES:
        return []
    found = []
    for cell in cells:
        result, window = store.result(cell), window_on_file(cell, store, sweep.precision)
        if result is None or window is None or result.regret.shape[1] < window.last:
            continue
        means = estimates(result.regret[0, window.first : window.last], at_least=0.0)
        found.append(
            {
                "policy": policies[cell.policy.name],
                "environment": environments[cell.environment.name],
                "horizon": cell.horizon,
                "steps": result.checkpoints.tolist(),
                **{k: [_short(x) for x in getattr(means, k)] for k in ("mean", "low", "high")},
            }
        )
    return found


def _draw(
    sweep: Sweep, part: Path, table: SweepTable, known: Ratios, scores: Sequence[SweepScore]
) -> None:
    """Save figures for a paper; without matplotlib, there is only the page."""
    try:
        best = scores[:_MOST_ON_PAPER]
        spans = {score.name: score.mean for score in best}
        save_ranking_figure(spans, part / "figures", "ranking")
        ratios = ratios_of(known)
        step = max(place.step for place in ratios)
        cells = {
            (name, place.environment): ratio
            for place, row in ratios.items()
            if place.step == step
            for name, ratio in row.items()
        }
        playing = {name for name, _ in cells}
        shown = [score.name for score in best if score.name in playing]
        columns = list(dict.fromkeys(environment for _, environment in cells))[:_MOST_ON_PAPER]
        save_heat_map(cells, shown, columns, f"after {step:,} steps", part / "figures", "heat-map")
        for rule, name, points in parameter_points(sweep, scores):
            lowest = sorted(points, key=lambda label: min(span.value for _, span in points[label]))
            lines = {label: points[label] for label in lowest[:_MOST_LINES]}
            save_parameter_figure(lines, name, part / "figures", f"{_slug(rule)}-{_slug(name)}")
    except MissingPackageError:
        return


def parameter_points(
    sweep: Sweep, scores: Sequence[SweepScore]
) -> list[tuple[str, str, dict[str, list[tuple[float, Part]]]]]:
    """Scores by the other parameters, for each rule and each parameter with several values."""
    by_name = {score.name: score.mean for score in scores}
    found = []
    for rule in dict.fromkeys(each.rule for each in sweep.policies):
        own = [each for each in sweep.policies if each.rule == rule and each.name in by_name]
        for name in dict.fromkeys(key for each in own for key in each.settings):
            values = {
                each.settings.get(name) for each in own if _is_number(each.settings.get(name))
            }
            if len(values) < 2:
                continue
            lines: dict[str, list[tuple[float, Part]]] = {}
            for each in own:
                if _is_number(each.settings.get(name)):
                    rest = {k: v for k, v in each.settings.items() if k != name}
                    label = ", ".join(f"{k}={v}" for k, v in rest.items()) or rule
                    point = float(each.settings[name]), by_name[each.name]
                    lines.setdefault(label, []).append(point)
            found.append((rule, name, {label: sorted(p) for label, p in lines.items()}))
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _interval(part: Part) -> str:
    return f"{figure(part.value)} {interval(part.low, part.high)}".rstrip()


def _percent(part: Part) -> str:
    if math.isnan(part.value):
        return "–"
    if math.isnan(part.low):
        return f"{part.value:.1%}"
    return f"{part.value:.1%} [{part.low:.1%}, {part.high:.1%}]"


def _blank(value: float) -> float | None:
    return None if math.isnan(value) else value


def _short(value: float) -> float | None:
    return float(f"{value:.5g}") if math.isfinite(value) else None


def _texts(settings: dict[str, Any]) -> dict[str, Any]:
    return {k: v if _is_number(v) else str(v) for k, v in settings.items()}


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text.lower())
