"""Every lemma, theorem and claim of the paper, checked: what holds, what fails, and where."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from lowbid import schedules
from lowbid.environments import Arms, Bernoulli, Gaussian, ScaledBernoulli
from lowbid.errors import LossesWarning
from lowbid.policies import KLUCB, UCB1, UCBV, BatchEnsemble, BetaThompson, Policy
from lowbid.simulation import Result, simulate
from lowbid.theory import conjecture, lower, printed, textbook, theorem1, theorem2
from lowbid.theory._tails import binomial_cdf
from lowbid.theory.concentration import (
    bernoulli_shortfall,
    bernstein,
    index_falls_below,
    index_width,
)
from lowbid.theory.laws import ExponentialLaw, FiniteLaw, GaussianLaw, law_of
from lowbid.theory.optimism import GARNETT, bernoulli_floor, lemma2_floor, optimism

DELTA = 0.05
EASY = Bernoulli([0.1, 0.9])
TEST1 = Bernoulli([0.001, 0.15, 0.2, 0.25, 0.3])


class Budget(NamedTuple):
    """How much to compute in each check.

    Attributes
    ----------
    largest : int
        The largest batch size; every size up to it is checked exactly.
    horizon : int
        The number of steps of a simulated run.
    runs : int
        The number of simulated runs.
    restarts : int
        The number of restarts of the search for counterexamples, for each n.
    """

    largest: int = 3000
    horizon: int = 10_000
    runs: int = 1000
    restarts: int = 8


QUICK = Budget(largest=50, horizon=1000, runs=50, restarts=1)


class Finding(NamedTuple):
    """The result of checking one statement.

    Attributes
    ----------
    claim : str
        The statement.
    holds : bool
        Whether it holds.
    how : str
        "exact", "simulated", "search" or "algebra".
    where : str
        The range in which it was found to hold, or where it fails, with numbers.
    whose : str
        "paper" for a statement of the paper, "corrected" for one that replaces it, "further" for
        one that is not in the paper.
    """

    claim: str
    holds: bool
    how: str
    where: str
    whose: str = "paper"

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}  {self.claim}: {self.where} ({self.how})"


Check = Callable[[Budget], Finding]
CHECKS: list[Check] = []


def _check(whose: str) -> Callable[[Check], Check]:
    def added(function: Check) -> Check:
        @functools.wraps(function)
        def check(budget: Budget) -> Finding:
            return function(budget)._replace(whose=whose)

        CHECKS.append(check)
        return check

    return added


def run_checks(budget: Budget | None = None) -> Iterator[Finding]:
    """Check every statement, and yield the findings one by one.

    Examples
    --------
    >>> first = next(run_checks(QUICK))
    >>> first.holds
    False
    """
    for check in CHECKS:
        yield check(budget or Budget())


def tally(findings: Iterable[Finding]) -> str:
    """How many statements hold: those of the paper, the corrected ones, and further ones."""
    kept = list(findings)

    def count(whose: str) -> str:
        these = [finding.holds for finding in kept if finding.whose == whose]
        return f"{sum(these)} of {len(these)}"

    return (
        f"Of the paper's statements {count('paper')} hold as printed, of the corrected ones "
        f"{count('corrected')}, and of those that are not in the paper {count('further')}."
    )


@functools.lru_cache(maxsize=16)
def measured(policy: Policy, arms: Arms, horizon: int, runs: int) -> Result:
    """Simulated runs shared by several checks and pictures."""
    return simulate(policy, arms, horizon, runs, seed=0, progress=False)


def high_probability() -> Policy:
    """The policy that Theorem 1 is about."""
    return BatchEnsemble(batches=schedules.HighProbability(DELTA))


def anytime() -> Policy:
    """The policy that Theorem 2 is about."""
    return BatchEnsemble(batches=schedules.Anytime(), growth="redistribute")


@_check("paper")
def lemma1_printed(budget: Budget) -> Finding:
    """Bernstein's inequality without the factor 2 under the root."""
    n, delta = 10**6, math.exp(-10.0)
    tail = bernoulli_shortfall(n, 0.5, float(printed.bernstein(n, 0.25, delta)))
    where = (
        f"Bernoulli(1/2), n = 10^6, log(1/delta) = 10: broken with probability {tail:.2g}, "
        f"{tail / delta:.0f} times delta; a factor 2 is missing under the root"
    )
    return Finding("Lemma 1 as printed", tail <= delta, "exact", where)


