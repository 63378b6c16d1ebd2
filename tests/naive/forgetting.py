"""Rules that forget, by definition: recomputed at each step from all losses so far."""

import math

from lowbid._random import beta, integer, normal
from naive.duels import CLOSE, at_most, mean

History = list[tuple[int, float]]  # (arm, loss), oldest first


def in_window(history: History, window: int, n_arms: int) -> list[list[float]]:
    """Each arm's losses among the last ones of all."""
    last = history[-window:]
    return [[loss for arm, loss in last if arm == each] for each in range(n_arms)]


def weighted(history: History, discount: float, n_arms: int) -> list[tuple[float, float]]:
    """The sum of each arm's weights, and of its weighted losses."""
    weights = [discount ** (len(history) - 1 - i) for i in range(len(history))]
    pairs = [
        [(weight, loss) for weight, (arm, loss) in zip(weights, history, strict=True) if arm == a]
        for a in range(n_arms)
    ]
    return [
        (math.fsum(w for w, _ in each), math.fsum(w * loss for w, loss in each)) for each in pairs
    ]


def sliding_window_ucb(history, step, window, xi, scale, n_arms):
    width = scale * math.sqrt(xi * math.log(min(step, window)))
    return [
        mean(x) - width / math.sqrt(len(x)) if x else -math.inf
        for x in in_window(history, window, n_arms)
    ]


def discounted_ucb(history, discount, xi, scale, n_arms):
    found = weighted(history, discount, n_arms)
    total = math.fsum(count for count, _ in found)
    return [
        sums / count - 2 * scale * math.sqrt(xi * math.log(max(total, 1)) / count)
        if count > 0
        else -math.inf
        for count, sums in found
    ]


def beta_draws(found, prior_bad, prior_good, stream):
    """A draw of each arm, from the number and the sum of its losses."""
    return [
        beta(stream, prior_bad + total, prior_good + max(count - total, 0.0))
        for count, total in found
    ]


def gaussian_draws(found, sd, stream):
    return [
        total / count + sd / math.sqrt(count) * normal(stream) if count > 0 else -math.inf
        for count, total in found
    ]


class NaiveWindowDuels:
    """SW-LB-SDA, from the list of everything that was ever played."""

    def __init__(self, n_arms: int, window: int) -> None:
        self.n_arms, self.window = n_arms, window
        self.history: History = []
        self.queue: list[int] = []
        self.leaders: list[int] = []  # of each round of duels
        self.queued: list[list[int]] = []  # whom each round of duels played
        self.began = False
        self.overdue = 0  # how often an arm was played for no other reason

    def select(self, stream) -> int:
        if not self.queue:
            self.queue = list(range(self.n_arms))
            if self.began:
                self.queue = self.round(stream)
            self.began = True
            for i in range(len(self.queue) - 1, 0, -1):
                j = integer(stream, i + 1)
                self.queue[i], self.queue[j] = self.queue[j], self.queue[i]
        return self.queue[-1]

    def update(self, arm: int, loss: float) -> None:
        self.history.append((arm, loss))
        if self.queue and self.queue[-1] == arm:
            self.queue.pop()

    def round(self, stream) -> list[int]:
        number = len(self.leaders) + 1
        losses = in_window(self.history, self.window, self.n_arms)
        leader = self.next_leader(losses, number, stream)
        log = math.log(self.window)
        patience = (self.n_arms - 1) * log**2
        self.leaders.append(leader)
        since = 0
        for earlier in range(1, number + 1):
            before = self.leaders[earlier - 2] if earlier > 1 else None
            if self.leaders[earlier - 1] != before:
                since = earlier
        settled = number - since >= patience and number - self.last(leader) >= patience
        chosen = []
        for arm, ours in enumerate(losses):
            wins = len(ours) < math.sqrt(log) or not ours
            if arm != leader and not wins:
                overdue = number - self.last(arm) >= patience and len(ours) <= log**2
                wins = self.wins(ours, losses[leader])
                if settled and overdue and not wins:
                    wins = True
                    self.overdue += 1
            if wins:
                chosen.append(arm)
        self.queued.append(chosen)
        self.challenged = chosen
        if not chosen:
            self.queued[-1] = [leader]
        return list(self.queued[-1])

    def wins(self, ours, theirs) -> bool:
        return at_most(mean(ours), mean(theirs[-min(len(ours), len(theirs)) :]))

    def last(self, arm: int) -> int:
        """The last round before this one in which an arm was queued; 1 if there was none."""
        return max((i for i, who in enumerate(self.queued, start=1) if arm in who), default=1)

    def next_leader(self, losses, number, stream) -> int:
        before = self.leaders[-1] if self.leaders else None
        share = min(number, self.window) / self.n_arms
        arms = list(range(self.n_arms))
        if before is not None and len(losses[before]) >= share / 2:
            arms = [a for a in self.challenged if len(losses[a]) >= share]
            arms = sorted({*arms, before})
        most = max(len(losses[a]) for a in arms)
        longest = [a for a in arms if len(losses[a]) == most]
        lowest = min(math.fsum(losses[a]) for a in longest)
        tied = [a for a in longest if math.fsum(losses[a]) <= lowest + CLOSE]
        if before in tied:
            return before
        chosen = tied[0]
        for i, arm in enumerate(tied[1:], start=2):
            if integer(stream, i) == 0:
                chosen = arm
        return chosen
