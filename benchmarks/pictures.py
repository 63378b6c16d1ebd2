"""How cost grows, on logarithmic axes: a straight line is a power, and its slope that power.

    python -m benchmarks.pictures --out docs/images

draws docs/images/speed-growth.png from the last measurements of `python -m benchmarks`; those
missing in its folder are made first, which takes half an hour; with `--parts growth`, only those of
time, which is most of it. With `--page benchmarks/RESULTS.md`, the table of that page is drawn,
and nothing is measured.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from lowbid.report._figures import matplotlib_without_screen, spread
from lowbid.report._palette import Style, styles_of

from .growth import Points, slope

# Titles, what grows, and in which unit.
PANELS = (
    ("arms", "time per step", "arms, K", "ns"),
    ("steps", "time per step, 10 arms", "steps of a run, T", "ns"),
    ("memory_arms", "memory over that with 10 arms, T = 1,000", "arms, K", "MB"),
    ("memory_steps", "memory over that with T = 100, 10 arms", "steps of a run, T", "MB"),
    ("batches", "time per step, 10 arms, T = 20,000", "batches, l", "ns"),
)
NOTHING = 1.0  # MB: what two processes that do the same may differ by
SHORT = {
    "BatchEnsemble, 12 batches": "12 batches",
    "EnsembleAdaptive": "Adaptive",
    "EnsembleAdaptiveEfficient": "Efficient",
}


def draw(results: dict[str, Any], path: Path) -> None:
    """All panels in one picture; at the end of each line its name and its slope."""
    growth = {**results["growth"], **results.get("memory", {})}
    looks = styles_of(growth["arms"])
    panels = [panel for panel in PANELS if panel[0] in growth]
    rows, columns = (len(panels) + 1) // 2, min(2, len(panels))
    width, height = 4.8 * columns, 3.6 * rows
    with matplotlib_without_screen() as plt:
        figure, grid = plt.subplots(rows, columns, figsize=(width, height), squeeze=False)
        figure.subplots_adjust(
            left=0.75 / width,
            right=1 - 1.35 / width,
            top=1 - 0.35 / height,
            bottom=0.5 / height,
            wspace=0.62,
            hspace=0.32,
        )
        for panel, (key, title, x, y) in zip(grid.flat, panels, strict=False):
            panel.set_title(title, loc="left")
            panel.set(xlabel=x, ylabel=y, xscale="log", yscale="log")
            panel.grid(axis="y", color="#e6e6e6", linewidth=0.6)
            panel.set_axisbelow(True)
            draw_lines(panel, growth[key], looks, least=NOTHING if y == "MB" else 0.0)
            if not panel.lines:
                panel.text(0.5, 0.5, f"at most {NOTHING:g} {y}", transform=panel.transAxes)
        for panel in grid.flat[len(panels) :]:
            panel.set_visible(False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=140)
        plt.close(figure)


def draw_lines(
    panel: Any, series: dict[str, Points], looks: dict[str, Style], least: float = 0.0
) -> None:
    """Lines above a least value, each with its name and slope beside its end."""
    drawn = {}
    for name, points in series.items():
        shown = [(size, value) for size, value in points if value > least]
        if len(shown) > 1:
            look = looks.get(name) or styles_of([name])[name]
            stroke = (0, look.dashes) if look.dashes else "-"
            panel.plot(*zip(*shown, strict=True), color=look.colour, linestyle=stroke, lw=1.5)
            drawn[name] = (shown, look.colour)
    panel.autoscale_view()  # else the axes' limits are not known yet
    to_axes = (panel.transData + panel.transAxes.inverted()).transform
    ends = {name: to_axes(shown[-1]) for name, (shown, _) in drawn.items()}
    places = spread({name: float(end[1]) for name, end in ends.items()}, gap=0.085)
    for name, place in places.items():
        shown, colour = drawn[name]
        power = slope(shown)
        text = SHORT.get(name, name) + ("" if math.isnan(power) else f"  {power:.2f}")
        near = {"color": colour, "transform": panel.transAxes, "clip_on": False}
        panel.plot([ends[name][0], 1.02, 1.05], [ends[name][1], place, place], lw=0.5, **near)
        panel.text(1.06, place, text, va="center", fontsize=8.5, **near)


def time_with_arms(page: str) -> dict[str, Points]:
    """The table of time per step by arms, as `benchmarks.table` wrote it into a page."""
    lines = page[page.index("| ns per step | K = 10 |") :].partition("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    sizes = [int(cell.removeprefix("K = ").replace(",", "")) for cell in rows[0][1:-1]]
    return {
        row[0]: [
            (size, float(cell.replace(",", "")))
            for size, cell in zip(sizes, row[1:-1], strict=True)
            if cell != "–"
        ]
        for row in rows[2:]
    }


def main() -> None:
    from .__main__ import everything

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, default=Path("out/bench"), help="what was measured")
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    parser.add_argument("--parts", default="growth,memory", help="growth alone has three panels")
    parser.add_argument("--page", type=Path, help="draw the table of a page; measure nothing")
    given = parser.parse_args()
    if given.page:
        arms = time_with_arms(given.page.read_text(encoding="utf-8"))
        return draw({"growth": {"arms": arms}}, given.out / "speed-growth.png")
    results = everything([], repeats=3, folder=given.results, needed=given.parts.split(","))
    return draw(results, given.out / "speed-growth.png")


if __name__ == "__main__":
    main()
