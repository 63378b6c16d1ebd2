"""Indices worked out from all losses of an arm, by the book."""

import math


def ucb1(losses: list[list[float]], step: int, scale: float = 1.0) -> list[float]:
    return [
        sum(x) / len(x) - scale * math.sqrt(2 * math.log(step) / len(x)) if x else -math.inf
        for x in losses
    ]
