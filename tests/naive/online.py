"""A bandit's records, kept in lists and dictionaries."""

import math


class Books:
    """Which arms there are, what was measured of each, and which decisions are open."""

    def __init__(self, arms):
        self.active, self.paused, self.removed = list(arms), [], set()
        self.values = {arm: [] for arm in arms}
        self.open, self.closed, self.orphans = {}, set(), set()
        self.step = 1

    @property
    def arms(self):
        return [*self.active, *self.paused]

    def add(self, arm):
        self.active.append(arm)
        self.removed.discard(arm)
        self.values[arm] = []

    def remove(self, arm):
        (self.active if arm in self.active else self.paused).remove(arm)
        self.removed.add(arm)
        del self.values[arm]
        gone = {identity for identity, other in self.open.items() if other == arm}
        self.orphans |= gone
        for identity in gone:
            del self.open[identity]

    def move(self, arm, source, target):
        if arm in source:
            source.remove(arm)
            target.append(arm)

    def decide(self, decision):
        self.open[decision.id] = decision.arm
        self.step += 1

    def answer(self, decision, value):
        """What `update` should say."""
        if decision.id in self.orphans:
            self.orphans.remove(decision.id)
            self.closed.add(decision.id)
            return "removed"
        if decision.id in self.closed:
            return "closed"
        self.values[self.open.pop(decision.id)].append(value)
        self.closed.add(decision.id)
        return None

    def forget(self, decision):
        if decision.id in self.orphans:
            self.orphans.remove(decision.id)
            self.closed.add(decision.id)
            return "removed"
        if decision.id in self.closed:
            return "closed"
        del self.open[decision.id]
        self.closed.add(decision.id)
        return None

    def tell(self, arm, value):
        if arm in self.removed:
            return "removed"
        self.values[arm].append(value)
        self.step += 1
        return None

    def counts(self):
        return {arm: len(self.values[arm]) for arm in self.arms}

    def means(self):
        return {
            arm: sum(self.values[arm]) / len(self.values[arm]) if self.values[arm] else math.nan
            for arm in self.arms
        }


def pending_index(batches, pending, padding=2.0, typical=0.0):
    """min over batches of (sum + pending * mean) / (count + pending + padding)."""
    every = [loss for batch in batches for loss in batch]
    mean = sum(every) / len(every) if every else typical
    return min(
        (sum(batch) + pending * mean) / (len(batch) + pending + padding)
        if len(batch) + pending
        else 0.0
        for batch in batches
    )
