"""Rounds of duels by the book: lists of losses, and means worked out anew each time."""

import math

from lowbid._random import integer

CLOSE = 1e-9


def mean(losses) -> float:
    return math.fsum(losses) / len(losses)


def at_most(a: float, b: float) -> bool:
    return a <= b + CLOSE


class NaiveRounds:
    """A policy of rounds that draws from the stream in the same order as the kernels do."""

    def __init__(self, n_arms: int, duel, forced: bool = False) -> None:
        self.duel, self.forced = duel, forced
        self.losses = [[] for _ in range(n_arms)]
        self.queue, self.round, self.leader = [], 0, None

    def select(self, stream) -> int:
        if not self.queue:
            self.round += 1
            arms = range(len(self.losses))
            self.queue = list(arms) if self.round == 1 else self.winners(stream)
            for i in range(len(self.queue) - 1, 0, -1):
                j = integer(stream, i + 1)
                self.queue[i], self.queue[j] = self.queue[j], self.queue[i]
        return self.queue[-1]

    def update(self, arm: int, loss: float) -> None:
        self.losses[arm].append(loss)
        if self.queue and self.queue[-1] == arm:
            self.queue.pop()

    def winners(self, stream) -> list[int]:
        self.leader = self.next_leader(stream)
        lead = self.losses[self.leader]
        enough = math.sqrt(math.log(self.round)) if self.forced else 0
        won = []
        for arm, losses in enumerate(self.losses):
            if len(losses) < len(lead) and (
                len(losses) < enough or self.duel(losses, lead, stream)
            ):
                won.append(arm)
        return won or [self.leader]

    def next_leader(self, stream) -> int:
        most = max(len(x) for x in self.losses)
        longest = [a for a, x in enumerate(self.losses) if len(x) == most]
        lowest = min(mean(self.losses[a]) for a in longest)
        tied = [a for a in longest if at_most(mean(self.losses[a]), lowest)]
        if self.leader in tied:
            return self.leader
        chosen = tied[0]
        for i, arm in enumerate(tied[1:], start=2):
            if integer(stream, i) == 0:
                chosen = arm
        return chosen


def random_block(losses, lead, stream) -> bool:
    first = integer(stream, len(lead) - len(losses) + 1)
    return at_most(mean(losses), mean(lead[first : first + len(losses)]))


def last_block(losses, lead, stream) -> bool:
    return at_most(mean(losses), mean(lead[-len(losses) :]))
