"""Quantile of Means from its definition: all estimates of an arm, sorted."""

import math

from naive.batch_ensemble import batch_estimate


def indices(batches_of_arms, quantile, **rule):
    ordered = [sorted(batch_estimate(b, **rule) for b in batches) for batches in batches_of_arms]
    rank = math.ceil(quantile * len(ordered[0]) - 1e-9)
    return [x[0] if x[0] == -math.inf else x[rank - 1] for x in ordered]
