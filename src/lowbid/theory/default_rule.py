"""What is proved about the default policy, checked: its lemmas, and how its regret grows.

The statements and their proofs are on the page "What is proved about the default".
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from lowbid.environments import (
    Arms,
    Bernoulli,
    Deterministic,
    ExponentialByMean,
    Gaussian,
    Mixed,
    Pareto,
    Uniform,
)
from lowbid.policies import BatchLikelihood
from lowbid.policies.batch_likelihood import depth, growth_steps, skewness
from lowbid.simulation import simulate
from lowbid.theory.checks import Budget, Check, Finding

POWER = 1.1
# The better arm is unlucky twice in a quarter of the runs; then all losses of each arm are alike.
UNLUCKY = Mixed([Bernoulli([0.5]), Deterministic([0.6])])
KINDS: dict[str, Arms] = {
    "Bernoulli": Bernoulli([0.4, 0.5]),
    "Gaussian": Gaussian([0.0, 1.0]),
    "uniform": Uniform(low=[0.0, 0.4], high=[0.9, 0.6]),
    "exponential": ExponentialByMean([1.0, 1.5]),
    "Pareto": Pareto(mean=[1.0, 1.5], shape=3.0),
}


def forced_plays(step: float, exploration: float = BatchLikelihood.exploration) -> float:
    """f(t): how many plays an arm is forced to have when the leader has t.

    >>> [math.ceil(forced_plays(step)) for step in (1e3, 1e5, 1e6)]
    [2, 3, 4]
    """
    return exploration * math.log(step) ** POWER if step > 1.0 else 0.0


def longest(budget: Budget) -> int:
    """The longest horizon of a check: two arms take little time per step."""
    return max(1000 * budget.horizon, 10**6)


def lemma1(budget: Budget) -> Finding:
    """Forced exploration: at least f(t / 2K) plays, whatever the losses."""
    least = math.inf
    settings = [UNLUCKY, Deterministic([0.4, 0.5, 0.9]), *KINDS.values()]
    for arms in settings:
        for horizon in (1000, 30_000, longest(budget) // 10):
            pulls = simulate(BatchLikelihood(), arms, horizon, 8, 0, progress=False).pulls
            least = min(least, pulls.min() / forced_plays(horizon / (2 * arms.n_arms)))
    where = f"{len(settings)} settings up to {longest(budget) // 10:,} steps: at least {least:.2f} "
    return Finding("Lemma 1, forced exploration", least >= 1.0, "simulated", where + "of f(t/2K)")


def lemma2(budget: Budget) -> Finding:
    """Its cost: no more than f(t) + 1 plays where the evidence is infinite."""
    horizon = longest(budget)
    pulls = simulate(BatchLikelihood(), Deterministic([0.4, 0.5]), horizon, 2, 0, progress=False)
    plays = int(pulls.pulls[0, :, 1].max())
    good = plays <= max(forced_plays(horizon) + 1, 2)
    where = f"constant losses, {horizon:,} steps: {plays} plays, f = {forced_plays(horizon):.1f}"
    return Finding("Lemma 2, its cost", good, "simulated", where)


def unlucky(budget: Budget) -> Finding:
    """The first two losses of the better arm are 1: given up without forced exploration."""
    runs = max(400, budget.runs)
    ends = []
    for exploration in (1e-9, BatchLikelihood.exploration):
        policy = BatchLikelihood(exploration=exploration)
        ends.append(simulate(policy, UNLUCKY, 100_000, runs, 0, progress=False).pulls[0, :, 0])
    given_up, most = float((ends[0] == 2).mean()), int(ends[1].min())
    good = abs(given_up - 0.25) < 4.0 * math.sqrt(0.25 * 0.75 / runs) and most > 2
    where = (
        f"losses of 1 with probability 1/2 against 0.6: without it {given_up:.1%} of {runs} runs "
        f"never play the better arm again, 25% expected; with it {most} plays or more"
    )
    return Finding("The unlucky arm", good, "simulated", where)


def lemma3(budget: Budget) -> Finding:
    """The clip: few losses are clipped, each by no more than its distance from the first."""
    worst = 0.0
    policy, stream = BatchLikelihood(), np.ones(1, np.uint64)
    for seed in range(20 * budget.restarts):
        losses = np.random.default_rng(seed).standard_cauchy(500)
        parameters, state = policy.start(1, None, 500)
        sums = [0.0]
        for step, loss in enumerate(losses, start=1):
            policy.kernels.update(parameters, state, 0, loss, step, stream)
            sums.append(float(state.race.sums[0]))
        kept = np.diff(sums)
        true = (losses - losses[0]) / abs(losses[1] - losses[0])
        change = np.abs(true - kept)
        number = int((change > 1e-9 * (1.0 + np.abs(true))).sum())
        worst = max(worst, number / (1.0 + math.log2(np.abs(true).max())))
        worst = max(worst, float((change / np.maximum(np.abs(true), 1.0)).max()))
    where = f"{20 * budget.restarts} runs of 500 Cauchy losses: at most {worst:.2f} of the bounds"
    return Finding("Lemma 3, clip", worst <= 1.0, "simulated", where)


def lemma4(budget: Budget) -> Finding:
    """The skewness is at most the range seen, and the depth that and a standard deviation."""
    worst = 0.0
    policy, stream = BatchLikelihood(), np.ones(1, np.uint64)
    for seed in range(budget.restarts):
        random = np.random.default_rng(seed)
        parameters, state = policy.start(2, None, 2000)
        for step in range(1, 400):
            arm = policy.kernels.select(parameters, state, step, stream)
            loss = float(random.pareto(2.5) * random.choice([-1.0, 1.0]) + 0.1 * arm)
            policy.kernels.update(parameters, state, arm, loss, step, stream)
            worst = max(worst, _beyond(parameters, state)) if step > 10 else worst
    where = f"{budget.restarts} runs of 400 heavy-tailed losses: at most {worst:.3f} of the bound"
    return Finding("Lemma 4, depth", worst <= 1.0 + 1e-9, "simulated", where)


def _beyond(parameters, state) -> float:  # type: ignore[no-untyped-def]
    """The largest share of its bound that the skewness or the depth of an arm reaches."""
    race, deviations = state.race, state.deviations
    means = race.sums / race.counts
    reach = float(state.yardstick[5] - state.yardstick[3])
    found = [0.0]
    for arm in range(2):
        n, gap = race.counts[arm], max(means[arm] - means.min(), 0.0)
        pooled = deviations.squares[arm] + parameters.pooling * state.pool[0]
        if pooled > 0.0:
            weight = parameters.null_weight
            v = (pooled + weight * n * gap**2) / (n - 1.0 + parameters.pooling + weight)
            size = n / min(n, state.batches.in_use[0])
            found.append(abs(skewness(parameters, state, arm)) / reach)
            found.append(depth(parameters, state, arm, gap) / (reach + math.sqrt(v * size)))
    return float(max(found))


def lemma5(budget: Budget) -> Finding:
    """Dealing: half of the batches are large, or the arm had most of its losses long ago."""
    counts, exceptions = 0, 0
    for seed in range(8 * budget.restarts):
        random = np.random.default_rng(seed)
        steps = np.unique(np.exp(np.sort(random.uniform(0.0, 40.0, 4000))).astype(np.int64))
        grows = growth_steps(2, int(steps[-1]))
        sizes = np.zeros(len(grows), int)
        history: list[tuple[int, int]] = []
        for n, step in enumerate(steps):
            in_use = int(np.searchsorted(grows, step, side="right"))
            if n >= 8 * in_use:
                small = (8 * in_use * sizes[:in_use] < n).sum()
                early = [before for before in history if before[1] < in_use / 2]
                counts += 1
                exceptions += int(small > in_use / 2 and not (early and early[-1][0] >= 0.75 * n))
            history.append((n, in_use))
            sizes[int(np.argmin(sizes[:in_use]))] += 1
    where = f"{counts:,} plays at random times up to e^40: {exceptions} exceptions"
    return Finding("Lemma 5, dealing", exceptions == 0, "simulated", where)


def lemma6(budget: Budget) -> Finding:
    """Lemmas 6 and 7: the evidence is at least what one stake gives."""
    random, least = np.random.default_rng(0), math.inf
    for _ in range(1000 * budget.restarts):
        batches, deep, bottom, high = 32, *random.uniform(0.0, 3.0, 2), random.uniform(0.0, 99.0)
        y = random.uniform(-deep, high, batches)
        y[: batches // 2] = high + random.exponential(1.0, batches // 2)
        stake = 0.5 / (deep + bottom)
        wealth = np.log1p(stake * y).sum() + math.log1p(-stake * bottom)
        half = batches / 2.0
        floor = half * math.log1p(high * stake) - (half + 1.0) * math.log(2.0)
        least = min(least, wealth - floor)
        y = random.normal(0.5, 1.0, batches)
        stake = 0.5 / max(bottom, np.abs(y).max())
        wealth = np.log1p(stake * y).sum() + math.log1p(-stake * bottom)
        floor = stake * (y.sum() - 0.5 * np.abs(y).sum()) - math.log(2.0)
        least = min(least, wealth - floor)
    where = (
        f"{1000 * budget.restarts:,} random batches each: above the bound by {least:.3f} or more"
    )
    return Finding("Lemmas 6 and 7, evidence", bool(least >= 0.0), "simulated", where)


def growth(budget: Budget) -> Finding:
    """Regret over (log T)^1.1 settles down, for losses of many kinds."""
    decades = [10**i for i in range(4, round(math.log10(longest(budget))) + 1)]
    told, largest = [], 0.0
    for kind, arms in KINDS.items():
        result = simulate(
            BatchLikelihood(), arms, decades[-1], 16, 0, checkpoints=decades, progress=False
        )
        regret = result.regret[0].mean(axis=0)
        at = [list(result.checkpoints).index(step) for step in decades]
        shares = regret[at] / np.log(decades) ** POWER
        largest = max(largest, shares[-1] / shares[-2])
        told.append(f"{kind} {', '.join(f'{share:.2f}' for share in shares)}")
    where = f"16 runs, T = 10^4 to 10^{len(decades) + 3}, regret / (ln T)^1.1: {'; '.join(told)}"
    return Finding("Theorems A and B, growth", largest < 1.5, "simulated", where)


CHECKS: list[Check] = [lemma1, lemma2, lemma3, lemma4, lemma5, lemma6, unlucky, growth]


def run_default_checks(budget: Budget | None = None) -> Iterator[Finding]:
    """Check what is proved about the default policy, and yield the findings one by one."""
    for check in CHECKS:
        yield check(budget or Budget())._replace(whose="further")
