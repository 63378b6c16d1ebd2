"""Rounds of duels by definition: lists of losses, and means recomputed each time."""

import math

from lowbid._random import coin, hypergeometric, integer

CLOSE = 1e-9


def mean(losses) -> float:
    return math.fsum(losses) / len(losses)


def at_most(a: float, b: float) -> bool:
    return a <= b + CLOSE


class NaiveRounds:
    """A policy of rounds that draws from the stream in the same order as the kernels do."""

    def __init__(self, n_arms: int, duel, forced: bool = False, equals: bool = False) -> None:
        self.duel, self.forced, self.equals = duel, forced, equals
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
            fights = arm != self.leader and (self.equals or len(losses) < len(lead))
            if fights and (len(losses) < enough or self.duel(losses, lead, stream)):
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


def any_window(losses, lead, stream) -> bool:
    n = len(losses)
    windows = [lead[i : i + n] for i in range(len(lead) - n + 1)]
    return at_most(mean(losses), max(mean(window) for window in windows))


class SubSamples:
    """Means of sub-samples without replacement; one object sees all losses of a policy."""

    def __init__(self) -> None:
        self.seen = []  # different values, in the order in which they came up

    def see(self, loss: float) -> None:
        if loss not in self.seen:
            self.seen.append(loss)

    def mean(self, losses, n: int, stream) -> float:
        """A random mean of n of the losses, which are put into another order."""
        if len(self.seen) < 3:
            origin, other = (self.seen + self.seen)[:2]
            others = sum(x != origin for x in losses)
            found = hypergeometric(stream, others, len(losses) - others, n)
            return (found * other + (n - found) * origin) / n
        few = n if 2 * n <= len(losses) else len(losses) - n
        for i in range(few):
            j = i + integer(stream, len(losses) - i)
            losses[i], losses[j] = losses[j], losses[i]
        return mean(losses[:few] if few == n else losses[few:])

    def duel(self, losses, lead, stream) -> bool:
        own, other = mean(losses), self.mean(lead, len(losses), stream)
        return coin(stream, 0.5) == 1.0 if abs(own - other) < CLOSE else own < other


class NaiveBESA:
    """A tournament at every step, drawing from the stream in the same order as the kernels do."""

    def __init__(self, n_arms: int, initial: int, random_ties: bool) -> None:
        self.initial, self.random_ties = initial, random_ties
        self.losses = [[] for _ in range(n_arms)]
        self.order = list(range(n_arms))
        self.samples = SubSamples()

    def update(self, arm: int, loss: float) -> None:
        self.samples.see(loss)
        self.losses[arm].append(loss)

    def select(self, stream) -> int:
        for i in range(len(self.order) - 1, 0, -1):
            j = integer(stream, i + 1)
            self.order[i], self.order[j] = self.order[j], self.order[i]
        for arm in self.order:
            if len(self.losses[arm]) < self.initial:
                return arm
        winner, self.order = self.tournament(self.order, stream)
        return winner

    def tournament(self, arms, stream):
        """The winner; and all arms in the order in which the kernel leaves them."""
        order, left = list(arms), len(arms)
        while left > 1:
            for i in range(left // 2):
                pair = order[2 * i], order[2 * i + 1]
                if self.winner(*pair, stream) == pair[1]:
                    order[2 * i], order[2 * i + 1] = pair[1], pair[0]
                order[i], order[2 * i] = order[2 * i], order[i]
            if left % 2:
                order[left // 2], order[left - 1] = order[left - 1], order[left // 2]
            left = (left + 1) // 2
        return order[0], order

    def winner(self, first: int, second: int, stream) -> int:
        """The winner of one duel."""
        more = len(self.losses[second]) > len(self.losses[first])
        few, many = (first, second) if more else (second, first)
        n = len(self.losses[few])
        even = n == len(self.losses[many])
        own = mean(self.losses[few])
        other = mean(self.losses[many]) if even else self.samples.mean(self.losses[many], n, stream)
        if abs(own - other) < CLOSE:
            chance = even or self.random_ties
            return few if not chance or coin(stream, 0.5) == 1.0 else many
        return few if own < other else many
