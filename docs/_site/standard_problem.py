"""Every policy on one standard problem, played when the site is built: a picture for its page."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import lowbid
from lowbid import policies
from lowbid.report._figures import spread
from lowbid.report._palette import styles_of
from lowbid.report._themes import LIGHT, svg
from lowbid.theory import lower

MEANS = [0.3, *[0.5] * 9]
HORIZON, RUNS, SEED = 5_000, 100, 0
BESIDE = ("UniformPlay", "UCB1", "BetaThompson")  # drawn on every page, to compare with
CAPTION = (
    f"Mean regret on ten arms with Bernoulli losses, one of mean {MEANS[0]} and nine of "
    f"{MEANS[1]}: {RUNS} runs of {HORIZON:,} steps with 95% intervals. Dashed: "
    "the lower bound of Lai and Robbins, which holds asymptotically."
)
NOTE = (
    "One problem is not a ranking: [the league](../league.md) has 36. Policies with parameters "
    "have their defaults; without a declared range, those that must know a standard deviation or "
    "a scale take it to be 1. ExponentialThompson plays exponential arms of the same means."
)


def arms_for(name: str) -> lowbid.Environment:
    """Bernoulli arms; exponential ones of the same means for a rule that knows no others."""
    return lowbid.ExponentialByMean(MEANS) if "Exponential" in name else lowbid.Bernoulli(MEANS)


@functools.cache
def played(name: str) -> dict[str, Any]:
    """The mean regret of a policy, with its interval, at some steps."""
    policy = getattr(policies, name).variants()[0]
    steps = np.unique(np.geomspace(1, HORIZON, 60).astype(int))
    result = lowbid.simulate(
        {name: policy}, arms_for(name), HORIZON, RUNS, SEED, checkpoints=steps.tolist()
    )
    curve = lowbid.simulation.mean_curves(result)[name]
    values = {key: getattr(curve, key) for key in ("mean", "low", "high")}
    return {"steps": result.checkpoints, **values}


def draw(axes: Any, theme: Any, name: str) -> None:
    """One policy's curve, with some others behind it."""
    table = {each: played(each) for each in (name, *BESIDE)}
    top = max(1.1 * table["UCB1"]["mean"][-1], 1.05 * table[name]["high"][-1])
    for other in BESIDE:
        if other != name:
            entry = table[other]
            axes.plot(entry["steps"], entry["mean"], color=theme.faint, lw=0.9)
    steps = table[name]["steps"]
    if not isinstance(arms_for(name), lowbid.ExponentialByMean):
        bound = lower.lower_bound(arms_for(name), steps)
        axes.plot(steps, bound, color=theme.faint, lw=0.9, ls=(0, (4, 2)))
    colour = styles_of([name])[name].colour
    entry = table[name]
    axes.fill_between(steps, entry["low"], entry["high"], color=colour, alpha=0.2, lw=0)
    axes.plot(steps, entry["mean"], color=colour, lw=2)
    axes.set(xlabel="step", ylabel="mean regret", xlim=(0, HORIZON), ylim=(0, top))
    axes.set_xticks(range(0, HORIZON + 1, 1000))
    axes.grid(axis="y", color=theme.grid, lw=0.6)
    others = dict.fromkeys(BESIDE, theme.faint)
    ends = {each: _end(table[each], top) for each in (name, *BESIDE)}
    _label(axes, ends, others | {name: colour}, top)


def _end(entry: dict[str, Any], top: float) -> tuple[float, float]:
    """Where a curve ends, or leaves the picture at its top."""
    if entry["mean"][-1] <= top:
        return HORIZON, entry["mean"][-1]
    return float(np.interp(0.93 * top, entry["mean"], entry["steps"])), 0.93 * top


def _label(
    axes: Any, ends: dict[str, tuple[float, float]], colours: dict[str, str], top: float
) -> None:
    """Write each curve's name beside its end; names that would overlap are moved apart."""
    heights = {name: y / top for name, (x, y) in ends.items() if x == HORIZON}
    places = {name: (HORIZON, top * y) for name, y in spread(heights, gap=0.085).items()}
    look = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "fontsize": 8.5}
    for name, place in (ends | places).items():
        weight = "bold" if name == next(iter(ends)) else "normal"
        axes.annotate(name, place, color=colours[name], weight=weight, **look)


def figure(name: str) -> str:
    """The picture of a policy, as HTML. The site's style sheet turns it into one for dark pages."""
    drawn = svg(lambda axes, theme: draw(axes, theme, name), LIGHT, size=(6.4, 3.0))
    caption = CAPTION
    if isinstance(arms_for(name), lowbid.ExponentialByMean):
        caption = caption.replace("Bernoulli", "exponential").partition(" Dashed")[0]
    shown = drawn.replace("\n", " ")
    return f'<figure class="regret"><div>{shown}</div><figcaption>{caption}</figcaption></figure>'


def final_regret(name: str) -> float:
    """The mean regret of a policy at the end."""
    return float(played(name)["mean"][-1])
