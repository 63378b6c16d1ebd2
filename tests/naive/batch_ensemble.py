"""Batch Ensemble from its definition: whole histories, lists of lists, no shortcuts."""

import math


def batch_estimate(batch, padding=2.0, warmup=0, baseline=0.0):
    if len(batch) < warmup:
        return -math.inf
    if not batch:
        return baseline
    return sum(x - baseline for x in batch) / (len(batch) + padding) + baseline


def dealt(losses, batches):
    """Algorithm 1's split: loss n goes to batch n mod l."""
    return [losses[first::batches] for first in range(batches)]


def indices(batches_of_arms, **rule):
    """The lowest estimate of every arm; an arm with the lowest index is played."""
    return [min(batch_estimate(b, **rule) for b in batches) for batches in batches_of_arms]


def bids(batches_of_arms, **rule):
    """The distributed view: per batch, its favourite arm and that arm's estimate."""
    found = []
    for number in range(len(batches_of_arms[0])):
        estimates = [batch_estimate(batches[number], **rule) for batches in batches_of_arms]
        lowest = min(estimates)
        found.append((estimates.index(lowest), lowest))
    return found


class Appending:
    """EnsembleAdaptiveEfficient: new batches start empty, and the smallest batch is fed first."""

    def __init__(self, n_arms):
        self.arms = [[[]] for _ in range(n_arms)]

    def grow_to(self, batches):
        for arm in self.arms:
            arm.extend([] for _ in range(batches - len(arm)))

    def feed(self, arm, loss):
        sizes = [len(batch) for batch in self.arms[arm]]
        self.arms[arm][sizes.index(min(sizes))].append(loss)
