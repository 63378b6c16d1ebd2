"""How many decisions it takes to know the best arm, and what they cost.

``python -m benchmarks.best_arm`` prints the table of docs/may-i-stop-now.md. Each policy plays
until the bandit has a verdict at 90%, or until the limit. GK1 and GK2 are the instances of Garivier
and Kaufmann (2016); the others are conversions, many arms, and Gaussian arms without a declared
range. A run that is not sure at its limit counts with the limit.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import lowbid
from lowbid import Bandit, Policy

CONFIDENCE = 0.9
POLICIES: dict[str, Callable[[], Policy]] = {
    "TopTwo": lowbid.TopTwo,
    "uniform": lowbid.UniformPlay,
    "default": lowbid.BatchLikelihood,
}


class Instance(NamedTuple):
    """Arms by their means; Gaussian ones have a standard deviation of 1 and no declared range."""

    means: list[float]
    limit: int
    gaussian: bool = False


INSTANCES = {
    "GK1": Instance([0.5, 0.45, 0.43, 0.4], 100_000),
    "GK2": Instance([0.3, 0.21, 0.2, 0.19, 0.18], 100_000),
    "conv": Instance([0.026, 0.02, 0.02, 0.02], 400_000),
    "many": Instance([0.7, 0.6, *[0.5] * 6], 100_000),
    "Gauss": Instance([1.0, 0.8, 0.75, 0.5, 0.0], 100_000, gaussian=True),
}


class Run(NamedTuple):
    """How many decisions a run took, their regret, and whether the verdict was given and right."""

    decisions: int
    regret: float
    sure: bool
    right: bool


def run_of(instance: Instance, policy: Policy, seed: int) -> Run:
    """Play until the verdict."""
    rng = np.random.default_rng(seed)
    means = np.array(instance.means)
    declared = None if instance.gaussian else (0.0, 1.0)
    bandit = Bandit(
        len(means), policy, seed, reward_range=declared, confidence=CONFIDENCE, compiled="now"
    )
    draw = rng.standard_normal if instance.gaussian else rng.random
    decisions, best = 0, int(means.argmax())
    # The verdict is looked for when there are 1% more outcomes, so it is asked for as seldom.
    while decisions < instance.limit:
        many = min(max(decisions // 100, 1), instance.limit - decisions)
        for noise in draw(many).tolist():
            arm = bandit.select()
            mean = instance.means[arm]
            reward = mean + noise if instance.gaussian else float(noise < mean)
            bandit.update(arm, reward=reward)
        decisions += many
        if min(bandit.counts().values()) > 0 and is_settled(bandit):
            break
    counts = np.array(list(bandit.counts().values()))
    regret = float(counts @ (means.max() - means))
    sure = is_settled(bandit)
    right = sure and bandit.recommend().arm == best
    return Run(decisions, regret, sure, right)


def is_settled(bandit: Bandit) -> bool:
    """Whether a verdict is kept, without computing intervals."""
    return bandit._view(lambda core: core.verdicts.kept is not None)


def line(name: str, instance: Instance, runs: int, seed: int) -> str:
    """A row of the table."""
    cells = []
    for make in POLICIES.values():
        limited = instance._replace(limit=min(instance.limit, 100_000))
        used = limited if make is lowbid.BatchLikelihood else instance
        many = runs if make is not lowbid.BatchLikelihood else min(runs, 20)
        played = [run_of(used, make(), seed + i) for i in range(many)]
        decisions = np.array([each.decisions for each in played], float)
        wrong = sum(each.sure and not each.right for each in played)
        unsure = sum(not each.sure for each in played)
        error = decisions.std(ddof=1) / math.sqrt(many)
        regret = np.mean([each.regret for each in played])
        cells += [f"{decisions.mean():,.0f} ± {error:,.0f}", f"{regret:,.0f}", f"{unsure}/{wrong}"]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--only", nargs="*", choices=list(INSTANCES))
    asked = parser.parse_args()
    heads = [f"{name} | regret | unsure/wrong" for name in POLICIES]
    print(f"| instance | {' | '.join(heads)} |")
    print("|---" * (1 + 3 * len(POLICIES)) + "|")
    for name, instance in INSTANCES.items():
        if asked.only is None or name in asked.only:
            print(line(name, instance, asked.runs, asked.seed), flush=True)


if __name__ == "__main__":
    main()
