"""The output of a sweep: a table, a ranking, figures and a page."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from lowbid._terminal import filled
from lowbid._version import __version__
from lowbid.errors import MissingPackageError
from lowbid.experiments.sweeps._cell import Cell
from lowbid.experiments.sweeps._part import part_of, write
from lowbid.experiments.sweeps._play_sweep import (
    cells_finished,
    counted,
    damaged_text,
    failures_on_file,
    failures_text,
    read_table,
    window_on_file,
)
from lowbid.experiments.sweeps._ranking_tables import (
    Choices,
    printed_choices,
    printed_rankings,
    ranking_columns,
    ranking_section,
    tuning_section,
)
from lowbid.experiments.sweeps._store import CellStore
from lowbid.experiments.sweeps._sweep import Precision, Sweep
from lowbid.experiments.sweeps._sweep_scores import (
    Part,
    Ranking,
    Ratios,
    rankings,
    ratios_of,
    regrets,
)
from lowbid.experiments.sweeps._tidy import SweepTable, write_csv
from lowbid.experiments.sweeps._tuning import tuned
from lowbid.report import (
    Block,
    Code,
    Facts,
    Heading,
    Page,
    Section,
    SweepView,
    Text,
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
# More rows, columns or lines than this would be unreadable on paper.
_MOST_ON_PAPER, _MOST_LINES = 60, 10


def write_up(sweep: Sweep, folder: Path, command: str) -> str:
    """Write everything that the results on file allow; returns a summary for the terminal."""
    store, cells = CellStore(folder), sweep.cells
    table, part = read_table(sweep, store), part_of(sweep, folder)
    part.mkdir(parents=True, exist_ok=True)
    table.to_csv(part / "table.csv")
    if importlib.util.find_spec("pyarrow") is not None:
        table.to_parquet(part / "table.parquet")
    finished = cells_finished(cells, table)
    lead = f"{len(finished):,} of {counted(len(cells), 'cell is', 'cells are')} finished"
    failed = failures_on_file(part)
    for cell in finished:
        failed.pop(str(cell), None)
    if failed:
        lead += f"; {counted(len(failed), 'cell')} failed"
    if store.damaged:
        lead += f"; {damaged_text(store.damaged, 'left out')}"
    # A place counts once all are finished there; what failed will not be.
    known = regrets(table, sweep.places([cell for cell in cells if str(cell) not in failed]))
    if not known:
        return f"{sweep.title}: {lead}; nothing can be compared yet."
    ranked = rankings(table.rows, known)
    write_csv(ranking_columns(ranked), part / "ranking.csv")
    missed = missed_precision(sweep.precision, table)
    choices, misfits = _choices(sweep, table, ranked), sweep.misfits
    page = Page(
        sweep.title,
        f"{counted(len(sweep.policies), 'policy', 'policies')} on "
        f"{counted(len(sweep.environments), 'environment')}; {lead}. "
        + " ".join(filter(None, [missed, caution(min(row.figures.runs for row in table))])),
        [
            ranking_section(ranked),
            *([tuning_section(choices)] if choices else []),
            *([Section("Losses", [Text(misfit) for misfit in misfits])] if misfits else []),
            *([Section("Failed", [Code(failures_text(failed))])] if failed else []),
            Section("Cell by cell", [SweepView(view_data(sweep, store, table, known, ranked))]),
            _provenance(sweep, command),
        ],
    )
    write(part / "report.html", render(page))
    _draw(sweep, part, known, ranked)
    text = [filled(f"{sweep.title}: {lead}"), *printed_rankings(ranked)]
    text += [filled(missed)] if missed else []
    text += printed_choices(choices)
    return "\n\n".join([*text, f"The page is {part / 'report.html'}; table.csv is next to it."])


def _choices(sweep: Sweep, table: SweepTable, ranked: Sequence[Ranking]) -> list[Choices]:
    """The chosen settings at the places of each ranking that allow a choice and a judgement."""
    if sweep.tune is None:
        return []
    found = [Choices(each, tuned(sweep.policies, sweep.tune, table.rows, each)) for each in ranked]
    return [each for each in found if each.tuned]


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
    sweep: Sweep, store: CellStore, table: SweepTable, known: Ratios, ranked: Sequence[Ranking]
) -> dict[str, Any]:
    """The data that the page's script shows: policies, environments, cells, and their curves."""
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
        "order": [policies[name] for name in _ordered(ranked)],
        "environments": [{"name": e.name, "title": e.title or e.name} for e in sweep.environments],
        "rows": rows,
        "curves": _curves(sweep, store, policies, environments),
        "csv": table.to_csv() if len(table) <= _MOST_ROWS_AS_TEXT else None,
    }


def _ordered(ranked: Sequence[Ranking]) -> list[str]:
    """All policies, in the order of the first ranking that has them."""
    return list(dict.fromkeys(score.name for each in ranked for score in each.scores))


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


def _draw(sweep: Sweep, part: Path, known: Ratios, ranked: Sequence[Ranking]) -> None:
    """Save figures for a paper; without matplotlib, there is only the page."""
    try:
        spans = {score.name: score.mean for score in ranked[0].scores[:_MOST_ON_PAPER]}
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
        shown = [name for name in _ordered(ranked) if name in playing][:_MOST_ON_PAPER]
        columns = list(dict.fromkeys(environment for _, environment in cells))[:_MOST_ON_PAPER]
        save_heat_map(cells, shown, columns, f"after {step:,} steps", part / "figures", "heat-map")
        for rule, name, points in parameter_points(sweep, ranked):
            lowest = sorted(points, key=lambda label: min(span.value for _, span in points[label]))
            lines = {label: points[label] for label in lowest[:_MOST_LINES]}
            save_parameter_figure(lines, name, part / "figures", f"{_slug(rule)}-{_slug(name)}")
    except MissingPackageError:
        return


def parameter_points(
    sweep: Sweep, ranked: Sequence[Ranking]
) -> list[tuple[str, str, dict[str, list[tuple[float, Part]]]]]:
    """Scores by the other parameters, for each rule and each parameter with several values.

    They are those of the first ranking that has settings of the rule, so that they are comparable.
    """
    found = []
    for rule in dict.fromkeys(each.rule for each in sweep.policies):
        settings = {each.name: each for each in sweep.policies if each.rule == rule}
        by_name = _first_scores(ranked, settings)
        own = [each for name, each in settings.items() if name in by_name]
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


def _first_scores(ranked: Sequence[Ranking], names: Collection[str]) -> dict[str, Part]:
    """The scores of some policies in the first ranking that has any of them."""
    for each in ranked:
        found = {score.name: score.mean for score in each.scores if score.name in names}
        if found:
            return found
    return {}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: float) -> float | None:
    return float(f"{value:.5g}") if math.isfinite(value) else None


def _texts(settings: dict[str, Any]) -> dict[str, Any]:
    return {k: v if _is_number(v) else str(v) for k, v in settings.items()}


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text.lower())
