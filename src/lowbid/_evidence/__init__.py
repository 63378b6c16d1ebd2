"""Evidence that one mean is larger than another, valid however often anyone looks.

Everything here is about gains: larger is better. With a declared range they are scaled into [0, 1].
An arm's outcomes are summed up in one row, with the columns of `lowbid._evidence._sums`; two rows
of different outcomes are enough to compare two arms.

The logarithm of an e-value is its evidence. If the claim in question is false, evidence for it ever
reaches log(1/error) with at most that error, whatever rule chose the arms from the past.
"""

from lowbid._evidence._means import PARTS, evidence_above, evidence_below
from lowbid._evidence._pairs import (
    costs_of_pair,
    least_difference,
    pair_bound,
    pair_evidence,
)
from lowbid._evidence._sums import (
    ABOVE,
    BELOW,
    COLUMNS,
    COUNT,
    MEAN,
    SQUARES,
    SURPRISE,
    add_value,
    merged_sums,
    mirrored,
)

__all__ = [
    "ABOVE",
    "BELOW",
    "COLUMNS",
    "COUNT",
    "MEAN",
    "PARTS",
    "SQUARES",
    "SURPRISE",
    "add_value",
    "costs_of_pair",
    "evidence_above",
    "evidence_below",
    "least_difference",
    "merged_sums",
    "mirrored",
    "pair_bound",
    "pair_evidence",
]
