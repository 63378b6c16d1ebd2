"""MARS by definition: every subset is a list of losses, filled coin by coin."""

import math

from lowbid._random import bits, coin


class NaiveArm:
    """One arm. It draws from the same stream as the policy: M words for every 64 losses."""

    def __init__(self, subsets: int) -> None:
        self.members = [[] for _ in range(subsets)]
        self.losses = []
        self.index = -math.inf

    def update(self, loss: float, stream) -> None:
        n = len(self.losses)
        if n % 64 == 0:
            self.words = [int(bits(stream)) for _ in self.members]
        for member, word in zip(self.members, self.words, strict=True):
            if (word >> (n % 64)) & 1:
                member.append(loss)
        self.losses.append(loss)
        self.index = self.new_index(stream)

    def new_index(self, stream) -> float:
        n, delta = len(self.losses), 1 / len(self.members)
        if n < math.log2(1 / delta):
            below_all = coin(stream, 2.0**n * delta) == 0.0
            return -math.inf if below_all else min(self.losses)
        means = [sum(member) / len(member) for member in self.members if member]
        return min(means) if means else -math.inf
