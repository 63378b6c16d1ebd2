"""The pictures of `lowbid theory`, each drawn twice: for light pages and for dark ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lowbid.report._blocks import Picture
from lowbid.report._palette import style
from lowbid.report._themes import Draw, Theme, picture
from lowbid.theory.evidence import Evidence, Line, OptimismMap


def pictures(evidence: Evidence) -> list[Picture]:
    """All pictures, in the order of the page."""
    made: list[tuple[str, str, Draw]] = [
        (
            "optimism-map",
            "Lemma 3, exact: the probability that a batch of n Bernoulli losses estimates its "
            "mean from below. It jumps where (n + 2)μ passes a whole number; the dark edge on the "
            "left is the worst case, μ just below 1/(n + 2).",
            lambda axes, theme: _draw_map(axes, evidence.optimism_map),
        ),
        (
            "floors",
            "The worst mean for each batch size, exact. The paper proves 1/4 for the batch; it is "
            "above 1/e. Lemma 2 itself, without the padding, is tight at n = 2.",
            lambda axes, theme: _draw_floors(axes, evidence.floors, theme),
        ),
    ]
    for number, (name, lines) in enumerate(evidence.regret.items(), start=1):
        made.append((f"regret-{number}", _regret_caption(name, lines), _regret(lines)))
    made += [
        (
            "batches",
            "Batches needed for an optimistic index, against the probability of failure δ, by "
            "assumption about the losses.",
            lambda axes, theme: _draw_batches(axes, evidence.batches, theme),
        ),
        (
            "lemma1",
            "Lemma 1 for Bernoulli(1/2) losses: the exact probability that the bound is violated, "
            "relative to δ. Above 1 it fails: as printed (solid) from a few thousand losses on, "
            "corrected (dashed) never.",
            lambda axes, theme: _draw_tails(axes, evidence.tails, theme),
        ),
        (
            "conjecture",
            "The conjecture. As stated it needs P(S ≤ nμ) ≥ 1/4, and losses (1 - 1/n) Ber(1 - "
            "0.01/n) violate it at every n. What the algorithm needs survives every law tried.",
            lambda axes, theme: _draw_conjecture(axes, evidence.found, theme),
        ),
        (
            "negative",
            "Where optimism fails: batches of Gaussian losses, standard deviation 1, exact. With a "
            "negative mean the padding pulls the wrong way.",
            lambda axes, theme: _draw_negative(axes, evidence.negative, theme),
        ),
    ]
    return [picture(key, caption, draw) for key, caption, draw in made]


def _regret_caption(name: str, lines: Sequence[Line]) -> str:
    guide = next(line for line in lines if line.kind == "guide")
    vacuous = [b.name for b in lines if b.kind == "bound" and b.y[-1] >= guide.y[-1]]
    said = "Every bound drawn is informative at the last step."
    if vacuous:
        said = f"Vacuous to the last step: {', '.join(vacuous)}."
    return (
        f"{name}: measured regret (solid), proven bounds (dashed) and the cost of the worst arm "
        f"(dotted), above which a bound is vacuous. {said}"
    )


def _draw_map(axes: Any, chances: OptimismMap) -> None:
    image = axes.imshow(
        chances.chances,
        origin="lower",
        aspect="auto",
        extent=(0.0, 1.0, 0.5, len(chances.sizes) + 0.5),
        vmin=math.exp(-1.0),
        vmax=1.0,
        cmap="cividis",
        interpolation="nearest",
    )
    axes.figure.colorbar(image, ax=axes, label="probability of optimism")
    axes.set(xlabel="mean μ", ylabel="losses in the batch, n")
    axes.set_title("How often a batch is optimistic", loc="left")


def _draw_floors(axes: Any, lines: Sequence[Line], theme: Theme) -> None:
    exact = [line for line in lines if line.kind == "exact"]
    for number, line in enumerate(exact):
        axes.plot(line.x, line.y, color=theme.colour(number), linewidth=1.8, label=line.name)
    for line in lines:
        if line.kind == "guide":
            axes.plot(line.x, line.y, color=theme.faint, linewidth=1.0, linestyle=(0, (2, 2)))
            axes.annotate(
                line.name, (60, line.y[-1]), (0, -10), textcoords="offset points", ha="right",
                color=theme.faint, fontsize=8,
            )  # fmt: skip
    axes.set(xlabel="losses in the batch, n", ylabel="least probability", xlim=(0, 61), ylim=(0, 1))
    axes.set_title("The minimum over all means", loc="left")
    axes.legend(frameon=False, loc="upper right")
    axes.grid(axis="y", linewidth=0.6)


# A policy and the bounds proved for it have the same colour.
_POLICIES = {"Batch Ensemble, 8 log t batches": 1, "UCB1": 2, "Thompson sampling": 3}
_PROVED = {"Theorem 2": 1, "UCB1's bound": 2}
_STROKES = {"Theorem 1, printed": (1.2, 1.4), "Theorem 1, nothing rounded": (9.0, 2.5)}


def _regret(lines: Sequence[Line]) -> Draw:
    def look(line: Line, theme: Theme) -> dict[str, Any]:
        if line.kind == "guide":
            return {"color": theme.faint, "linestyle": (0, (1, 1.5)), "linewidth": 1.2}
        if line.kind == "lower":
            return {"color": theme.ink, "linestyle": (0, (4, 1.5)), "linewidth": 1.2}
        if line.kind == "bound":
            colour, strokes = _PROVED.get(line.name, 0), _STROKES.get(line.name, (5.0, 2.0))
            return {"color": theme.colour(colour), "linestyle": (0, strokes), "linewidth": 1.4}
        colour = _POLICIES.get(line.name, 0)
        width = 0.7 if line.name == "the worst of its runs" else 1.8
        return {"color": theme.colour(colour), "linewidth": width}

    def draw(axes: Any, theme: Theme) -> None:
        for line in lines:
            axes.plot(line.x, np.maximum(line.y, 1e-3), label=line.name, **look(line, theme))
        axes.set(xscale="log", yscale="log", xlabel="step", ylabel="regret")
        axes.set_ylim(bottom=0.3)
        axes.set_xlim(10, lines[0].x[-1])
        axes.set_title("Bounds and measured regret", loc="left")
        axes.figure.legend(
            loc="outside lower center", ncols=2, frameon=False, fontsize=7.5, handlelength=3.5
        )
        axes.grid(axis="y", linewidth=0.6)

    return draw


def _draw_batches(axes: Any, lines: Sequence[Line], theme: Theme) -> None:
    for number, line in enumerate(lines):
        width = 2.4 if number == 0 else 1.4
        dashes = (0, style(number).dashes) if style(number).dashes else "-"
        axes.step(
            line.x, line.y, color=theme.colour(number), linewidth=width, linestyle=dashes,
            label=line.name,
        )  # fmt: skip
    axes.set(xscale="log", xlabel="probability of failure δ", ylabel="batches")
    axes.invert_xaxis()
    axes.set_ylim(bottom=0)
    axes.set_title("Batches needed for a confidence", loc="left")
    axes.legend(frameon=False, loc="upper left", handlelength=3.5)
    axes.grid(axis="y", linewidth=0.6)


def _draw_tails(axes: Any, lines: Sequence[Line], theme: Theme) -> None:
    for number, line in enumerate(lines):
        dashes = "-" if line.kind == "printed" else (0, (5, 2))
        axes.plot(line.x, line.y, color=theme.colour(number // 2), linestyle=dashes,
                  linewidth=1.6, label=line.name)  # fmt: skip
    axes.axhline(1.0, color=theme.ink, linewidth=0.9)
    axes.annotate("δ", (12, 1.0), (0, 3), textcoords="offset points", color=theme.ink)
    axes.set(xscale="log", yscale="log", xlabel="losses, n", ylabel="probability / δ")
    axes.set_ylim(1e-6, None)
    axes.set_title("Lemma 1, printed and corrected", loc="left")
    axes.figure.legend(
        loc="outside lower center", ncols=2, frameon=False, fontsize=8, handlelength=3.0
    )
    axes.grid(axis="y", linewidth=0.6)


def _draw_conjecture(axes: Any, lines: Sequence[Line], theme: Theme) -> None:
    looks: dict[str, dict[str, Any]] = {
        "points": {"color": theme.colour(0), "linestyle": "none", "marker": "o", "markersize": 5},
        "exact": {"color": theme.colour(0), "linewidth": 1.4},
        "guide": {"color": theme.faint, "linewidth": 1.0, "linestyle": (0, (2, 2))},
        "fails": {"color": theme.colour(1), "linestyle": "none", "marker": "x", "markersize": 5},
    }
    for line in lines:
        axes.plot(line.x, line.y, label=line.name, **looks[line.kind])
    axes.set(xlabel="losses, n", ylabel="probability", ylim=(0, 0.72), xlim=(0, 61))
    axes.set_title("The conjecture, as stated and as corrected", loc="left")
    axes.legend(frameon=False, loc="upper right")
    axes.grid(axis="y", linewidth=0.6)


def _draw_negative(axes: Any, lines: Sequence[Line], theme: Theme) -> None:
    colours = iter([theme.colour(number) for number in range(6)])
    for line in lines:
        colour = theme.ink if line.name == "mean 0" else next(colours)
        axes.plot(line.x, line.y, color=colour, linewidth=1.6, label=line.name)
    axes.axhline(0.25, color=theme.faint, linewidth=1.0, linestyle=(0, (2, 2)))
    axes.annotate(
        "1/4", (1000, 0.25), (0, 3), textcoords="offset points", ha="right", color=theme.faint
    )
    axes.set(xscale="log", xlabel="losses in the batch, n", ylabel="probability of optimism")
    axes.set_ylim(0, 1)
    axes.set_title("Gaussian losses, by their mean", loc="left")
    axes.legend(frameon=False, loc="upper right", ncols=2)
    axes.grid(axis="y", linewidth=0.6)