@_check("corrected")
def lemma1_corrected(budget: Budget) -> Finding:
    """Bernstein's inequality, corrected."""
    sizes = np.unique(np.geomspace(1, 10**6, 25).astype(int))
    means = (1e-4, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999)
    deltas = [10.0**-k for k in range(1, 11)]
    worst = max(
        bernoulli_shortfall(int(n), mean, float(bernstein(n, mean * (1 - mean), delta))) / delta
        for n in sizes
        for mean in means
        for delta in deltas
    )
    where = f"{len(sizes)} n up to 10^6, 10 means, delta from 0.1 to 1e-10: tail / delta at most "
    return Finding("Lemma 1 corrected", worst <= 1.0, "exact", where + f"{worst:.2f}")


@_check("paper")
def lemma2(budget: Budget) -> Finding:
    """Anti-concentration of binomials."""
    floors = [lemma2_floor(n) for n in range(2, budget.largest + 1)]
    least = int(np.argmin(floors)) + 2
    where = (
        f"every n up to {budget.largest} and every mean up to 1 - 1/n: at least "
        f"{min(floors):.4f}, at n = {least}; {floors[-1]:.4f} at the last n"
    )
    return Finding("Lemma 2", min(floors) >= 0.25 - 1e-12, "exact", where)


@_check("paper")
def lemma3(budget: Budget) -> Finding:
    """Optimism of a batch of Bernoulli losses."""
    sizes = range(1, budget.largest + 1)
    floors = np.array([bernoulli_floor(n) for n in sizes])
    closed = np.array([conjecture.conjectured_floor(n) for n in sizes])
    where = (
        f"every batch of up to {budget.largest} (scaled) Bernoulli losses and every mean: at "
        f"least {floors.min():.4f} > 1/e, where the paper proves 1/4; the worst mean is just below "
        "1/(n + 2), with (1 - 1/(n + 2))^n"
    )
    good = bool((floors > math.exp(-1.0)).all() and np.allclose(floors, closed, rtol=1e-11))
    return Finding("Lemma 3", good, "exact", where)


@_check("paper")
def lemma4_printed(budget: Budget) -> Finding:
    """Concentration of the index, with the factor 2 missing."""
    n, delta = 10**6, 1e-10
    width = float(printed.index_width(n, 1, 0.25, n, delta))
    tail = binomial_cdf(math.ceil((n + 2) * (0.5 - width)) - 1, n, 0.5)
    where = (
        f"Bernoulli(1/2), one batch, n = T = 10^6, delta = 1e-10: broken with probability "
        f"{tail:.2g}; at usual values of delta the union bound over T hides it"
    )
    return Finding("Lemma 4 as printed", tail <= delta, "exact", where)


@_check("corrected")
def lemma4_corrected(budget: Budget) -> Finding:
    """Concentration of the index."""
    horizon, runs = min(budget.horizon, 2000), budget.runs
    batches = int(theorem1.batches(horizon, DELTA))
    n = np.arange(1, horizon + 1)
    lowest = highest = 0.0
    for mean in (0.1, 0.5, 0.9):
        widths = index_width(n, batches, mean * (1 - mean), horizon, DELTA)
        found = index_falls_below(Bernoulli([mean]), batches, widths, runs)
        lowest, highest = max(lowest, found.low), max(highest, found.high)
    where = (
        f"means 0.1, 0.5, 0.9, {batches} batches, all n up to {horizon}, {runs} runs each: broken "
        f"with probability at most {highest:.2g} (95% limit), delta is {DELTA:g}"
    )
    return Finding("Lemma 4 corrected", lowest <= DELTA, "simulated", where)


