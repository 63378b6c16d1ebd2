"""A report as one HTML page that needs nothing else: no network, no other files.

Its charts are drawn in the browser by ``page.js`` from numbers embedded in the page; pictures drawn
beforehand are embedded as they are.
"""

from __future__ import annotations

import base64
import html
import importlib.resources
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lowbid._version import __version__
from lowbid.report._blocks import (
    Block,
    ClaimItem,
    ClaimList,
    Code,
    Facts,
    Heading,
    Page,
    Picture,
    Pictures,
    Section,
    Table,
    Text,
)
from lowbid.report._chart import Chart, styles
from lowbid.report._numbers import figure, interval
from lowbid.report._palette import DARK, Style, bound_dashes, first_styles
from lowbid.report._sweep_view import SweepView, sweep_view
from lowbid.simulation import Result, mean_curves

_SIGNS = {"good": "✓", "bad": "✗", "open": "?", "none": "–"}


def render(page: Page) -> str:
    """The page as HTML."""
    blocks = [block for part in page.sections for block in part.blocks]
    shown = styles(block for block in blocks if isinstance(block, Chart))
    sweeps = any(isinstance(block, SweepView) for block in blocks)
    colours = sorted(DARK if sweeps else {style.colour for style in shown.values()})
    css, js = [_asset("page.css")], [_asset("page.js")]
    if sweeps:
        css.append(_asset("sweep.css"))
        js.append(_asset("sweep.js").replace('"use strict";\n', ""))
    menu = "".join(f'<a href="#{_slug(s.title)}">{_safe(s.title)}</a>' for s in page.sections)
    body = "\n".join(_section(section, shown) for section in page.sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="lowbid {__version__}">
<link rel="icon" href="data:,">
<title>{_safe(page.title)}</title>
<style>
{"".join(css)}{_colours(colours)}</style>
</head>
<body>
<header><h1>{_safe(page.title)}</h1><p class="lead">{_safe(page.lead)}</p></header>
<nav aria-label="sections"><div>{menu}</div></nav>
<main>
{body}
</main>
<footer>Made by lowbid {__version__}. This page needs no network: its data and its script are in it.
</footer>
<script>
{"".join(js)}</script>
</body>
</html>
"""


def chart_script() -> str:
    """The script that draws charts, for other pages that show some."""
    return _asset("page.js")


def theme() -> str:
    """The style sheet of all pages, with the colours of curves."""
    return _asset("page.css") + _colours([style.colour for style in first_styles()])


def chart_styles() -> list[dict[str, Any]]:
    """How the first few curves of a chart are drawn, for its script."""
    return [{"colour": _variable(each.colour), "dashes": each.dashes} for each in first_styles()]


def ranking(result: Result) -> Table:
    """The regret of every policy at the horizon, best first, and how far it is from the best."""
    rows = []
    summary = result.summary()
    for row in summary:
        behind = ""
        if row is not summary[0]:
            gap = result.difference(row.policy, summary[0].policy)
            behind = f"+{figure(gap.mean)}  {interval(gap.low, gap.high)}"
        numbers = [row.sd, row.quantiles[0.5], row.quantiles[0.95], row.max]
        cells = [row.policy, figure(row.mean), interval(row.low, row.high)]
        rows.append([*cells, *(figure(number) for number in numbers), behind])
    head = ["policy", f"mean {result.measure}", "95% interval", "sd", "median"]
    return Table([*head, "95% of runs below", "worst", "behind the best, paired"], rows)


def _section(section: Section, shown: Mapping[str, Style]) -> str:
    blocks = "\n".join(_block(block, shown) for block in section.blocks)
    title = f"<h2>{_safe(section.title)}</h2>"
    return f'<section id="{_slug(section.title)}">\n{title}\n{blocks}\n</section>'


def _block(block: Block, shown: Mapping[str, Style]) -> str:
    match block:
        case Text(text):
            return f"<p>{_safe(text)}</p>"
        case Heading(text):
            return f"<h3>{_safe(text)}</h3>"
        case Code(text):
            return f"<pre><code>{_safe(text)}</code></pre>"
        case Facts(facts):
            return _facts(facts)
        case Table():
            return _table(block)
        case ClaimList(claims):
            return _claims(claims)
        case Pictures(pictures):
            return f'<div class="pictures">{"".join(map(_picture, pictures))}</div>'
        case Chart():
            return _chart(block, shown)
        case SweepView():
            return sweep_view(block)


def _facts(facts: Mapping[str, str]) -> str:
    inner = "".join(f"<dt>{_safe(k)}</dt><dd>{_safe(v)}</dd>" for k, v in facts.items())
    return f"<dl>{inner}</dl>"


def _table(table: Table) -> str:
    def cell(tag: str, column: int, text: str) -> str:
        kind = ' class="text"' if column in table.text_columns else ""
        return f"<{tag}{kind}>{_safe(text)}</{tag}>"

    head = "".join(cell("th", i, text) for i, text in enumerate(table.head))
    rows = "\n".join(
        "<tr>" + "".join(cell("td" if i else "th", i, text) for i, text in enumerate(row)) + "</tr>"
        for row in table.rows
    )
    return (
        f'<div class="wide" tabindex="0"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _claims(claims: Sequence[ClaimItem]) -> str:
    counts: dict[str, list[ClaimItem]] = {}
    for claim in sorted(claims, key=lambda claim: list(_SIGNS).index(claim.kind)):
        counts.setdefault(claim.verdict, []).append(claim)
    buttons = "".join(
        f'<button type="button" aria-pressed="false" data-kind="{_safe(verdict)}">'
        f'<span class="sign {some[0].kind}">{_SIGNS[some[0].kind]}</span> <b>{len(some)}</b>'
        f"{_safe(verdict)}</button>"
        for verdict, some in counts.items()
    )
    items = "\n".join(_claim(claim) for claim in claims)
    return f'<div><div class="filter">{buttons}</div>\n<div class="findings">{items}</div>\n</div>'


def _claim(claim: ClaimItem) -> str:
    lines = "".join(
        f'<li><span class="sign {item.kind}">{_SIGNS[item.kind]}</span> {_safe(item.text)}: '
        f"{_safe(item.outcome)}</li>"
        for item in claim.evidence
    )
    lines = f"<ul>{lines}</ul>" if lines else ""
    notes = "".join(f"<p>{_safe(note)}</p>" for note in claim.notes)
    reading = f'<p class="reading">{_safe(claim.reading)}</p>' if claim.reading else ""
    return (
        f'<details class="finding" data-kind="{_safe(claim.verdict)}"><summary>'
        f'<span class="badge {claim.kind}">{_safe(claim.verdict)}</span>'
        f'<span class="place">{_safe(claim.place)}</span>'
        f'<span class="says">{_safe(claim.says)}</span></summary>'
        f'<div class="more">{reading}{lines}{notes}</div></details>'
    )


def _picture(picture: Picture) -> str:
    caption = _safe(picture.caption)
    return (
        f'<figure class="picture" id="{_slug(picture.key)}"><picture>'
        f'<source srcset="{_inline(picture.dark)}" media="(prefers-color-scheme: dark)">'
        f'<img src="{_inline(picture.light)}" alt="{caption}"></picture>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _inline(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _chart(chart: Chart, shown: Mapping[str, Style]) -> str:
    # A tag within the data would end the script element that holds them.
    data = json.dumps(chart_data(chart, shown), separators=(",", ":")).replace("<", "\\u003c")
    marks = "; ".join(
        f"{text} at {chart.unit} {', '.join(map(str, steps))}"
        for text, steps in chart.marks.items()
    )
    note = f'\n<p class="note">Dotted: {_safe(marks)}.</p>' if marks else ""
    note += _facts(chart.notes) if chart.notes else ""
    return (
        f'<figure class="chart" id="{_slug(chart.key)}"><figcaption>{_safe(chart.title)}'
        '</figcaption><div class="tools"></div>'
        f'<div class="plot" tabindex="0" role="group" aria-label="{_safe(chart.title)}; arrow keys '
        f'move the {chart.unit}"></div><div class="legend"><span class="when"></span></div>'
        f'<script type="application/json">{data}</script>'
        "<noscript>This figure needs JavaScript; a still one is among the files beside this "
        f"page.</noscript></figure>{note}"
    )


def chart_data(chart: Chart, shown: Mapping[str, Style]) -> dict[str, Any]:
    """The data that ``page.js`` draws: the curves, from the highest end to the lowest."""
    curves = [
        {
            "name": name,
            "colour": _variable(shown[name].colour),
            "dashes": shown[name].dashes,
            "mean": _short(curve.mean),
            "low": _short(curve.low),
            "high": _short(curve.high),
        }
        for name, curve in mean_curves(chart.result).items()
    ]
    curves += [
        {
            "name": name,
            "colour": "--faint",
            "dashes": bound_dashes(number),
            "mean": _short(values),
        }
        for number, (name, values) in enumerate(chart.curves.items())
    ]
    return {
        "key": chart.key,
        "title": chart.title,
        "measure": f"mean {chart.result.measure}",
        "log": chart.log,
        "unit": chart.unit,
        "steps": chart.result.checkpoints.tolist(),
        "curves": sorted(curves, key=lambda curve: -(curve["mean"][-1] or 0.0)),
        "marks": [{"text": text, "steps": list(steps)} for text, steps in chart.marks.items()],
    }


def _short(values: Any) -> list[float | None]:
    """Numbers rounded to five digits, which looks the same."""
    return [float(f"{x:.5g}") if np.isfinite(x) else None for x in values]


def _colours(colours: Sequence[str]) -> str:
    def rule(pairs: Iterator[tuple[str, str]]) -> str:
        return ":root{" + ";".join(f"{_variable(name)}:{value}" for name, value in pairs) + "}"

    light = rule((colour, colour) for colour in colours)
    dark = rule((colour, DARK[colour]) for colour in colours)
    return f"{light}\n@media (prefers-color-scheme: dark){{{dark}}}\n"


def _variable(colour: str) -> str:
    return f"--c{colour[1:].lower()}"


def _asset(name: str) -> str:
    return importlib.resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text.lower())


def _safe(text: str) -> str:
    return html.escape(text, quote=True)
