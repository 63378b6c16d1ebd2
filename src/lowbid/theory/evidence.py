"""The numbers behind the pictures of `lowbid theory`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._arrays import Floats
from lowbid.environments import Arms
from lowbid.policies import UCB1, BetaThompson
from lowbid.theory import conjecture, lower, printed, textbook, theorem1, theorem2
from lowbid.theory._tails import binomial_cdf
from lowbid.theory.checks import (
    DELTA,
    EASY,
    TEST1,
    Budget,
    anytime,
    high_probability,
    measured,
    searched,
)
from lowbid.theory.concentration import bernoulli_shortfall, bernstein
from lowbid.theory.laws import GaussianLaw
from lowbid.theory.optimism import (
    GARNETT,
    SHARP,
    SYMMETRIC,
    batches_needed,
    bernoulli_floor,
    lemma2_floor,
    optimism,
    paper_batches,
)


class Line(NamedTuple):
    """A named curve.

    Attributes
    ----------
    name : str
        The name in the legend.
    x, y : array
        Its points.
    kind : str
        "measured", "bound", "lower", "exact" or "guide".
    """

    name: str
    x: Floats
    y: Floats
    kind: str


class OptimismMap(NamedTuple):
    """The probability that a batch of n Bernoulli(mean) losses is optimistic, (n, mean)."""

    sizes: npt.NDArray[np.int64]
    means: Floats
    chances: Floats


class Evidence(NamedTuple):
    """The data of all pictures."""

    optimism_map: OptimismMap
    floors: list[Line]
    regret: dict[str, list[Line]]
    batches: list[Line]
    tails: list[Line]
    found: list[Line]
    negative: list[Line]


def gather(budget: Budget | None = None) -> Evidence:
    """Compute the data of the pictures; simulations are shared with the checks."""
    budget = budget or Budget()
    return Evidence(
        optimism_map=optimism_map(),
        floors=floors(),
        regret={
            "Bernoulli(0.1, 0.9)": regret(EASY, budget),
            "Bernoulli(0.001, 0.15, 0.2, 0.25, 0.3), the paper's test 1": regret(TEST1, budget),
        },
        batches=batches(),
        tails=tails(),
        found=found(budget),
        negative=negative(),
    )


def optimism_map(largest: int = 60, resolution: int = 500) -> OptimismMap:
    """Exact values, at the midpoints of small intervals of the mean."""
    sizes = np.arange(1, largest + 1)
    means = (np.arange(resolution) + 0.5) / resolution
    chances = np.array(
        [[binomial_cdf(math.floor((n + 2) * m), int(n), float(m)) for m in means] for n in sizes]
    )
    return OptimismMap(sizes, means, chances)


def floors(largest: int = 60) -> list[Line]:
    """The lowest optimism of a batch over all means, and what is proved."""
    n = np.arange(1, largest + 1, dtype=np.float64)
    lemma2 = np.array([lemma2_floor(int(k)) for k in n[1:]])
    return [
        Line("S ≤ (n + 2)μ, the batch: exact", n, _each(bernoulli_floor, n), "exact"),
        Line("S ≤ nμ, Lemma 2: exact, μ ≤ 1 - 1/n", n[1:], lemma2, "exact"),
        Line("1/e", n, np.full(len(n), math.exp(-1.0)), "guide"),
        Line("1/4, the paper", n, np.full(len(n), 0.25), "guide"),
        Line("0.14, all losses ≥ 0", n, np.full(len(n), GARNETT.chance), "guide"),
    ]


def _each(function: Callable[[int], float], n: Floats) -> Floats:
    return np.array([function(int(k)) for k in n])


def regret(arms: Arms, budget: Budget) -> list[Line]:
    """Measured regret over time, and what is proved about it."""
    runs = max(50, budget.runs // 5)
    ensemble = measured(high_probability(), arms, budget.horizon, budget.runs)
    steps = ensemble.checkpoints.astype(np.float64)
    lines = [
        Line("Batch Ensemble, Theorem 1's batches", steps, ensemble.regret[0].mean(0), "measured"),
        Line("the worst of its runs", steps, ensemble.regret[0].max(axis=0), "measured"),
    ]
    others = {"Batch Ensemble, 8 log t batches": anytime(), "UCB1": UCB1()}
    for name, policy in (others | {"Thompson sampling": BetaThompson()}).items():
        result = measured(policy, arms, budget.horizon, runs)
        lines.append(Line(name, steps, result.regret[0].mean(axis=0), "measured"))
    flat = np.ones_like(steps)
    horizon, worst = budget.horizon, float(arms.means.max() - arms.means.min())
    bounds = {
        "Theorem 1, corrected": flat * theorem1.variance_form(arms, horizon, DELTA),
        "Theorem 1, printed": flat * printed.theorem1_variance_form(arms, horizon, DELTA),
        "Theorem 1, nothing rounded": flat * theorem1.sharp_form(arms, horizon, DELTA),
        "Theorem 2": theorem2.variance_form(arms, steps),
        "UCB1's bound": textbook.ucb1(arms, steps),
    }
    lines += [Line(name, steps, values, "bound") for name, values in bounds.items()]
    lines.append(Line("the worst arm always", steps, worst * steps, "guide"))
    lines.append(Line("Lai and Robbins", steps, lower.lower_bound(arms, steps), "lower"))
    return lines


def batches() -> list[Line]:
    """The number of batches that a confidence needs, by what is known about the losses."""
    delta = np.geomspace(0.5, 1e-8, 200)
    of_five = bernoulli_floor(5)
    chances = {
        "all losses ≥ 0 (0.14)": GARNETT.chance,
        "Bernoulli (1/e)": SHARP.chance,
        "Bernoulli, batches of 5 (exact)": of_five,
        "symmetric, mean ≥ 0 (1/2)": SYMMETRIC.chance,
    }
    lines = [Line("the paper, (7/2) log(1/δ)", delta, _batches_of_paper(delta), "measured")]
    for name, chance in chances.items():
        needed = np.array([batches_needed(float(d), chance) for d in delta], dtype=np.float64)
        lines.append(Line(name, delta, needed, "exact"))
    return lines


def _batches_of_paper(delta: Floats) -> Floats:
    return np.array([paper_batches(float(d)) for d in delta], dtype=np.float64)


def tails() -> list[Line]:
    """The exact probability that Lemma 1 is violated, relative to delta: above 1 it fails."""
    sizes = np.unique(np.geomspace(10, 10**7, 120).astype(np.int64))
    lines = []
    for log in (5, 10, 20):
        delta = math.exp(-log)
        for name, width in (("printed", printed.bernstein), ("corrected", bernstein)):
            broken = [bernoulli_shortfall(int(n), 0.5, float(width(n, 0.25, delta))) for n in sizes]
            ratio = np.maximum(np.array(broken) / delta, 1e-12)
            lines.append(Line(f"{name}, log(1/δ) = {log}", sizes.astype(float), ratio, name))
    return lines


def found(budget: Budget) -> list[Line]:
    """The conjecture: what the search found, and the counterexample's probability."""
    searches = searched(budget.restarts)
    n = np.array([one.n for one in searches], dtype=np.float64)
    sizes = np.arange(2, 61, dtype=np.float64)
    literal = [conjecture.counterexample(int(k), 1.0 - 0.01 / k).literal.value for k in sizes]
    fine = np.arange(1, 61, dtype=np.float64)
    return [
        Line("lowest P(S ≤ (n + 2)μ) found", n, np.array([s.lowest for s in searches]), "points"),
        Line("(1 - 1/(n + 2))ⁿ", fine, _each(conjecture.conjectured_floor, fine), "exact"),
        Line("1/4, the conjecture as stated", fine, np.full(len(fine), 0.25), "guide"),
        Line("P(S ≤ nμ), counterexamples", sizes, np.array(literal), "fails"),
    ]


def negative() -> list[Line]:
    """The probability that Gaussian batches are optimistic, by their mean."""
    sizes = np.unique(np.geomspace(1, 1000, 80).astype(np.int64))
    return [
        Line(
            f"mean {mean:g}",
            sizes.astype(float),
            np.array([optimism(GaussianLaw(mean), int(n)).value for n in sizes]),
            "exact",
        )
        for mean in (0.5, 0.1, 0.0, -0.1, -0.5, -1.0, -5.0)
    ]