@_check("paper")
def theorem1_quadratic(budget: Budget) -> Finding:
    """The step "solving this quadratic inequality" in the proof of Theorem 1."""
    gap, variance, horizon, n_arms = 0.1, 0.25, 10_000, 2
    log = math.log(2 * horizon * n_arms / DELTA)
    larger = math.log(6 * horizon * n_arms / DELTA)
    root, linear = math.sqrt(variance * log), 2.0 * larger
    size = ((root + math.sqrt(root**2 + 4.0 * linear * gap)) / (2.0 * gap)) ** 2
    claimed = (variance / gap**2 + 2.0 / gap) * larger
    where = (
        f"gap 0.1, variance 1/4, T = 10^4, K = 2: the root is {size:.0f}, claimed at most "
        f"{claimed:.0f}; with the right Lemma 1 only the variance's constant changes, from 1 to 2"
    )
    return Finding("Theorem 1, its quadratic as printed", size <= claimed, "algebra", where)


@_check("paper")
def theorem1_scaled_mean(budget: Budget) -> Finding:
    """The form with means for scaled Bernoulli arms."""
    arms = ScaledBernoulli(mean=[1.0, 2.0], scale=100.0)
    by_mean = float(printed.theorem1_mean_form(arms, 10_000))
    by_variance = float(printed.theorem1_variance_form(arms, 10_000))
    where = (
        f"means 1 and 2, scale 100, T = 10^4: {by_mean:.3g} is below the variance form, "
        f"{by_variance:.3g}, that it is said to bound; mean / gap should be b mean / gap"
    )
    claim = "Theorem 1 for scaled arms, form with means as printed"
    return Finding(claim, by_mean >= by_variance, "algebra", where)


@_check("corrected")
def theorem1_regret(budget: Budget) -> Finding:
    """The measured regret against Theorem 1."""
    result = measured(high_probability(), EASY, budget.horizon, budget.runs)
    regret = result.regret[0, :, -1]
    sharp = float(theorem1.sharp_form(EASY, budget.horizon, DELTA))
    under = float((regret <= sharp).mean())
    where = (
        f"Bernoulli(0.1, 0.9), T = {budget.horizon}: {under:.1%} of {budget.runs} runs under "
        f"{sharp:.0f} (nothing rounded; {float(theorem1.variance_form(EASY, budget.horizon)):.0f} "
        f"corrected, {float(printed.theorem1_variance_form(EASY, budget.horizon)):.0f} printed); "
        f"mean {regret.mean():.0f}, worst {regret.max():.0f}"
    )
    return Finding("Theorem 1 corrected", under >= 1.0 - DELTA, "simulated", where)


@_check("corrected")
def theorem1_scaled(budget: Budget) -> Finding:
    """The measured regret on scaled Bernoulli arms."""
    arms = ScaledBernoulli(mean=[1.0, 9.0], scale=[50.0, 10.0])
    result = measured(high_probability(), arms, budget.horizon, budget.runs)
    regret = result.regret[0, :, -1]
    bound = float(theorem1.sharp_form(arms, budget.horizon, DELTA))
    where = (
        f"means 1 and 9, scales 50 and 10, T = {budget.horizon}: mean regret {regret.mean():.0f}, "
        f"worst of {budget.runs} runs {regret.max():.0f}, bound {bound:.0f}"
    )
    good = (regret <= bound).mean() >= 1.0 - DELTA
    return Finding("Theorem 1 corrected, scaled arms", bool(good), "simulated", where)


