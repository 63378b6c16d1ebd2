"""Whole rules, drawing the same random numbers in the same order as the policies."""

import math
from collections.abc import Callable

import numpy as np

from lowbid import Environment, Policy
from lowbid._random import Stream, gamma, integer, key, normal, stream_of_run, uniform
from naive import families
from naive.index import mean
from replay import replay

Rule = Callable[[list[list[float]], int, Stream], int]


def makes_the_same_choices(policy: Policy, arms: Environment, rule: Rule, horizon=300, seed=2):
    stream = stream_of_run(key(seed, policy.stream_name), 0)
    for moment in replay(policy, arms, horizon, seed):
        assert moment.arm == rule(moment.losses, moment.step, stream), moment.step


def lowest(indices: list[float], stream: Stream) -> int:
    """The arm of lowest index; one of several at random."""
    tied = [arm for arm, index in enumerate(indices) if index == min(indices)]
    return tied[integer(stream, len(tied))] if len(tied) > 1 else tied[0]


def means(losses: list[list[float]]) -> list[float]:
    return [mean(x) if x else -math.inf for x in losses]


def greedy(losses, step, stream):
    return lowest(means(losses), stream)


def epsilon_greedy(epsilon: Callable[[int], float]) -> Rule:
    def rule(losses, step, stream):
        if uniform(stream) < epsilon(step):
            return integer(stream, len(losses))
        return lowest(means(losses), stream)

    return rule


def explore_then_commit(plays: int) -> Rule:
    committed: list[int] = []

    def rule(losses, step, stream):
        if committed:
            return committed[0]
        arm = lowest([len(x) for x in losses], stream)
        if len(losses[arm]) < plays:
            return arm
        committed.append(lowest(means(losses), stream))
        return committed[0]

    return rule


def successive_elimination(delta: float, scale: float) -> Rule:
    out: set[int] = set()

    def rule(losses, step, stream):
        inside = [arm for arm in range(len(losses)) if arm not in out]
        sizes = {len(losses[arm]) for arm in inside}
        if len(sizes) == 1 and sizes != {0}:  # a round is over
            (n,) = sizes
            r = scale * math.sqrt(math.log(4 * len(losses) * n**2 / delta) / (2 * n))
            best = min(mean(losses[arm]) for arm in inside)
            out.update(arm for arm in inside if mean(losses[arm]) - r > best + r)
        return lowest(
            [math.inf if a in out else len(losses[a]) for a in range(len(losses))], stream
        )

    return rule


def gaussian_thompson(sd: float) -> Rule:
    def rule(losses, step, stream):
        draws = [
            mean(x) + sd / math.sqrt(len(x)) * normal(stream) if x else -math.inf for x in losses
        ]
        return lowest(draws, stream)

    return rule


def exponential_thompson(losses, step, stream):
    return lowest(
        [math.fsum(x) / gamma(stream, float(len(x))) if x else -math.inf for x in losses], stream
    )


def kl_maillard(divergence) -> Rule:
    def rule(losses, step, stream):
        counts = [len(x) for x in losses]
        unplayed = lowest(counts, stream)
        if not losses[unplayed]:
            return unplayed
        best = min(means(losses))
        weights = [math.exp(-len(x) * divergence(mean(x), best)) for x in losses]
        bounds = np.cumsum(weights)
        return int(np.searchsorted(bounds, uniform(stream) * bounds[-1], side="right"))

    return rule


KL_MAILLARD = {
    "bernoulli": kl_maillard(families.bernoulli),
    "exponential": kl_maillard(families.exponential),
    "gaussian": kl_maillard(families.gaussian(1.0)),
    "poisson": kl_maillard(families.poisson),
}
