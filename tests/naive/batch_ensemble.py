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


def dealt_and_forgotten(losses, steps, batches, window, now):
    """The same split, of losses that came at the given steps.

    The k-th part of a window is over after k * (window // l) steps; then batch k - 1 mod l is
    emptied.
    """
    part = window // batches
    kept = [[] for _ in range(batches)]
    for n, (loss, step) in enumerate(zip(losses, steps, strict=True)):
        batch = n % batches
        emptied = [k * part for k in range(1, now) if (k - 1) % batches == batch]
        if not any(step <= end < now for end in emptied):
            kept[batch].append(loss)
    return kept


def indices(batches_of_arms, quantile=None, **rule):
    """The lowest estimate of every arm, or a quantile of its estimates."""
    ordered = [sorted(batch_estimate(b, **rule) for b in batches) for batches in batches_of_arms]
    rank = 1 if quantile is None else math.ceil(quantile * len(ordered[0]) - 1e-9)
    return [min(x) if min(x) == -math.inf else x[rank - 1] for x in ordered]


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