@_check("paper")
def lemma_nta(budget: Budget) -> Finding:
    """The expected number of plays behind Theorem 2."""
    runs = max(50, budget.runs // 5)
    plays = measured(anytime(), EASY, budget.horizon, runs).pulls[0, :, 1]
    bound = float(theorem2.pulls(EASY, budget.horizon)[1])
    where = (
        f"Bernoulli(0.1, 0.9), t = {budget.horizon}, {runs} runs: the worse arm is played "
        f"{plays.mean():.0f} times on average, bound {bound:.0f}"
    )
    return Finding("Lemma on plays (n_ta)", bool(plays.mean() <= bound), "simulated", where)


@_check("paper")
def theorem2_regret(budget: Budget) -> Finding:
    """The measured regret against Theorem 2."""
    runs = max(50, budget.runs // 5)
    result = measured(anytime(), EASY, budget.horizon, runs)
    means = result.regret[0].mean(axis=0)
    bounds = theorem2.variance_form(EASY, result.checkpoints)
    where = (
        f"Bernoulli(0.1, 0.9), every checkpoint up to t = {budget.horizon}, {runs} runs: mean "
        f"{means[-1]:.0f} at the end, bound {bounds[-1]:.0f}"
    )
    return Finding("Theorem 2", bool((means <= bounds).all()), "simulated", where)


@_check("paper")
def symmetric(budget: Budget) -> Finding:
    """The paragraph on symmetric distributions."""
    low = [optimism(GaussianLaw(mean), n) for mean, n in ((-0.1, 1), (-1.0, 1), (-5.0, 10))]
    where = (
        f"negative means, which it overlooks: Gaussian, sd 1: {low[0].value:.2f} at mean -0.1, "
        f"n = 1; {low[1].value:.3f} at -1, n = 1; {low[2].value:.1g} at -5, n = 10. For means of "
        "0 or more a batch is optimistic with probability 1/2 or more"
    )
    holds = all(chance.value >= 0.25 for chance in low)
    return Finding("Symmetric distributions work unchanged", holds, "exact", where)


@_check("paper")
def symmetric_regret(budget: Budget) -> Finding:
    """The regret that negative means cost with symmetric distributions."""
    runs = max(50, budget.runs // 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossesWarning)  # that is what is measured here
        above, below = (
            measured(BatchEnsemble(batches=4), arms, budget.horizon, runs).regret[0, :, -1].mean()
            for arms in (Gaussian([0.0, 1.0]), Gaussian([-5.0, -4.0]))
        )
    where = (
        f"sd 1, gap 1, 4 batches, T = {budget.horizon}, {runs} runs: mean regret {above:.0f} with "
        f"means 0 and 1, but {below:.0f} with means -5 and -4"
    )
    claim = "Gaussian arms work unchanged, whatever their means"
    return Finding(claim, bool(below <= 2.0 * above), "simulated", where)


@_check("further")
def left_skew(budget: Budget) -> Finding:
    """Losses that are unbounded below."""
    law = FiniteLaw((-100.0, 1.0), (0.005, 0.995))
    chance = optimism(law, 10)
    where = (
        f"losses of 1, and -100 in one of 200 (mean {law.mean:.3f}), n = 10: optimistic with "
        f"probability {chance.value:.3f}; rarer and lower losses make it arbitrarily small"
    )
    return Finding("Optimism from a mean of 0 or more alone", chance.value >= 0.25, "exact", where)


@_check("paper")
def warmup(budget: Budget) -> Finding:
    """The warm-up of 4 C^2 losses, C the third absolute moment over sd^3."""
    least, tried = 1.0, 0
    for mean in (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99):
        moment = (mean**2 + (1 - mean) ** 2) / math.sqrt(mean * (1 - mean))
        start = math.ceil(4.0 * moment**2)
        for n in range(start, start + 200):
            least = min(least, law_of(Bernoulli([mean]), 0).sum_below(n, n).value)
            tried += 1
    start = math.ceil(4.0 * (12.0 / math.e - 2.0) ** 2)  # exponential losses
    for n in range(start, start + 200):
        least = min(least, ExponentialLaw(1.0).sum_below(n, n).value)
        tried += 1
    where = (
        f"Bernoulli with 7 means and exponential, {tried} batch sizes from 4 C^2 on: "
        f"P(S <= n mu) at least {least:.3f}"
    )
    return Finding("Warm-up of 4 C^2 losses (Berry-Esseen)", least >= 0.25, "exact", where)


@_check("paper")
def conjecture_literal(budget: Budget) -> Finding:
    """The conjecture as stated."""
    first, third = conjecture.counterexample(), conjecture.three_point_counterexample()
    where = (
        f"n = 10, losses 0.9 Ber(0.999): mean {first.mean:.4f} <= 0.9, but P(S <= n mu) = "
        f"{first.literal.value:.5f}; losses 0, 1/2, 1 with probabilities 0.01, 0.9899, 0.0001: "
        f"{third.literal.value:.4f}. P(S <= (n + 2) mu) is {first.optimism.value:.4f} and "
        f"{third.optimism.value:.4f}"
    )
    return Finding("Conjecture as stated", first.literal.value >= 0.25, "exact", where)


@functools.lru_cache(maxsize=4)
def searched(restarts: int) -> tuple[conjecture.Found, ...]:
    """The results of searches, shared by the check and the picture."""
    sizes = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60)
    return tuple(conjecture.search(n, restarts) for n in sizes)


@_check("corrected")
def conjecture_corrected(budget: Budget) -> Finding:
    """What survives of the conjecture."""
    found = searched(budget.restarts)
    total = sum(one.evaluations for one in found)
    gap = max(abs(one.lowest - one.floor) for one in found)
    where = (
        f"{total} laws on two and three points, {len(found)} n from 1 to 60: the lowest is "
        f"(1 - 1/(n + 2))^n up to {gap:.0e}; not proved"
    )
    claim = "Conjecture corrected: P(S <= (n + 2) mu) >= (1 - 1/(n + 2))^n for losses >= 0"
    return Finding(claim, all(one.holds for one in found), "search", where)


@_check("further")
def feige(budget: Budget) -> Finding:
    """What is proved for all non-negative losses."""
    lowest = min(one.lowest for one in searched(budget.restarts))
    where = (
        f"proved by Garnett (2018) for every n; the lowest found is {lowest:.4f}. Hence "
        f"{GARNETT.batches_per_log:.2f} log(1/delta) batches suffice for all of them"
    )
    return Finding("Optimism >= 0.14 for all losses >= 0", lowest >= 0.14, "search", where)


@_check("further")
def textbook_bounds(budget: Budget) -> Finding:
    """UCB1, UCB-V and KL-UCB against their bounds."""
    runs = max(50, budget.runs // 5)
    # log t + 2 log log t is nearly the exploration log(1 + t log^2 t) of the theorem.
    pairs: list[tuple[Policy, textbook.Bound]] = [
        (UCB1(), textbook.ucb1),
        (UCBV(zeta=1.2), textbook.ucb_v),
        (KLUCB.bernoulli(c=2.0), textbook.kl_ucb),
    ]
    said, good = [], True
    for policy, bound in pairs:
        mean = float(measured(policy, EASY, budget.horizon, runs).regret[0, :, -1].mean())
        limit = float(bound(EASY, budget.horizon))
        good = good and mean <= limit
        said.append(f"{type(policy).__name__} {mean:.0f}, bound {limit:.0f}")
    where = f"Bernoulli(0.1, 0.9), t = {budget.horizon}, {runs} runs: {'; '.join(said)}"
    return Finding("Upper bounds of UCB1, UCB-V and KL-UCB", good, "simulated", where)


@_check("further")
def lower_bound(budget: Budget) -> Finding:
    """The lower bound against the measured regret of policies."""
    runs = max(50, budget.runs // 5)
    leading = float(lower.lower_bound(EASY, budget.horizon))
    means = {
        name: float(measured(policy, EASY, budget.horizon, runs).regret[0, :, -1].mean())
        for name, policy in (
            ("Batch Ensemble", anytime()),
            ("UCB1", UCB1()),
            ("Thompson sampling", BetaThompson()),
        )
    }
    said = ", ".join(f"{name} {mean:.2f}" for name, mean in means.items())
    where = (
        f"Bernoulli(0.1, 0.9), t = {budget.horizon}, {runs} runs: {said} against {leading:.2f}; "
        "it is about the limit, and good policies may be below it here, so two are judged"
    )
    good = min(means["Batch Ensemble"], means["UCB1"]) >= leading
    return Finding(
        "Lower bound of Lai and Robbins, under Batch Ensemble and UCB1", good, "simulated", where
    )
